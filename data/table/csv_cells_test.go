package table

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/table/dialect"
	"github.com/google/go-cmp/cmp"
)

// TestLeadingZeros checks that a column of whole numbers, some with leading zeros, is read as categories, with a note,
// and that other numbers stay numbers.
func TestLeadingZeros(t *testing.T) {
	table := mustCSV(t, "zip,x,h\n00123,0,00\n12345,0.5,15\n,10,0\n")
	zip := table.Columns[0]
	if zip.Kind != Nominal || !slices.Equal(zip.Categories, []string{"00123", "12345"}) || !zip.IsMissing(2) {
		t.Errorf("%+v", zip)
	}
	if table.Columns[1].Kind != Numeric || table.Columns[2].Kind != Numeric {
		t.Error("numbers are categories")
	}
	want := []Note{{"zip", "leading zeros", "read as categories, since 00123 has leading zeros"}}
	if d := cmp.Diff(want, table.Notes); d != "" {
		t.Error(d)
	}
	// An encoder of a numeric column reads such numbers as numbers. An encoder of a categorical column finds them
	// without their leading zeros too, and finds booleans in any letter case.
	for _, c := range [][2]string{{"a,y\nTrue,1\nFalse,0\n", "a\ntrue\n"}, {"a,y\ntrue,1\nfalse,0\n", "a\nTRUE\n"},
		{"a,y\n7,1\n12,0\n9,1\n", "a,y\n007,1\n"}, {"a,y\n007,1\n012,0\n009,1\n", "a,y\n7,1\n"}} {
		e, err := NewEncoder(mustCSV(t, c[0]), EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := e.Encode(mustCSV(t, c[0]))
		if err != nil {
			t.Fatal(err)
		}
		one, match, err := e.Encode(mustCSV(t, c[1]))
		if err != nil || len(match.Unknown) > 0 || !slices.Equal(one.X.RawRowView(0), all.X.RawRowView(0)) {
			t.Errorf("%q is %v, want %v: %v", c[1], one.X.RawRowView(0), all.X.RawRowView(0), err)
		}
	}
}

// TestDashes checks that a dash and None are missing values in a column of numbers, and that a dash is a category in a
// column of texts.
func TestDashes(t *testing.T) {
	table := mustCSV(t, "n,sign,only,y\n1.5,+,-,1\n-,-,-,2\nNone,+,NA,N/A\n#N/A,n/a,-,3\n")
	want := []Column{
		{Name: "n", Values: []float64{1.5, 0, 0, 0}, Missing: []bool{false, true, true, true}},
		{Name: "sign", Kind: Nominal, Codes: []int32{0, 1, 0, -1}, Categories: []string{"+", "-"},
			Missing: []bool{false, false, false, true}},
		{Name: "only", Kind: Nominal, Codes: []int32{0, 0, -1, 0}, Categories: []string{"-"},
			Missing: []bool{false, false, true, false}},
		{Name: "y", Values: []float64{1, 2, 0, 3}, Missing: []bool{false, false, true, false}},
	}
	if d := cmp.Diff(want, table.Columns); d != "" {
		t.Error(d)
	}
	// In new rows, a numeric column may contain only missing values.
	e, err := NewEncoder(mustCSV(t, "a,b,y\n1,2,0\n3,5,1\n"), EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	set, match, err := e.Encode(mustCSV(t, "a,b\n-,7\n-,8\nNA,9\n"))
	if err != nil || match.CountMissing() != 3 || set.X.At(0, 0) != 2 || set.X.At(2, 0) != 2 || set.X.At(1, 1) != 8 {
		t.Errorf("%v, %+v", err, match)
	}
	if got := mustCSV(t, "-,2.5,3\n1,3.5,4\n"); got.ReadAs != "commas, no header, UTF-8" {
		t.Errorf("a first row without a number is read with %s", got.ReadAs)
	}
}

// TestThousands checks that a column whose marks may be thousands separators gets a note that says how a number of it
// was read.
func TestThousands(t *testing.T) {
	for text, want := range map[string]string{
		"p\tx\n1,250\ta\n40\tb\n":      "p: 1,250 is read as 1.25, with a decimal comma; if that separates thousands, take it out of the file",
		"p;x\n12.345;a\n345;b\n":       "p: 12.345 is read as 12.345, with a decimal point; if that separates thousands, take it out of the file",
		"p\tx\n1,25\ta\n40\tb\n":       "",
		"p;x\n12.345;a\n345.5;b\n":     "",
		"p\tx\n1.250,5\ta\n1,250\tb\n": "p: 1.250,5 is read as 1250.5",
	} {
		var got []string
		for _, n := range mustCSV(t, text).Notes {
			got = append(got, n.Column+": "+n.Text)
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestMarkedNumbers checks that numbers with thousands separators or a unit are read as numbers, with a note, if the
// whole column is written in the same way. Otherwise the column is not numeric.
func TestMarkedNumbers(t *testing.T) {
	for text, want := range map[string][]float64{
		"p,x\n\"1,250.5\",a\n40,b\n-3,c\n":             {1250.5, 40, -3},
		"p,x\n\"$1,250\",a\n\"-$2,000,000\",b\n$3,c\n": {1250, -2e6, 3},
		"p,x\n30.5 %,a\n−7%,b\n,c\n":                   {30.5, -7, 0},
		"p;x\n1.250,50 €;a\n-9,5 €;b\n1.000 €;c\n":     {1250.5, -9.5, 1000},
		"p;q;x\n1.250;1,5;a\n2.500;2,5;b\n7;1;c\n":     {1250, 2500, 7},
		"p;x\n1\u202f250,5;a\n2 000;b\n7;c\n":          {1250.5, 2000, 7},
		"p,x\n5%,a\n7,b\n1,c\n":                        nil, // with a unit and without
		"p,x\n$5,a\n€7,b\n£1,c\n":                      nil,
		"p,x\n\"1,25\",a\n\"1,250\",b\n7,c\n":          nil,
		"p,x\n\"1,250\",a\n5%,b\n$,c\n":                nil,
	} {
		table := mustCSV(t, text)
		if c := table.Columns[0]; want == nil && c.Kind == Numeric || want != nil && !slices.Equal(c.Values, want) {
			t.Errorf("%q: %+v", text, c)
		}
		if noted := len(table.Notes) > 0 && table.Notes[0].Column == "p" && strings.Contains(table.Notes[0].Text, " is read as "); noted != (want != nil) {
			t.Errorf("%q: %+v", text, table.Notes)
		}
	}
}

// TestVerbatim checks that Texts returns the cells of the columns in Verbatim as the file has them, apart from spaces
// around them, and that the table is otherwise the same.
func TestVerbatim(t *testing.T) {
	const text = "id,g,y\n007,1.50,1\n1.50,NA,2\n123456789012345678, 1 ,3\nNA,x,4\n"
	table, err := ReadCSVAs("t.csv", strings.NewReader(text), dialect.Dialect{Verbatim: []string{"id", "g", "none"}})
	if err != nil {
		t.Fatal(err)
	}
	if plain := mustCSV(t, text); cmp.Diff(plain, table, content, cmp.FilterPath(func(p cmp.Path) bool {
		return p.String() == "Name"
	}, cmp.Ignore())) != "" {
		t.Error("other columns than without")
	}
	for column, want := range map[string][]string{"id": {"007", "1.50", "123456789012345678", "NA"}, "g": {"1.50", "NA", "1", "x"},
		"y": {"1", "2", "3", "4"}} {
		if got, err := table.Texts(column); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %q: %v", column, got, err)
		}
	}
	table.Keep([]int{3, 0})
	if got, err := table.Texts("id"); err != nil || !slices.Equal(got, []string{"NA", "007"}) {
		t.Errorf("kept %q: %v", got, err)
	}
}

// TestSeparatorsAtLineEnds checks that a separator at the ends of lines does not add a column, unless a line has a
// value after it or the column has a name.
func TestSeparatorsAtLineEnds(t *testing.T) {
	for text, want := range map[string]string{
		"a,b,\n1,x,\n2,y,\n": "a b", "a,b\n1,x,\n2,y, \n": "a b", "a;b;\r\n1;x;\r\n2;y;\r\n": "a b", "a,b,\n1,x,\n2,y,3\n": "a b column 3",
		"a,b,c\n1,x,\n2,y,\n": "a b c", "1,2,\n3,5.5,\n": "column 1 column 2", "a,b,\n1,x,?\n2,y,\n": "a b column 3", "a,b,,\n1,x,,\n2,y,,\n": "a b column 3",
	} {
		var names []string
		for _, c := range mustCSV(t, text).Columns {
			names = append(names, c.Name)
			if c.Name == "b" && !slices.Equal(c.Categories, []string{"x", "y"}) {
				t.Errorf("%q: %+v", text, c)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q has the columns %s, want %s", text, got, want)
		}
	}
	_, err := ReadCSV("t.csv", strings.NewReader("a,b\n1,x,,\n2,y,,\n"))
	wantErrorAt(t, err, 2, 4)
}

// TestSeparatorLine checks that Excel's first line with the separator is not part of the table, that it counts in line
// numbers, and that a given separator takes precedence over it.
func TestSeparatorLine(t *testing.T) {
	table := mustCSV(t, "sep=|\r\na|b\r\n1,5;2|x\r\n2,5;7|y\r\n")
	if table.ReadAs != "pipes, header, UTF-8" || table.Columns[0].Categories[1] != "2,5;7" || table.Line(1) != 4 {
		t.Errorf("%s, %+v, line %d", table.ReadAs, table.Columns, table.Line(1))
	}
	_, err := ReadCSV("t.csv", strings.NewReader("sep=;\na;b\n1;2\n3\n"))
	wantErrorAt(t, err, 4, 14)
	given, err := ReadCSVAs("t.csv", strings.NewReader("sep=;\na|b\n1|2\n"), dialect.Dialect{Separator: dialect.Pipe})
	if err != nil || len(given.Columns) != 2 {
		t.Errorf("%v: %+v", err, given)
	}
}

// zipped returns a text compressed by gzip.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGzip checks that a file compressed by gzip is read as the same table, whatever its name, and that a damaged one
// is refused.
func TestGzip(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.csv.gz": gapsCSV, "b.txt": gapsCSV, "c.DAT.GZ": separated(gapsCSV, "\t"), "d.arff.gz": smallARFF,
		"e.csv": gapsCSV, "f.data": smallARFF, "g.tab": separated(gapsCSV, "\t")} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(zipped(t, text)), 0o666); err != nil {
			t.Fatal(err)
		}
		want := mustCSV(t, gapsCSV)
		if strings.HasPrefix(text, smallARFF[:9]) {
			want = mustARFF(t, text)
		}
		got, err := Open(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(want.Columns, got.Columns); d != "" || name[0] == 'a' && got.Name != "a" {
			t.Errorf("%s, called %s: %s", name, got.Name, d)
		}
	}
	whole := zipped(t, strings.Repeat("1.5,2\n", 500))
	for _, text := range []string{whole[:len(whole)-9], whole[:12], gzipMagic, whole[:30] + "x" + whole[31:], whole + "x"} {
		_, err := ReadCSV("t.csv", strings.NewReader(text))
		if f := wantFormatError(t, err); !strings.Contains(f.Want, "gzip") {
			t.Error(err)
		}
	}
	// Inflating stops one byte after the limit.
	if content, err := inflateGzip(zipped(t, strings.Repeat("0", 1<<20)), 1000); err != nil || len(content) != 1001 {
		t.Errorf("%d bytes: %v", len(content), err)
	}
}

// TestCSVHints checks that errors say what to do, use the singular for one value, and do not mention the Go type
// Dialect.
func TestCSVHints(t *testing.T) {
	for text, want := range map[string]string{
		"a,y\n1,2\ninf,3\n": `expected a finite number in column "a", found "inf"; leave the cell empty where the number is not known`,
		"a,b,a\n1,2,3\n":    `found "a" for columns 1 and 3; give them different names`,
		"a\n1\n2,3\n":       "expected 1 value, as the first line has, found 2",
	} {
		if _, err := ReadCSV("t.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := ReadCSV("t.csv", strings.NewReader("1,2,3\n4,5,6\n"))
	if err == nil || strings.Contains(err.Error(), "Dialect") {
		t.Error(err)
	}
	if text := fmt.Sprint(ReadCSV("t.csv", strings.NewReader("a,a\n1,2\n"))); strings.Contains(text, "Dialect") {
		t.Error(text)
	}
}

// TestARFFDates checks that dates in ARFF files are read as categories, with the text as it is in the file.
func TestARFFDates(t *testing.T) {
	got := mustARFF(t, "@relation r\n@attribute d date 'yyyy-MM-dd HH:mm'\n@attribute e DATE\n@attribute y real\n@data\n"+
		"'2021-01-26 10:00',2001,1\n'2020-01-26 10:00',?,2\n")
	want := []Column{{Name: "d", Kind: Nominal, Codes: []int32{1, 0}, Categories: []string{"2020-01-26 10:00", "2021-01-26 10:00"}},
		{Name: "e", Kind: Nominal, Codes: []int32{0, -1}, Categories: []string{"2001"}, Missing: []bool{false, true}},
		{Name: "y", Values: []float64{1, 2}}}
	if d := cmp.Diff(want, got.Columns); d != "" {
		t.Error(d)
	}
}
