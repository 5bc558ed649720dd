package record

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// inWords turns the name of a field into a heading.
var inWords = strings.NewReplacer("train_", "training ", "_", " ")

// InWords returns a table whose columns are named by fields, such as train_loss, with headings in words.
func InWords(t *report.Table) *report.Table {
	named := *t
	named.Columns = slices.Clone(t.Columns)
	for i := range named.Columns {
		named.Columns[i].Name = inWords.Replace(named.Columns[i].Name)
	}
	return &named
}
