package report

import (
	"io"
	"strings"
	"testing"
)

// Plain text shows columns of sentences last. Other formats keep the order of the columns. The table itself does not
// change.
func TestSentencesLast(t *testing.T) {
	table := &Table{
		Name: "claims",
		Columns: []Column{{Name: "verdict"}, {Name: "claim", Sentences: true}, {Name: "ours", Numeric: true},
			{Name: "note", Sentences: true}, {Name: "seeds", Numeric: true}},
		Rows: [][]Cell{
			{{Text: "holds", Mark: Good}, {Text: "Networks learn features."}, {Value: 1.5}, {}, {Value: 3}},
			{{Text: "fails", Mark: Bad}, {Text: "So do kernels."}, {Value: 12}, {Text: "In one paper."}, {Value: 3}},
		},
	}
	for _, c := range []struct {
		write func(*Table, io.Writer) error
		want  string
	}{
		{(*Table).WriteText, `
verdict  ours  seeds  claim                     note
───────  ────  ─────  ────────────────────────  ─────────────
holds ✓   1.5      3  Networks learn features.
fails ✗    12      3  So do kernels.            In one paper.
`},
		{(*Table).WriteMarkdown, `
| verdict | claim                    | ours | note          | seeds |
| ------- | ------------------------ | ---: | ------------- | ----: |
| holds ✓ | Networks learn features. |  1.5 |               |     3 |
| fails ✗ | So do kernels.           |   12 | In one paper. |     3 |
`},
		{(*Table).WriteCSV, `
verdict,claim,ours,note,seeds
holds,Networks learn features.,1.5,,3
fails,So do kernels.,12,In one paper.,3
`},
	} {
		var b strings.Builder
		if err := c.write(table, &b); err != nil {
			t.Fatal(err)
		}
		if got := "\n" + b.String(); got != c.want {
			t.Errorf("%s\nwant%s", got, c.want)
		}
	}
	if table.Columns[1].Name != "claim" || table.Rows[1][1].Text != "So do kernels." {
		t.Errorf("the table was changed: %+v", table)
	}
}
