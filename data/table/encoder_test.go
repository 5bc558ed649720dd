package table

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"
)

const trainCSV = "a,b,colour,size,kind\n1,2,red,1,yes\n?,4,blue,2,no\n3,8,?,10,yes\n5,1,red,2,no\n"

// fitted returns an encoder of trainCSV with a scaling, and the set that it makes of that table.
func fitted(t testing.TB, o EncodeOptions, scaling string) (*Encoder, *Set) {
	t.Helper()
	table := mustCSV(t, trainCSV)
	e, err := NewEncoder(table, o)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := e.Encode(table)
	if err == nil {
		err = e.FitScaling(scaling, s, o.Rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.Scale(s)
	return e, s
}

// apply encodes and scales a table.
func apply(t testing.TB, e *Encoder, table *Table) (*Set, Match) {
	t.Helper()
	s, m, err := e.Encode(table)
	if err != nil {
		t.Fatal(err)
	}
	e.Scale(s)
	return s, m
}

// TestEncoderFindsColumns checks that the columns of a table are found by name, in any order and file format, and that
// its values are scaled as those of the training rows.
func TestEncoderFindsColumns(t *testing.T) {
	type parquetRow struct {
		Size   int32    `parquet:"size"`
		Kind   string   `parquet:"kind,dict"`
		A      *float64 `parquet:"a,optional"`
		Colour *string  `parquet:"colour,optional,dict"`
		B      int64    `parquet:"b"`
	}
	number := func(v float64) *float64 { return &v }
	word := func(v string) *string { return &v }
	inParquet, err := ReadParquet("x.parquet", strings.NewReader(parquetOf(t, []parquetRow{
		{1, "yes", number(1), word("red"), 2}, {2, "no", nil, word("blue"), 4}, {10, "yes", number(3), nil, 8},
		{2, "no", number(5), word("red"), 1},
	}, parquet.DataPageVersion(1))))
	if err != nil {
		t.Fatal(err)
	}
	const rowsARFF = "@data\n1,2,red,1,yes\n?,4,blue,2,no\n3,8,?,10,yes\n5,1,red,2,no\n"
	tables := map[string]*Table{
		"the same": mustCSV(t, trainCSV),
		"permuted": mustCSV(t, "kind,size,colour,b,a\nyes,1,red,2,1\nno,2,blue,4,?\nyes,10,?,8,3\nno,2,red,1,5\n"),
		"extra column, letter case, byte order mark": mustCSV(t,
			"\ufeffA,b,extra,Colour,size,kind\n1,2,x,red,1,yes\n?,4,y,blue,2,no\n3,8,?,?,10,yes\n5,1,x,red,2,no\n"),
		"ARFF with other categories and order": mustARFF(t, "@relation r\n@attribute a real\n@attribute b integer\n"+
			"@attribute colour {red,green,blue}\n@attribute size {1,2,10}\n@attribute kind {yes,no}\n"+rowsARFF),
		"Parquet": inParquet,
	}
	for _, scaling := range []string{NoScaling, StandardScaling, QuantileScaling} {
		for _, o := range []EncodeOptions{{}, {Ordinal: true, Rows: []int{0, 1, 2}}, {Target: "size"}} {
			e, want := fitted(t, o, scaling)
			for name, table := range tables {
				got, m := apply(t, e, table)
				if !mat.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !m.HasTarget ||
					!cmp.Equal(got.Features, want.Features) {
					t.Errorf("%s, %s, %+v: %v\nwant %v", name, scaling, o, mat.Formatted(got.X), mat.Formatted(want.X))
				}
			}
		}
	}
}

// TestEncoderOneRow checks that a row without a target is encoded the same alone as within the training table.
func TestEncoderOneRow(t *testing.T) {
	e, want := fitted(t, EncodeOptions{}, StandardScaling)
	lines := strings.Split(strings.TrimSpace(trainCSV), "\n")
	for i, line := range lines[1:] {
		line = line[:strings.LastIndex(line, ",")]
		got, m := apply(t, e, mustCSV(t, "a,b,colour,size\n"+line+"\n"))
		if !mat.Equal(got.X, want.X.Slice(i, i+1, 0, len(want.Features))) || got.Y != nil || m.HasTarget {
			t.Errorf("row %d: %v, want %v", i, got.X.RawRowView(0), want.X.RawRowView(i))
		}
	}
}

// TestEncoderMatch checks that Match counts what does not fit the encoder, and that Notes describes it.
func TestEncoderMatch(t *testing.T) {
	e, _ := fitted(t, EncodeOptions{Target: "kind", Ignore: []string{"size"}}, NoScaling)
	got, m := apply(t, e, mustCSV(t,
		"a,B,colour,size,id,kind\n1,?,pink,1,7,yes\n?,?,grey,1,8,?\n2,3,?,1,9,maybe\n2,3,pink,1,9,no\n"))
	wantNear(t, "X", got.X, [][]float64{{1, 3.75, 0, 0}, {3, 3.75, 0, 0}, {2, 3, 0, 1}, {2, 3, 0, 0}})
	want := Match{Extra: []string{"id"}, OtherCase: []string{"b"}, HasTarget: true,
		Missing:    []CellCount{{Column: "a", Rows: 1}, {Column: "b", Rows: 2}, {Column: "colour", Rows: 1}},
		Unknown:    []CellCount{{Column: "colour", Rows: 3, Names: []string{"pink", "grey"}}},
		Unlabelled: 1, UnknownTargets: CellCount{Column: "kind", Rows: 1, Names: []string{"maybe"}, First: 2}}
	if d := cmp.Diff(want, m); d != "" {
		t.Error(d)
	}
	if got.Y[0] != 1 || got.Y[1] == got.Y[1] || got.Y[2] == got.Y[2] || got.Y[3] != 0 {
		t.Errorf("targets %v", got.Y)
	}
	notes := strings.Join(m.Notes(), "\n")
	for _, want := range []string{"ignored: id", "letter case: b", "a 1, b 2, colour 1", "colour 3 (pink, grey)",
		"not scored: 1", "kind 1 (maybe)", "count as none of"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	m.Ordinal = true
	if notes := strings.Join(m.Notes(), "\n"); !strings.Contains(notes, "count as the most frequent one") {
		t.Errorf("ordinal categories: %s", notes)
	}
}

func TestEncoderRefuses(t *testing.T) {
	e, _ := fitted(t, EncodeOptions{}, NoScaling)
	for text, want := range map[string]string{
		"a,kind\n1,yes\n":                         "b, colour, size",
		"a,b,colour,Size,SIZE\n1,2,red,1,2\n":     "no column size",
		"a,b,colour,size\n1,2,red,1\n1,x,red,1\n": `"x" in row 2`,
	} {
		_, _, err := e.Encode(mustCSV(t, text))
		if wantFormatError(t, err); !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestCategoriesByValue checks that a number is matched to a category of the same value, unless several categories have
// that value.
func TestCategoriesByValue(t *testing.T) {
	c := Column{Values: []float64{1, 2, 3, 7}}
	codes, unknown := c.codesAmong([]string{"01", "2", "2.0", "3.0", "03"})
	if !slices.Equal(codes, []int32{0, 1, noCode, noCode}) || unknown.Rows != 2 {
		t.Errorf("%v %+v", codes, unknown)
	}
}

// TestEncoderJSON checks that an encoder that was saved and read again encodes a table to the same numbers.
func TestEncoderJSON(t *testing.T) {
	for _, scaling := range []string{NoScaling, StandardScaling, QuantileScaling} {
		for _, target := range []string{"kind", "b"} {
			e, want := fitted(t, EncodeOptions{Target: target, Rows: []int{0, 1, 3}}, scaling)
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			again, err := ParseEncoder(text)
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			got, _ := apply(t, again, mustCSV(t, trainCSV))
			if !mat.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || again.Scaling() != scaling {
				t.Errorf("%s, %s: other numbers", scaling, target)
			}
			if again.Target.Restore(got.Y); target == "b" && !near(got.Y[2], 8) {
				t.Errorf("%v in the target's own unit", got.Y)
			}
		}
	}
}

func TestEncoderText(t *testing.T) {
	e, err := NewEncoder(mustARFF(t, "@relation r\n@attribute caf\xe9 real\n@attribute y real\n@data\n1,2\n"), EncodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantFormatError(t, e.CheckText())
}

// FuzzEncoder checks that any text gives an error or an encoder that can encode a table.
func FuzzEncoder(f *testing.F) {
	for _, scaling := range []string{NoScaling, StandardScaling, QuantileScaling} {
		e, _ := fitted(f, EncodeOptions{}, scaling)
		text, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, hostile := range []string{
		`{}`, `{"columns":[{"name":"a","kind":"text"}]}`, `{"columns":[{"name":"a","kind":"numeric","mode":3}]}`,
		`{"columns":[{"name":"a","kind":"nominal","mode":-2,"categories":["x"]}]}`, `{"later":1}`,
		`{"columns":[{"name":"a","kind":"numeric","mode":-1},{"name":"a","kind":"numeric","mode":-1}]}`,
		`{"columns":[{"name":"a","kind":"numeric","mode":-1}],"standard":{"mean":[1],"scale":[0]}}`,
		`{"columns":[{"name":"a","kind":"numeric","mode":-1}],"quantile":{"levels":[0,0,1],"quantiles":[[1,1,1]]}}`,
		`{"columns":[{"name":"a","kind":"numeric","mode":-1}],"quantile":{"levels":[],"quantiles":[[]]}}`,
		`{"columns":[{"name":"a","kind":"numeric","mode":-1}],"target":{"name":"a"}}`,
		`{"columns":[{"name":"a","kind":"numeric","mode":-1}],"target":{"name":"y"}} more`,
	} {
		if _, err := ParseEncoder([]byte(hostile)); err == nil {
			f.Errorf("%s is an encoder", hostile)
		}
		f.Add(hostile)
	}
	table := mustCSV(f, trainCSV)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseEncoder([]byte(text))
		if err != nil {
			return
		}
		s, _, err := e.Encode(table)
		if err != nil {
			wantFormatError(t, err)
			return
		}
		e.Scale(s)
		e.Target.Restore(s.Y)
	})
}
