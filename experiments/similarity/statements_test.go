package similarity

import (
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
)

// Every statement has a row that gives its source, the layers where it can hold, and which factor of W its null
// replaces.
func TestStatementsDetail(t *testing.T) {
	var names []string
	for _, s := range cnfa.Statements() {
		names = append(names, s.Name)
	}
	table := StatementsDetail(names).Tables[0]
	if len(table.Rows) != len(names) {
		t.Fatalf("%d rows, want %d", len(table.Rows), len(names))
	}
	for i, row := range table.Rows {
		s, _ := cnfa.LookupStatement(names[i])
		for j, want := range []string{s.Name, s.Says, "Σ, ", s.Turns, s.CanHold(), s.Source} {
			if !strings.Contains(row[j].Text, want) {
				t.Errorf("%s: %s %q, want %q in it", s.Name, table.Columns[j].Name, row[j].Text, want)
			}
		}
	}
}
