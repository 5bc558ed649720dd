package table

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
)

const gapsCSV = "size,colour,id,y\n1,red,7,a\n?,blue,8,b\n3,?,9,a\n10,blue,?,b\n"

func TestEncode(t *testing.T) {
	s, c := mustEncode(t, mustCSV(t, gapsCSV), EncodeOptions{Ignore: []string{"id"}})
	checkSet(t, s)
	wantNear(t, "X", s.X, [][]float64{
		{1, 0, 1},
		{14. / 3, 1, 0},
		{3, 1, 0},
		{10, 1, 0},
	})
	if d := cmp.Diff([]string{"size", "colour=blue", "colour=red"}, s.Features); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"a", "b"}, s.Classes); d != "" || !cmp.Equal(s.Y, []float64{0, 1, 0, 1}) ||
		s.Target != "y" {
		t.Errorf("%s %v %s", d, s.Y, s.Target)
	}
	want := Conventions{
		Target: "y", Task: Classification, Encoding: OneHot, Columns: 2, Features: 3, Dropped: []string{"id"},
		Imputed: 2, FittedRows: 4, Numeric: []int{0},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
	text, err := json.Marshal(c)
	if err != nil ||
		string(text) !=
			`{"target":"y","task":"classification","encoding":"one-hot","columns":2,"features":3,`+
				`"dropped":["id"],"imputed":2,"fitted_rows":4}` {
		t.Errorf("%s, %v", text, err)
	}
}

// TestEncodeFitsTrainingRows checks that only training rows determine the values that replace missing ones.
func TestEncodeFitsTrainingRows(t *testing.T) {
	o := EncodeOptions{Rows: []int{0, 2}, Ordinal: true, Target: "y"}
	s, c := mustEncode(t, mustCSV(t, gapsCSV), o)
	wantNear(t, "X", s.X, [][]float64{{1, 1, 7}, {2, 0, 8}, {3, 1, 9}, {10, 0, 8}})
	if c.FittedRows != 2 || c.Imputed != 3 || c.Encoding != Ordinal || c.Features != 3 {
		t.Errorf("%+v", c)
	}
	other, _ := mustEncode(t, mustCSV(t, strings.Replace(gapsCSV, "\n10,blue", "\n99,red", 1)), o)
	if !mat.Equal(s.X.Slice(0, 3, 0, 3), other.X.Slice(0, 3, 0, 3)) {
		t.Error("a test row changed a training row")
	}
	none, _ := mustEncode(t, mustCSV(t, gapsCSV), EncodeOptions{Rows: []int{1}, Ignore: []string{"colour", "id"}})
	if none.X.At(1, 0) != 0 {
		t.Errorf("%v for a mean of nothing", none.X.At(1, 0))
	}
	third, _ := mustEncode(t, mustCSV(t, gapsCSV), EncodeOptions{Rows: []int{2}, Ignore: []string{"size", "id"}})
	wantNear(t, "X", third.X, [][]float64{{0, 1}, {1, 0}, {0, 0}, {1, 0}})
}

func TestEncodeTargets(t *testing.T) {
	table := mustCSV(t, "x,y\n1,3\n2,-1\n3,3\n4,-0\n")
	s, c := mustEncode(t, table, EncodeOptions{})
	if c.Task != Regression || s.Classes != nil || !cmp.Equal(s.Y, []float64{3, -1, 3, 0}) {
		t.Errorf("%+v %v", c, s.Y)
	}
	s, c = mustEncode(t, table, EncodeOptions{Classify: true})
	if c.Task != Classification || !cmp.Equal(s.Classes, []string{"-1", "0", "3"}) ||
		!cmp.Equal(s.Y, []float64{2, 0, 2, 1}) {
		t.Errorf("%+v %v %v", c, s.Y, s.Classes)
	}
	s, _ = mustEncode(t, table, EncodeOptions{Target: "x"})
	if s.Target != "x" || !cmp.Equal(s.Features, []string{"y"}) {
		t.Errorf("%+v", s)
	}
	wine := mustARFF(t, "@relation w\n@attribute CLASS {1,2}\n@attribute x real\n@data\n1,2\n")
	if s, _ = mustEncode(t, wine, EncodeOptions{}); s.Target != "CLASS" {
		t.Errorf("target %s", s.Target)
	}
	big := mustCSV(t, "x,y\n1,1e308\n2,1e308\n?,1\n")
	big.Columns[0].Values = []float64{math.MaxFloat64, math.MaxFloat64, 0}
	s, _ = mustEncode(t, big, EncodeOptions{})
	checkSet(t, s)
}

func TestEncodeErrors(t *testing.T) {
	table := mustCSV(t, gapsCSV)
	many := &Table{Name: "many", Rows: 1001, Columns: []Column{{Name: "y", Values: make([]float64, 1001)},
		{Name: "x", Values: make([]float64, 1001)}}}
	for i := range many.Columns[0].Values {
		many.Columns[0].Values[i] = float64(i)
	}
	wide := &Table{Name: "wide", Rows: 1 << 14,
		Columns: []Column{{Name: "x", Kind: Nominal, Codes: make([]int32, 1<<14)},
			{Name: "y", Values: make([]float64, 1<<14)}}}
	for i := range 1<<13 + 1 {
		wide.Columns[0].Categories = append(wide.Columns[0].Categories, fmt.Sprint(i))
	}
	for name, c := range map[string]struct {
		table *Table
		o     EncodeOptions
	}{
		"no such target":   {table, EncodeOptions{Target: "z"}},
		"missing target":   {table, EncodeOptions{Target: "size"}},
		"no such column":   {table, EncodeOptions{Ignore: []string{"z"}}},
		"target dropped":   {table, EncodeOptions{Ignore: []string{"y"}}},
		"row after last":   {table, EncodeOptions{Rows: []int{4}}},
		"row before first": {table, EncodeOptions{Rows: []int{-1}}},
		"no rows to fit":   {table, EncodeOptions{Rows: []int{}}},
		"empty":            {&Table{}, EncodeOptions{}},
		"no features":      {mustCSV(t, "y\n1\n"), EncodeOptions{}},
		"not integers":     {mustCSV(t, "x,y\n1,1.5\n"), EncodeOptions{Classify: true}},
		"too many classes": {many, EncodeOptions{Classify: true, Target: "y"}},
		"too wide":         {wide, EncodeOptions{}},
	} {
		s, _, err := c.table.Encode(c.o)
		if s != nil {
			t.Errorf("%s: a set", name)
		}
		wantFormatError(t, err)
	}
}

// TestEncodeAgainstScikitLearn compares the encoded real files that have missing values with scikit-learn's imputation
// and encoding, where every third row is for training.
func TestEncodeAgainstScikitLearn(t *testing.T) {
	var want struct {
		Encoded map[string]struct {
			Features    int
			Means, Last []float64
		}
	}
	readJSON(t, "testdata/tables.json", &want)
	if len(want.Encoded) != 4 {
		t.Fatalf("%d tables", len(want.Encoded))
	}
	for name, w := range want.Encoded {
		t.Run(name, func(t *testing.T) {
			table, err := Open(realFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			var training []int
			for i := 0; i < table.Rows; i += 3 {
				training = append(training, i)
			}
			s, c := mustEncode(t, table, EncodeOptions{Rows: training})
			means := make([]float64, c.Features)
			for j := range means {
				means[j] = mat.Sum(s.X.ColView(j)) / float64(table.Rows)
			}
			wantNear(t, "means", matrixOf([][]float64{means}), [][]float64{w.Means})
			wantNear(t, "last row", matrixOf([][]float64{s.X.RawRowView(table.Rows - 1)}), [][]float64{w.Last})
		})
	}
}
