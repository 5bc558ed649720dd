package table

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const smallARFF = `% a comment
@RELATION 'a small one'

@ATTRIBUTE "first name" {'no checking', b, "it's"}
@attribute x	REAL [0, 10]   % a range
@Attribute word string
@attribute y integer
@DATA
'no checking', 1.5, one, 2
b	?	'two words'	-3

% between rows
"it's",1e2,one,?, {1}
`

func TestARFF(t *testing.T) {
	want := &Table{Name: "a small one", Rows: 3, Columns: []Column{
		{Name: "first name", Kind: Nominal, Codes: []int32{0, 1, 2}, Categories: []string{"no checking", "b", "it's"}},
		{Name: "x", Values: []float64{1.5, 0, 100}, Missing: []bool{false, true, false}},
		{Name: "word", Kind: Nominal, Codes: []int32{0, 1, 0}, Categories: []string{"one", "two words"}},
		{Name: "y", Values: []float64{2, -3, 0}, Missing: []bool{false, false, true}},
	}}
	for name, text := range map[string]string{
		"as it is":        smallARFF,
		"CRLF":            strings.ReplaceAll(smallARFF, "\n", "\r\n"),
		"byte order mark": byteOrderMark + smallARFF,
		"no last newline": strings.TrimSuffix(smallARFF, "\n"),
	} {
		if d := cmp.Diff(want, mustARFF(t, text), content); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestARFFSparse(t *testing.T) {
	const head = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c numeric\n@data\n"
	sparse := mustARFF(t, head+"{0 3, 1 y}\n{ }\n{1 ?,2 -1e3} % more\n{2 5},{1}\n")
	dense := mustARFF(t, head+"3,y,0\n0,x,0\n0,?,-1e3\n0,x,5\n")
	if d := cmp.Diff(dense, sparse, content); d != "" {
		t.Error(d)
	}
}

func TestARFFEscapes(t *testing.T) {
	got := mustARFF(t, `@relation r
@attribute 'it\'s 100\%' {'a\\b','\tc',"d\"e",'?'}
@data
'a\\b'
'\tc'
"d\"e"
'?'
?
`)
	want := Column{
		Name: "it's 100%", Kind: Nominal, Categories: []string{`a\b`, "\tc", `d"e`, "?"},
		Codes: []int32{0, 1, 2, 3, -1}, Missing: []bool{false, false, false, false, true},
	}
	if d := cmp.Diff(want, got.Columns[0]); d != "" {
		t.Error(d)
	}
}

func TestARFFErrors(t *testing.T) {
	const head = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" // 58 bytes, 4 lines
	for _, c := range []struct {
		text   string
		line   int
		offset int64
		want   string
	}{
		{"", 0, 0, "@relation"},
		{"1,2\n", 1, 0, "@relation, @attribute or @data"},
		{"@relation r\n@data\n", 2, 12, "an @attribute"},
		{"@relation r\n@attribute a\n", 2, 24, "numeric, real"},
		{"@relation r\n@attribute a date 'yyyy\n", 2, 35, "the quote '"},
		{"@relation r\n@attribute a relational\n", 2, 25, "numeric, real"},
		{"@relation r\n@attribute a {x,x}\n", 2, 28, "each name once"},
		{"@relation r\n@attribute a {x\n", 2, 27, "the brace }"},
		{"@relation r\n@attribute a {}\n", 2, 26, "a name"},
		{"@relation r\n@attribute 'a {x}\n", 2, 29, "the quote '"},
		{"@relation r\n@attribute a real\n@attribute a real\n", 3, 41, "a different name"},
		{"@relation r\n@attribute a real x\n", 2, 30, "the end of the line"},
		{head, 4, 58, "rows after @data"},
		{head + "1\n", 5, 59, "value 2"},
		{head + "1,x,\n", 5, 61, "the end of the line after 2 values"},
		{head + "1,x,2\n", 5, 61, "the end of the line after 2 values"},
		{head + "1,,x\n", 5, 60, "value 2"},
		{head + "one,x\n", 5, 58, "a finite number"},
		{head + "1e999,x\n", 5, 58, "a finite number"},
		{head + "nan,x\n", 5, 58, "a finite number"},
		{head + "1,z\n", 5, 60, "one of the names"},
		{head + "1,'x'y\n", 5, 63, "a comma or a blank"},
		{head + "1,x,{2}\n", 5, 63, "rows of weight 1"},
		{head + "{0 1\n", 5, 62, "a comma, or the brace"},
		{head + "{0 1, 0 2}\n", 5, 64, "the index of an attribute, 1 to 1"},
		{head + "{\n", 5, 59, "the index of an attribute"},
		{head + "{1}\n", 5, 60, "value 2"},
		{head + "{2 1}\n", 5, 59, "the index of an attribute, 0 to 1"},
		{head + "1,x\x00\n", 5, 60, "one of the names"},
		{"@relation r\n@attribute a string\n@data\n{}\n", 4, 40, "a value of attribute"},
	} {
		_, err := ReadARFF("text.arff", strings.NewReader(c.text))
		wantErrorAt(t, err, c.line, c.offset)
		if f := wantFormatError(t, err); !strings.Contains(f.Want, c.want) {
			t.Errorf("%q: expected %q, want %q", c.text, f.Want, c.want)
		}
	}
}

// TestARFFCutAnywhere checks that a file that ends early gives an error with its line, or the rows up to the cut, since
// the format has no mark at the end. The last row is not compared, since a number in it may have lost digits.
func TestARFFCutAnywhere(t *testing.T) {
	whole := mustARFF(t, smallARFF)
	data := strings.Index(smallARFF, "@DATA")
	for cut := range smallARFF {
		got, err := ReadARFF("cut.arff", strings.NewReader(smallARFF[:cut]))
		if err != nil {
			f := wantFormatError(t, err)
			if f.Offset < 0 || f.Offset > int64(cut) || f.Line < 1 && cut > 0 {
				t.Errorf("cut at %d: error at line %d, byte %d", cut, f.Line, f.Offset)
			}
			continue
		}
		if cut < data || got.Rows > whole.Rows {
			t.Errorf("cut at %d: %d rows", cut, got.Rows)
		}
		checkTable(t, got)
		for i := range got.Rows - 1 {
			if got.Columns[1].Values[i] != whole.Columns[1].Values[i] ||
				got.Columns[3].Values[i] != whole.Columns[3].Values[i] {
				t.Errorf("cut at %d: row %d differs", cut, i)
			}
		}
	}
}

// tableFacts is the summary of a real file that testdata/make_tables.py wrote.
type tableFacts struct {
	Rows, Columns, Missing, Nominal int
	Target                          string
	Classes                         map[string]int
	Means                           []float64
}

// facts returns the same summary of a table.
func facts(table *Table) tableFacts {
	target := table.Columns[table.DefaultTarget()]
	f := tableFacts{Rows: table.Rows, Columns: len(table.Columns), Target: target.Name, Classes: map[string]int{}}
	for _, name := range target.Categories {
		f.Classes[name] = 0
	}
	for _, code := range target.Codes {
		f.Classes[target.Categories[code]]++
	}
	for _, c := range table.Columns {
		f.Missing += c.CountMissing()
		sum, n := 0.0, 0
		for i := range table.Rows {
			if c.IsMissing(i) {
				continue
			}
			n++
			if c.Kind == Nominal {
				sum += float64(c.Codes[i])
			} else {
				sum += c.Values[i]
			}
		}
		if c.Kind == Nominal {
			f.Nominal++
		}
		f.Means = append(f.Means, sum/float64(n))
	}
	return f
}

func TestARFFRealFiles(t *testing.T) {
	var want struct{ Tables map[string]tableFacts }
	readJSON(t, "testdata/tables.json", &want)
	if len(want.Tables) != 20 {
		t.Fatalf("%d tables", len(want.Tables))
	}
	for name, w := range want.Tables {
		t.Run(name, func(t *testing.T) {
			table, err := Open(realFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			checkTable(t, table)
			if d := cmp.Diff(w, facts(table), cmp.Comparer(near)); d != "" {
				t.Error(d)
			}
			s, _ := mustEncode(t, table, EncodeOptions{})
			checkSet(t, s)
		})
	}
}

func TestOpenMissingARFF(t *testing.T) {
	if _, err := Open("testdata/none.arff"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "none.arff") {
		t.Error(err)
	}
}
