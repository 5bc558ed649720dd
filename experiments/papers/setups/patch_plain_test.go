package setups

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// With M = I in all layers, the responses of a machine in its second layer are the norms of patches of random features.
// Here they are computed in another way: each channel is the response of one filter, with negative values set to 0.
// They differ from the responses of the machine that learned, with M = I in the second layer alone.
func TestPlainResponses(t *testing.T) {
	in := study.Setting{Seed: 5}
	task := PatchTask{Name: "digits", Data: "glyphs", Size: 9, Train: 30, Validation: 10, Test: 10}
	e, err := task.Open(t.Context(), in, &study.Outcome{})
	if err != nil {
		t.Fatal(err)
	}
	const filters = 6
	f, err := PatchMachineSpec{Kernel: "cntk", Depth: 2, Patch: 3, Iterations: 1, Layers: 2, Filters: filters,
		Ridges: []float64{1e-3}}.Fit(t.Context(), in, e)
	if err != nil {
		t.Fatal(err)
	}
	x := e.FirstTest(1)
	s, err := e.machineResponses(t.Context(), in, f, 1, x)
	if err != nil {
		t.Fatal(err)
	}
	w := f.plain.Layers()[0].Filters
	features := make([][]float64, filters) // of 7×7 positions
	for k := range features {
		for i := range 49 {
			sum := 0.
			for j := range 9 {
				sum += w.At(k, j) * float64(x.Pixels[(i/7+j/3)*9+i%7+j%3])
			}
			features[k] = append(features[k], max(sum, 0))
		}
	}
	for at, got := range s.plain[0].Values { // 5×5
		squares := 0.
		for _, v := range features {
			for j := range 9 {
				squares += v[(at/5+j/3)*7+at%5+j%3] * v[(at/5+j/3)*7+at%5+j%3]
			}
		}
		// The features may differ by a constant factor, which does not change a correlation.
		if ratio := got / math.Sqrt(squares); math.Abs(ratio-s.plain[0].Values[0]/plainNorm(features)) > 1e-4 {
			t.Fatalf("position %d: %v, want in proportion to %v", at, got, math.Sqrt(squares))
		}
	}
	if f.Best[0].Index == 0 {
		t.Fatal("no features were learned: take another seed")
	}
	if same, err := CorrelateResponses(s.plain, s.Patches); err != nil || same > .9999 {
		t.Errorf("both controls are one: %v, %v", same, err)
	}
	first, err := e.machineResponses(t.Context(), in, f, 0, x)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := CorrelateResponses(first.plain, first.Patches); err != nil || math.Abs(same-1) > 1e-9 {
		t.Errorf("in the first layer the controls differ: %v, %v", same, err)
	}
}

// plainNorm returns the norm of the first patch of features of 7×7 positions.
func plainNorm(features [][]float64) float64 {
	squares := 0.
	for _, v := range features {
		for j := range 9 {
			squares += v[j/3*7+j%3] * v[j/3*7+j%3]
		}
	}
	return math.Sqrt(squares)
}
