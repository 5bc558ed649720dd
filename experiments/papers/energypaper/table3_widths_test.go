package energypaper

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The correlations at a width are those of filters that take the steps one by one.
func TestWidthCurve(t *testing.T) {
	s := &LinearTableSpec{Data: "glyphs", Images: 10, Patch: 2, Width: 3, Widths: []int{3, 6}, Splits: 3,
		Samples: []float64{1, .3}, Rate: .1, Batch: 10, Epochs: 5, Checked: 4, CheckedSteps: 3, SGDRate: 1}
	in := study.Setting{Seed: 2}
	set, err := s.openPair(in, linearPairs()[0])
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.newLearnedPair(t.Context(), in, set)
	if err != nil {
		t.Fatal(err)
	}
	k, err := patches.Averages(t.Context(), set, 2)
	if err != nil {
		t.Fatal(err)
	}
	const width = 6
	// Every step adds the same vector to all filters: they have the same gradient.
	stepped := func(y []float64, start *mat.Dense, steps int) []float64 {
		w := mat.DenseCopyOf(start)
		for range steps {
			mean := mat.NewVecDense(4, energy.MeanFilter(w))
			var residual, gradient mat.VecDense
			residual.MulVec(k, mean)
			residual.SubVec(&residual, mat.NewVecDense(len(y), y))
			gradient.MulVec(k.T(), &residual)
			for j := range width {
				for c := range 4 {
					w.Set(j, c, w.At(j, c)-s.Rate*2*gradient.AtVec(c)/float64(len(y)*width))
				}
			}
		}
		return l.energies(w)
	}
	var starts [3]*mat.Dense
	for i := range starts {
		if starts[i], err = l.initialFilters(width, i, in.Seed); err != nil {
			t.Fatal(err)
		}
	}
	got, err := l.measureWidth(width, in.Seed)
	if err != nil {
		t.Fatal(err)
	}
	steps := s.steps(set.Len())
	truth := stepped(l.truth, starts[0], steps)
	for name, c := range map[string]struct{ got, want float64 }{
		"random":  {got.random, stat.Correlation(truth, stepped(l.rand, starts[1], steps), nil)},
		"seeds":   {got.seeds, stat.Correlation(truth, stepped(l.truth, starts[2], steps), nil)},
		"initial": {got.initial, stat.Correlation(truth, l.energies(starts[0]), nil)},
		"as long": {stat.Correlation(got.sameTime, stepped(l.truth, starts[0], 2*steps), nil), 1}, // twice as wide
		"time":    {got.time, s.Rate * float64(steps) / width},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if len(got.byTime) != len(linearTimes()) || !(got.ceiling >= 0 && got.ceiling <= 1) {
		t.Errorf("%d times, a ceiling of %v", len(got.byTime), got.ceiling)
	}
	g := s.fullDescent(set.Len())
	m, err := l.measure(g)
	if err != nil {
		t.Fatal(err)
	}
	samples, err := l.sampleOptimum(g)
	if err != nil || len(samples) != 2 || math.Abs(samples[0].atPaper-m[linearOptimum]) > 1e-9 ||
		samples[0].atPaper == samples[1].atPaper {
		t.Errorf("samples %v, want %v first, %v", samples, m[linearOptimum], err)
	}
}
