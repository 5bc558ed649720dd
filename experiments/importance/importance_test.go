package importance

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// TestColumns checks that the shares of all categories of a column are added up, and that the spread is the standard
// deviation over refits.
func TestColumns(t *testing.T) {
	columns := []string{"age", "kind", "kind", "pay"}
	all := Columns(columns, []float64{.1, .3, .2, .4}, []float64{.1, .2, .2, .5}, []float64{.3, .4, 0, .3})
	if all[0].Name != "kind" || math.Abs(all[0].Share-.5) > 1e-15 || all[1].Name != "pay" || all[2].Name != "age" {
		t.Fatalf("%+v", all)
	}
	for i, want := range []float64{0, math.Sqrt(.02), math.Sqrt(.02)} {
		if got := *all[i].Spread; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: a spread of %v, want %v", all[i].Name, got, want)
		}
	}
	if all := Columns(columns, []float64{.1, .3, .2, .4}); all[0].Spread != nil {
		t.Error("a spread without refits")
	}
	text := new(strings.Builder)
	if err := Table(all).WriteText(text); err != nil || !strings.Contains(text.String(), "spread") {
		t.Errorf("%v: %s", err, text)
	}
}

// M = 3vvᵀ + wwᵀ has the directions v and w, with shares of ¾ and ¼.
func TestDirections(t *testing.T) {
	v, w := mat.NewVecDense(3, []float64{-.6, .8, 0}), mat.NewVecDense(3, []float64{0, 0, 1})
	m := mat.NewSymDense(3, nil)
	m.SymRankOne(m, 3, v)
	m.SymRankOne(m, 1, w)
	all, err := Directions(rfm.FullMetric(m), []string{"a", "b", "c"})
	if err != nil || len(all) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if got := all[0].String(); got != "+0.80 b −0.60 a" || math.Abs(all[0].Share-.75) > 1e-12 {
		t.Errorf("%q, %v", got, all[0].Share)
	}
	if got := all[1].String(); got != "+1.00 c" || math.Abs(all[1].Share-.25) > 1e-12 {
		t.Errorf("%q, %v", got, all[1].Share)
	}
	if got := (Direction{Loadings: []Loading{{"a", .03}, {"b", .03}}}).String(); got != "+0.03 a" {
		t.Errorf("many small loadings: %q", got)
	}
	if all, err := Directions(rfm.Identity(3), nil); err != nil || all != nil {
		t.Errorf("%v, %v for a diagonal M", all, err)
	}
}
