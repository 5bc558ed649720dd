package ntkpaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// The kernel of a network that does not learn does not change. The control is the similarity with the kernel of other
// weights, and so it is below 1.
func TestKernelPath(t *testing.T) {
	s := &KernelChangeSpec{Arch: "lenet", Data: "glyphs", Train: 20, Test: 10, Probes: 6, Records: 2,
		Widths: []float64{.2}, Epochs: 1, Batch: 10, Descent: DescentSpec{Rate: 1e-12}}
	o, err := s.Run(t.Context(), study.Setting{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v := o.Value(anotherCosineFirst); !(o.Value(changeFirst) < 1e-6) || !(v > 0 && v < .9999) {
		t.Errorf("%v", o.Values)
	}
	if !math.IsNaN(o.Value(changeFalls)) || !math.IsNaN(o.Value(cosineRises)) {
		t.Errorf("one width falls by %v and rises by %v: want nothing to compare", o.Value(changeFalls), o.Value(cosineRises))
	}
}

// The steps rise from the first to the last, with equal spaces between their logarithms where there is room.
func TestLogSteps(t *testing.T) {
	if got := logSteps(1000, 4); !slices.Equal(got, []int{1, 10, 100, 1000}) {
		t.Errorf("%v", got)
	}
	if got := logSteps(3, 9); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("%v", got)
	}
}

// The alignment of a kernel with labels is 1 if the kernel is that of the labels. In general it is Pearson's
// correlation of the doubly centred matrices, here from the definition tr(HKHY)/√(tr(HKHK)·tr(HYHY)).
func TestAlignLabels(t *testing.T) {
	labels := []int{0, 0, 1, 1, 2, 2, 0, 1}
	n := len(labels)
	kernel, same, h := mat.NewSymDense(n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			h.Set(i, j, -1/float64(n))
			if labels[i] == labels[j] {
				same.Set(i, j, 1)
			}
			if j >= i {
				kernel.SetSym(i, j, same.At(i, j)*3)
			}
		}
		h.Set(i, i, 1-1/float64(n))
	}
	var p pathPoint
	if err := p.alignLabels(kernel, labels, models.Stream(1, "test")); err != nil {
		t.Fatal(err)
	}
	if math.Abs(p.Labels-1) > 1e-12 || !(p.Null < .5) || !(p.NullSD > 0) {
		t.Errorf("the kernel of the labels: %+v", p)
	}
	rng := models.Stream(1, "kernel")
	for i := range n {
		for j := range i + 1 {
			kernel.SetSym(i, j, kernel.At(i, j)+rng.NormFloat64())
		}
	}
	if err := p.alignLabels(kernel, labels, models.Stream(1, "test")); err != nil {
		t.Fatal(err)
	}
	product := func(a, b mat.Matrix) float64 {
		var all mat.Dense
		all.Product(h, a, h, b)
		return mat.Trace(&all)
	}
	if want := product(kernel, same) / math.Sqrt(product(kernel, kernel)*product(same, same)); math.Abs(p.Labels-want) > 1e-12 {
		t.Errorf("the alignment is %v, want %v", p.Labels, want)
	}
}
