package report

import (
	"encoding/json"
	"math"
	"testing"
)

// A table is read as it was written; what is absent stays absent.
func TestTableJSON(t *testing.T) {
	table := Table{Name: "t", Columns: []Column{{Name: "a"},
		{Name: "b", Numeric: true, Help: "h", Filter: true, Sentences: true}}, Rows: [][]Cell{
		{{Text: "x"}, {Text: "1.50", Value: 1.5, Mark: Good}},
		{{Text: "y"}, {Text: "–", Value: math.NaN(), Mark: Muted}},
		{{Text: "z"}, {Value: math.Inf(1)}},
	}}
	text, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	var read Table
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if c := read.Rows[0][1]; c != table.Rows[0][1] {
		t.Errorf("%+v", c)
	}
	for _, i := range []int{1, 2} {
		if c := read.Rows[i][1]; !math.IsNaN(c.Value) || c.Text != table.Rows[i][1].Text ||
			c.Mark != table.Rows[i][1].Mark {
			t.Errorf("row %d: %+v", i, c)
		}
	}
	if read.Columns[1] != table.Columns[1] || read.Name != "t" {
		t.Errorf("%+v", read)
	}
}
