package table

import (
	"encoding/json"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestBlockScaling checks that with BlockScaling the mean squared distance of two rows is the same in the features of a
// categorical column as in a numeric column, even if a category is rare. Numeric columns are scaled as by
// StandardScaling.
func TestBlockScaling(t *testing.T) {
	table := &Table{Name: "t", Rows: 40, Columns: []Column{
		{Name: "a", Kind: Numeric, Values: make([]float64, 40)},
		{Name: "colour", Kind: Nominal, Categories: []string{"red", "green", "blue"}, Codes: make([]int32, 40)},
		{Name: "same", Kind: Nominal, Categories: []string{"only"}, Codes: make([]int32, 40)},
		{Name: "y", Kind: Numeric, Values: make([]float64, 40)},
	}}
	for i := range 40 {
		table.Columns[0].Values[i] = float64(i * i % 17)
		if i%3 == 0 {
			table.Columns[1].Codes[i] = 1
		}
		table.Columns[3].Values[i] = float64(i)
	}
	table.Columns[1].Codes[5] = 2 // a rare category
	encode := func(scaling string) (*Encoder, *Set) {
		e, err := NewEncoder(table, EncodeOptions{Target: "y"})
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := e.Encode(table)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.FitScaling(scaling, s, nil); err != nil {
			t.Fatal(err)
		}
		e.Scale(s)
		return e, s
	}
	e, s := encode(BlockScaling)
	standard, plain := encode(StandardScaling)
	meanSquare := func(x *mat.Dense, from, to int) float64 {
		sum := 0.
		for i := range 40 {
			for j := range 40 {
				for k := from; k < to; k++ {
					d := x.At(i, k) - x.At(j, k)
					sum += d * d / 1600
				}
			}
		}
		return sum
	}
	for name, got := range map[string]float64{"numeric": meanSquare(s.X, 0, 1), "blocks": meanSquare(s.X, 1, 4)} {
		if math.Abs(got-2) > 1e-9 {
			t.Errorf("%s: rows differ by %v in the mean square, want 2", name, got)
		}
	}
	if got := meanSquare(plain.X, 1, 4); math.Abs(got-6) > 1e-9 {
		t.Errorf("standard: rows differ by %v in the mean square of three features", got)
	}
	for i := range 40 {
		if s.X.At(i, 0) != plain.X.At(i, 0) || s.X.At(i, 4) != 0 {
			t.Fatalf("row %d is %v, with the standard scaling %v", i, s.X.RawRowView(i), plain.X.RawRowView(i))
		}
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseEncoder(text)
	if err != nil || back.Scaling() != BlockScaling || standard.Scaling() != StandardScaling || !e.HasCategories() {
		t.Errorf("%v, %v", back, err)
	}
	if _, err := ParseEncoder([]byte(`{"columns":[{"name":"a","kind":"numeric"}],"target":{"name":"y"},"blocks":true}`)); err == nil {
		t.Error("blocks without a scaling are taken")
	}
}
