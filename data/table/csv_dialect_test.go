package table

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/google/go-cmp/cmp"
)

// excelCSV is what a German Excel saves as CSV.
const excelCSV = "Stra\xdfe;Fl\xe4che;Preis \x80\r\nK\xf6nigsallee;87,5;1234,5\r\n\"Weg; links\";102;-0,5\r\n"

// inUTF16 returns a text in UTF-16 with a byte order mark.
func inUTF16(text string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

// TestCSVDialects checks that the dialect of a file is detected: the table that is read, and the description of the
// dialect in ReadAs.
func TestCSVDialects(t *testing.T) {
	excel := &Table{Name: "text", Rows: 2, Columns: []Column{
		{Name: "Straße", Kind: Nominal, Codes: []int32{0, 1}, Categories: []string{"Königsallee", "Weg; links"}},
		{Name: "Fläche", Values: []float64{87.5, 102}}, {Name: "Preis €", Values: []float64{1234.5, -.5}},
	}}
	const inUTF8 = "Straße;Fläche;Preis €\nKönigsallee;87,5;1234,5\n\"Weg; links\";102;-0,5\n"
	numbers := func(header ...string) *Table {
		return &Table{Name: "text", Rows: 2, Columns: []Column{
			{Name: header[0], Values: []float64{1.5, 3.5}}, {Name: header[1], Values: []float64{2, 4}}}}
	}
	irises := &Table{Name: "text", Rows: 3, Columns: []Column{
		{Name: "column 1", Values: []float64{5.1, 4.9, 7}},
		{Name: "column 2", Kind: Nominal, Codes: []int32{0, 0, 1}, Categories: []string{"setosa", "versicolor"}}}}
	for _, c := range []struct {
		text, as string
		want     *Table
	}{
		{excelCSV, "semicolons, header, decimal comma, windows-1252", excel},
		{inUTF8, "semicolons, header, decimal comma, UTF-8", excel},
		{byteOrderMark + inUTF8, "semicolons, header, decimal comma, UTF-8", excel},
		{strings.ReplaceAll(inUTF16(inUTF8, binary.LittleEndian), ";", "\t"), "tabs, header, decimal comma, UTF-16",
			withName(excel, 0, 1, "Weg\t links")},
		{inUTF16(inUTF8, binary.BigEndian), "semicolons, header, decimal comma, UTF-16", excel},
		{inUTF16("a,b\n1.5,2\n3.5,4\n", binary.LittleEndian)[2:], "commas, header, UTF-16", numbers("a", "b")},
		{"a,b\n1.5,2\n3.5,4\n", "commas, header, UTF-8", numbers("a", "b")},
		{"a,b\r1.5,2\r3.5,4\r", "commas, header, UTF-8", numbers("a", "b")},
		{"a|b\n1.5|2\n3.5|4\n", "pipes, header, UTF-8", numbers("a", "b")},
		{"a|b\n1,5|2\n3,5|4\n", "pipes, header, decimal comma, UTF-8", numbers("a", "b")},
		{"1.5,2\n3.5,4\n", "commas, no header, UTF-8", numbers("column 1", "column 2")},
		{"1,5;2\n3,5;4\n", "semicolons, no header, decimal comma, UTF-8", numbers("column 1", "column 2")},
		{"1,5;2,0\n3,5;4,0\n", "semicolons, no header, decimal comma, UTF-8", numbers("column 1", "column 2")},
		{"5.1,setosa\n4.9,setosa\n7,versicolor\n", "commas, no header, UTF-8", irises},
		{"a;b\n1,5;2\n3,5;4\n;NA\n", "semicolons, header, decimal comma, UTF-8", &Table{Name: "text", Rows: 3, Columns: []Column{
			{Name: "a", Values: []float64{1.5, 3.5, 0}, Missing: []bool{false, false, true}},
			{Name: "b", Values: []float64{2, 4, 0}, Missing: []bool{false, false, true}}}}},
		// Codes with commas are not numbers in a file whose numbers have decimal points.
		{"x;codes\n1.5;1,2\n3.5;1,3\n", "semicolons, header, UTF-8", &Table{Name: "text", Rows: 2, Columns: []Column{
			{Name: "x", Values: []float64{1.5, 3.5}},
			{Name: "codes", Kind: Nominal, Codes: []int32{0, 1}, Categories: []string{"1,2", "1,3"}}}}},
		{"name;remark, if any, or not\nx;1, 2\ny;2, 3, 4\n", "semicolons, header, UTF-8", &Table{Name: "text", Rows: 2,
			Columns: []Column{{Name: "name", Kind: Nominal, Codes: []int32{0, 1}, Categories: []string{"x", "y"}},
				{Name: "remark, if any, or not", Kind: Nominal, Codes: []int32{0, 1}, Categories: []string{"1, 2", "2, 3, 4"}}}}},
		{"3\n4.5\n", "commas, no header, UTF-8", &Table{Name: "text", Rows: 2, Columns: []Column{
			{Name: "column 1", Values: []float64{3, 4.5}}}}},
		{"2,7,3\n", "commas, no header, UTF-8", &Table{Name: "text", Rows: 1, Columns: []Column{{Name: "column 1",
			Values: []float64{2}}, {Name: "column 2", Values: []float64{7}}, {Name: "column 3", Values: []float64{3}}}}},
	} {
		got := mustCSV(t, c.text)
		if d := cmp.Diff(c.want, got, content); d != "" || got.ReadAs != c.as {
			t.Errorf("%q is read as %q, want %q: %s", c.text, got.ReadAs, c.as, d)
		}
		checkTable(t, got)
	}
	for _, text := range []string{"country,1990,1991\na,1,2\n", "x1,2nd,y\n1,2,3\n", ",a\n0,x\n1,y\n", "a,b\nx,a\ny,b\n"} {
		if got := mustCSV(t, text); !strings.Contains(got.ReadAs, ", header") {
			t.Errorf("%q is read with %s", text, got.ReadAs)
		}
	}
}

// withName returns a copy of a table in which one category of a column has another name.
func withName(t *Table, column, category int, name string) *Table {
	changed := &Table{Name: t.Name, Rows: t.Rows, Columns: slices.Clone(t.Columns)}
	changed.Columns[column].Categories = slices.Clone(changed.Columns[column].Categories)
	changed.Columns[column].Categories[category] = name
	return changed
}

// TestCSVUnclear checks that ambiguous and malformed files are refused with an error that says what is wrong or what to
// specify.
func TestCSVUnclear(t *testing.T) {
	for text, want := range map[string]string{
		"1,2,3\n4,5,6\n":                           "line 1: at byte 0: expected a line with the names of the columns, found the number 3",
		"0.1,0.2,name\nx,y,z\n":                    "the number 0.1 in the place of a name",
		"2.5,anna\n4.9,berta\n":                    "--header yes or no",
		"p,x\np,x\ne,x\n":                          "stand in their columns below too",
		"a,a\n1,2\n":                               "--header no",
		"a;b\n1;2\n1;2;3\n":                        "line 3: at byte 8: expected 2 values, as the first line has, found 3; values are separated by ';'",
		"K\xc3\xb6ln \xc3\xbc,\xff\n":              "line 1: at byte 9: expected text in UTF-8, found byte 0xff",
		"a,b\n\x81,1\n":                            "line 2: at byte 4: expected text in windows-1252, found byte 0x81",
		"\x89PNG\r\n\x00":                          "expected text in UTF-8, found byte 0x89",
		"\xff\xfea\x00,\x00b\x00\n":                "line 1: at byte 8: expected text in UTF-16",
		inUTF16("a;b\n1;2\n3\n", binary.BigEndian): "line 3: expected 2 values",
	} {
		_, err := ReadCSV("t.csv", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		wantFormatError(t, err)
	}
}

// TestReadCSVAs checks that the parts of the dialect that are given are used instead of detected ones.
func TestReadCSVAs(t *testing.T) {
	for _, c := range []struct {
		text  string
		as    dialect.Dialect
		names string
		first string // the first value of the first column, as a text
		rows  int
	}{
		{"1,2,3\n4,5,6\n", dialect.Dialect{Header: dialect.Names}, "1 2 3", "4", 1},
		{"1,2,3\n4,5,6\n", dialect.Dialect{Header: dialect.NoNames}, "column 1 column 2 column 3", "1", 2},
		{"a,b\n1,2\n", dialect.Dialect{Header: dialect.NoNames}, "column 1 column 2", "a", 2},
		{"a,b\n", dialect.Dialect{Header: dialect.NoNames}, "column 1 column 2", "a", 1},
		{"a;b,c\n1;2,3\n", dialect.Dialect{Separator: dialect.Comma}, "a;b c", "1;2", 1},
		{"a b\n1 2\n", dialect.Dialect{Separator: ' '}, "a b", "1", 1},
		{"a:b\n1,5:2\n", dialect.Dialect{Separator: ':', Decimal: dialect.DecimalPoint}, "a b", "1,5", 1},
		{"a,b\n\"1,5\",2\n", dialect.Dialect{Decimal: dialect.DecimalComma}, "a b", "1.5", 1},
		{"a,b\n1.5,2\n", dialect.Dialect{Decimal: dialect.DecimalComma}, "a b", "1.5", 1},
		{"\xe9,b\n1,2\n", dialect.Dialect{Encoding: dialect.Latin1}, "é b", "1", 1},
		{"\xc3\xa9,b\n1,2\n", dialect.Dialect{Encoding: dialect.Windows}, "Ã© b", "1", 1},
		{inUTF16("é,b\n1,2\n", binary.LittleEndian)[2:], dialect.Dialect{Encoding: dialect.UTF16}, "é b", "1", 1},
	} {
		got, err := ReadCSVAs("t.csv", strings.NewReader(c.text), c.as)
		if err != nil {
			t.Errorf("%q, %v: %v", c.text, c.as, err)
			continue
		}
		var names []string
		for _, column := range got.Columns {
			names = append(names, column.Name)
		}
		first, err := got.Texts(names[0])
		if err != nil || strings.Join(names, " ") != c.names || first[0] != c.first || got.Rows != c.rows {
			t.Errorf("%q, %v: %q, %q, %d rows: %v", c.text, c.as, names, first, got.Rows, err)
		}
	}
	for _, d := range []dialect.Dialect{{Separator: '"'}, {Separator: 'x'}, {Header: "maybe"}, {Decimal: "dot"},
		{Encoding: "EBCDIC"}} {
		_, err := ReadCSVAs("t.csv", strings.NewReader("a,b\n1,2\n"), d)
		if f := wantFormatError(t, err); !strings.HasPrefix(f.Path, "option ") {
			t.Errorf("%v: %v", d, err)
		}
	}
	_, err := ReadCSVAs("t.csv", strings.NewReader("a,b\n\xe9,1\n"), dialect.Dialect{Encoding: dialect.UTF8})
	wantErrorAt(t, err, 2, 4)
	_, err = ReadCSVAs("t.csv", strings.NewReader("\n"), dialect.Dialect{Header: dialect.NoNames})
	if f := wantFormatError(t, err); f.Want != "at least one row" {
		t.Error(f)
	}
}

// TestLines checks that a table knows the line of each row in its file, also after Keep, and that errors after reading
// give the line.
func TestLines(t *testing.T) {
	const text = "a,b,y\n1,x,0\n\n2,\"x\ny\",1\n3,z,?\nfour,z,1\n"
	table := mustCSV(t, text)
	var lines []int
	for row := range table.Rows {
		lines = append(lines, table.Line(row))
	}
	if !slices.Equal(lines, []int{2, 4, 6, 7}) {
		t.Errorf("rows are in the lines %v", lines)
	}
	if plain := mustCSV(t, "1.5,2\n3,4\n5,6\n"); plain.lines != nil || plain.Line(2) != 3 {
		t.Errorf("row 2 is in line %d, and %d lines are kept", plain.Line(2), len(plain.lines))
	}
	if arrays, err := FromArrays("x", arrayOf(t, array.Float64, []float64{1, 2, 3, 4}, 2, 2), nil); err != nil || arrays.Line(1) != 0 {
		t.Errorf("a row of an array is in line %d: %v", arrays.Line(1), err)
	}
	e, err := NewEncoder(mustCSV(t, "a,b,y\n1,x,0\n2,y,1\n"), EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = e.Encode(table)
	wantErrorAt(t, err, 7, -1)
	_, err = NewEncoder(table, EncodeOptions{})
	wantErrorAt(t, err, 6, -1)
	_, err = NewEncoder(mustCSV(t, "a,y\n1,2\n\n3,4.5\n"), EncodeOptions{Classify: true})
	wantErrorAt(t, err, 4, -1)
	_, err = mustCSV(t, "a,y\n1,2\n\n1e300,4.5\n").Texts("a")
	wantErrorAt(t, err, 4, -1)
	arff := mustARFF(t, "@relation r\n@attribute a real\n@attribute y real\n@data\n1,2\n% no row\n1,?\n")
	_, err = NewEncoder(arff, EncodeOptions{})
	wantErrorAt(t, err, 7, -1)

	table.Keep([]int{0, 1, 3})
	checkTable(t, table)
	if a, err := table.Texts("a"); err != nil || fmt.Sprint(a) != "[1 2 four]" || table.Line(2) != 7 || table.Line(1) != 4 {
		t.Errorf("kept %v, lines %v: %v", a, table.lines, err)
	}
	if s, _, err := table.Encode(EncodeOptions{}); err != nil || !slices.Equal(s.Y, []float64{0, 1, 1}) {
		t.Errorf("%v", err)
	}
}

// TestReadAs checks that the format of a stream, which has no file name, is recognised from its first bytes.
func TestReadAs(t *testing.T) {
	parquet := parquetOf(t, rowsOf(9))
	for text, columns := range map[string]int{"a,y\n1,2\n": 2, smallARFF: len(mustARFF(t, smallARFF).Columns),
		parquet: 0, "": -1, "PAR1": -1, "@relation": -1} {
		table, err := ReadAs("stdin", strings.NewReader(text), dialect.Dialect{})
		switch {
		case columns < 0:
			wantFormatError(t, err)
		case err != nil || columns > 0 && len(table.Columns) != columns || table.Rows < 1:
			t.Errorf("%.20q: %+v, %v", text, table, err)
		}
	}
	table, err := ReadAs("stdin", strings.NewReader("a:y\n1:2\n"), dialect.Dialect{Separator: ':'})
	if err != nil || table.Name != "stdin" || len(table.Columns) != 2 {
		t.Errorf("%+v, %v", table, err)
	}
}
