package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// golden compares got with a file in testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

// hostile returns strings with characters that are special in some format.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `a & b < c > d "e" 'f'`,
		`</title></style></svg>`,
		"tab\tnew\nline\r\x00\x1b[31mred\x07", "\xff\xfe broken \xc3", "a,b;\"c\"\nd", "{{.Title}} ${x} `y`",
		"javascript:alert(1)",
		"| pipe | *bold* _it_ [l](x) ~~s~~ \\", "日本語 層１ 👩‍👩‍👧 é", "\u202eright to left\u202c\ufffe",
		strings.Repeat("long", 400), "", "   ",
		`font-family:Liberation Sans;`, `xlink:href="data:image/jpg;base64,`,
	}
}

// mixedTable returns a table with every kind of content that a table can have.
func mixedTable() *Table {
	return &Table{
		Name: "mixed", Caption: "Similarity by layer",
		Columns: []Column{{Name: "layer"}, {Name: "r", Help: "Pearson similarity", Numeric: true},
			{Name: "null", Numeric: true}, {Name: "verdict"}, {Name: "excess", Numeric: true}},
		Rows: [][]Cell{
			{{Text: "conv1"}, {Text: "0.640", Value: 0.64012}, {Text: "0.53", Value: 0.53}, {Text: "above", Mark: Good},
				{Text: "0.11", Value: 0.11, Mark: Good}},
			{{Text: "层 2 | wide"}, {Text: "-0.9", Value: -0.9}, {Value: math.NaN()}, {Text: "below", Mark: Bad},
				{Text: "-1.43", Value: -1.43, Mark: Bad}},
			{{Text: "<fc>", Mark: Muted}, {Value: 1.0 / 3}, {Text: "n/a", Value: math.NaN(), Mark: Muted}, {},
				{Value: math.Inf(1)}},
		},
	}
}

func TestTableGolden(t *testing.T) {
	for name, write := range map[string]func(*Table, io.Writer) error{
		"table.txt": (*Table).WriteText, "table.md": (*Table).WriteMarkdown, "table.csv": (*Table).WriteCSV,
		"table.tex": (*Table).WriteLaTeX,
	} {
		var b bytes.Buffer
		if err := write(mixedTable(), &b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.Bytes())
	}
}

func writers() map[string]func(*Table, io.Writer) error {
	return map[string]func(*Table, io.Writer) error{
		"text": (*Table).WriteText, "Markdown": (*Table).WriteMarkdown, "CSV": (*Table).WriteCSV,
		"LaTeX": (*Table).WriteLaTeX,
	}
}

func TestTableEmpty(t *testing.T) {
	for name, write := range writers() {
		for _, table := range []*Table{{}, {Caption: "none"},
			{Columns: []Column{{Name: "a"}, {Name: "b", Numeric: true}}}, {Rows: [][]Cell{{}, {}}}} {
			var b bytes.Buffer
			if err := write(table, &b); err != nil {
				t.Errorf("%s of %+v: %v", name, table, err)
			}
		}
	}
}

func TestTableRagged(t *testing.T) {
	table := &Table{Name: "t", Columns: []Column{{Name: "a"}, {Name: "b"}}, Rows: [][]Cell{{{}, {}}, {{}}}}
	for name, write := range writers() {
		var b bytes.Buffer
		err := write(table, &b)
		if err == nil || !strings.Contains(err.Error(), `table "t": row 2 has 1 cells for 2 columns`) {
			t.Errorf("%s: error %v", name, err)
		}
		if b.Len() > 0 {
			t.Errorf("%s wrote %q before it failed", name, b.String())
		}
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestTableWriteError(t *testing.T) {
	full := errors.New("disk full")
	for name, write := range writers() {
		err := write(mixedTable(), brokenWriter{full})
		if !errors.Is(err, full) || !strings.Contains(err.Error(), `table "mixed"`) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func hostileTable() *Table {
	t := &Table{Name: "hostile", Caption: hostile()[0]}
	for _, s := range hostile() {
		t.Columns = append(t.Columns, Column{Name: s, Help: s, Numeric: len(s)%2 == 0})
	}
	for i := range hostile() {
		row := make([]Cell, len(t.Columns))
		for j := range row {
			s := hostile()[(i+j)%len(hostile())]
			row[j] = Cell{Text: s, Value: float64(len(s)), Mark: Mark(i % 5)}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// The text of a table of hostile texts has one line for each row, none wider than the rule, and no control characters
// for a terminal.
func TestTextAligned(t *testing.T) {
	var b bytes.Buffer
	if err := hostileTable().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if want := 2 + 2 + len(hostile()); len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	width := uniseg.StringWidth(lines[3])
	for i, line := range lines[2:] {
		if w := uniseg.StringWidth(line); w > width {
			t.Errorf("line %d is %d wide, the rule %d", i, w, width)
		}
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("line %d has control characters: %q", i, line)
		}
	}
}

func TestMarkdownCells(t *testing.T) {
	var b bytes.Buffer
	if err := hostileTable().WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	want := 0
	for i, line := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")[2:] {
		bars := strings.Count(line, "|") - strings.Count(line, `\|`)
		if i == 0 {
			want = len(hostile()) + 1
		}
		if bars != want {
			t.Errorf("line %d has %d bars, want %d: %s", i, bars, want, line)
		}
		if strings.Contains(line, "<") {
			t.Errorf("line %d has markup: %s", i, line)
		}
	}
}

// A CSV reader returns the texts and numbers that WriteCSV wrote.
func TestCSVRoundTrip(t *testing.T) {
	table := hostileTable()
	var b bytes.Buffer
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1+len(table.Rows) {
		t.Fatalf("%d records of %d rows and their header", len(records), len(table.Rows))
	}
	for i, record := range records {
		for j, got := range record {
			want := table.Columns[j].Name
			if i > 0 && table.Columns[j].Numeric {
				want = fmt.Sprint(table.Rows[i-1][j].Value)
			} else if i > 0 {
				want = table.Rows[i-1][j].Text
			}
			if got != want {
				t.Errorf("record %d, field %d: %q, want %q", i, j, got, want)
			}
		}
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"conv1", "conv1"}, {" a \t\n b ", "a b"}, {"a\x1b[31mb", "a [31mb"}, {"\xff", "\uFFFD"},
		{"W − W₀ ᵀ½", "W − W₀ ᵀ½"}, {"a\u202eb\ufffec\u2066", "abc"},
	} {
		if got := plain(c.in); got != c.want {
			t.Errorf("plain(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// WithoutEmpty leaves out numeric columns without a number. The table itself does not change.
func TestWithoutEmpty(t *testing.T) {
	nan := math.NaN()
	whole := &Table{
		Columns: []Column{{Name: "a"}, {Name: "b", Numeric: true}, {Name: "c", Numeric: true}, {Name: "d"}},
		Rows: [][]Cell{
			{{Text: "x"}, {Value: nan, Text: "–"}, {Value: 1}, {}},
			{{Text: "y"}, {Value: nan}, {Value: nan}, {}},
		},
	}
	got := whole.WithoutEmpty()
	if len(got.Columns) != 3 || got.Columns[1].Name != "c" || len(got.Rows[0]) != 3 || got.Rows[0][1].Value != 1 ||
		got.Check() != nil {
		t.Errorf("%+v", got)
	}
	if len(whole.Columns) != 4 || len(whole.Rows[0]) != 4 {
		t.Error("the table was changed")
	}
}

// A sentence in a cell may take several lines, and so may each cell of a column of sentences. Single words and numbers
// may not.
func TestLongCellsWrap(t *testing.T) {
	text, number, claims := Column{Name: "claim"}, Column{Name: "n", Numeric: true},
		Column{Name: "claim", Sentences: true}
	sentence := "The profile is another than that of the optimum."
	for _, c := range []struct {
		column Column
		cell   Cell
		want   string
	}{
		{text, Cell{Text: sentence}, "prose"}, {text, Cell{Text: sentence, Mark: Good}, "prose good"},
		{text, Cell{Text: "fails", Mark: Bad}, "bad"}, {number, Cell{Text: sentence}, "number"},
		{claims, Cell{Text: "So do kernels."}, "prose sentences"},
	} {
		if got := newCellView(c.column, c.cell, false).Class; got != c.want {
			t.Errorf("%q has the classes %q, want %q", c.cell.Text, got, c.want)
		}
	}
}

// A table is the same after it was written as JSON and read again. Absent values stay absent, and infinite ones become
// absent.
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

// If a table is too long for a page, the page shows the first rows and links to the file with all of them.
func TestLongTable(t *testing.T) {
	table := Table{Name: "columns", Caption: "Many.", Columns: []Column{{Name: "column"}}}
	for i := range 100_000 {
		table.Rows = append(table.Rows, []Cell{{Text: fmt.Sprintf("row%d.", i)}})
	}
	p := &Page{Title: "Long", Sections: []Section{{Heading: "Columns", Tables: []Table{table}}}}
	html := writeHTML(t, p)
	for text, want := range map[string]bool{
		"row1999.": true, "row2000.": false, "98000 further rows are in the file": true, `href="tables/columns.csv"`: true,
		"data:text/csv": false,
	} {
		if strings.Contains(html, text) != want {
			t.Errorf("%q: %t, want %t", text, !want, want)
		}
	}
	dir := t.TempDir()
	if _, err := p.Save(dir); err != nil {
		t.Fatal(err)
	}
	if csv, err := os.ReadFile(filepath.Join(dir, "tables", "columns.csv")); err != nil ||
		bytes.Count(csv, []byte("\n")) != 100_001 {
		t.Errorf("%d bytes, %v", len(csv), err)
	}
}

// On a page, measured numbers of a column have equally many digits. Settings and whole numbers have only the digits
// that they need.
func TestDigitsOnPage(t *testing.T) {
	table := &Table{Name: "t", Columns: []Column{{Name: "value", Numeric: true}, {Name: "ridge", Numeric: true}},
		Rows: [][]Cell{{{Value: 0.77}, {Value: 0.001}}, {{Value: 0.78294}, {Value: 0.1}}, {{Value: 784}, {Value: math.NaN()}},
			{{Value: -40412345}, {Value: 10}}}}
	v, err := newTableView(table, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"0.7700", "0.001"}, {"0.7829", "0.1"}, {"784", ""}, {"−4.041e+07", "10"}} {
		for j, text := range want {
			if got := v.Rows[i][j].Text; got != text {
				t.Errorf("row %d, column %d: %q, want %q", i+1, j+1, got, text)
			}
		}
	}
	if packed, err := newTableView(table, 1, true); err != nil || packed.Rows[0][0].Key != "" || packed.Rows[3][0].Key == "" {
		t.Errorf("keys of a packed page: %+v, %v", packed.Rows, err)
	}
}

// An explanation that two columns of the same name share stands below the table once.
func TestHelpedOnce(t *testing.T) {
	v := tableView{Columns: []columnView{{Name: "W"}, {Name: "null", Help: "mean"}, {Name: "null", Help: "mean"}, {Name: "null", Help: "sd"}}}
	if helped := v.Helped(); len(helped) != 2 || helped[1].Help != "sd" {
		t.Errorf("explained are %v", helped)
	}
}
