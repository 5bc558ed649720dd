package rfm

import (
	"errors"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// assemble puts parts together, the last first.
func assemble(t *testing.T, p *KernelParts, n, each int) *mat.SymDense {
	t.Helper()
	out := mat.NewSymDense(n, nil)
	for from := (p.Columns() - 1) / each * each; from >= 0; from -= each {
		to := min(from+each, p.Columns())
		part, err := p.Compute(t.Context(), from, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		first, last := p.Images(from, to)
		for j := first; j < last; j++ {
			for i := range j + 1 {
				out.SetSym(i, j, part.At(i, j-first))
			}
		}
	}
	return out
}

// Parts of a kernel matrix are the matrix that a model has before it learned
// features, to the bit.
func TestKernelParts(t *testing.T) {
	all := randomImages(1, 150, 6, 5, 1)
	for _, m := range []ConvMachine{
		{Kernel: CNTK{Layers: 2}, Threads: 2}, {Kernel: PatchLaplace{}, Whole: true, Precision: graph.Double,
			Threads: 1},
	} {
		for _, n := range []int{1, 37, 150} {
			x := all.Slice(0, n)
			y := mat.NewDense(n, 2, nil)
			model, err := m.Fit(t.Context(), ImageExamples{x, y})
			if err != nil {
				t.Fatal(err)
			}
			want, err := model.KernelMatrix(t.Context(), x)
			if err != nil {
				t.Fatal(err)
			}
			p, err := m.KernelParts(x)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range []int{1, 2, p.Columns()} {
				if !mat.Equal(assemble(t, p, n, each), want) {
					t.Errorf("%v of %d images in parts of %d columns: other bits", m.Kernel, n, each)
				}
			}
		}
	}
}

// A fit that is given its first kernel is the same to the bit; another kernel is
// refused.
func TestKnownKernel(t *testing.T) {
	x := randomImages(1, 70, 6, 5, 1)
	y := mat.NewDense(70, 2, nil)
	for i := range 70 {
		y.Set(i, i%2, 1)
	}
	m := ConvMachine{Kernel: CNTK{Layers: 2}, Ridges: []float64{1e-3}, Iterations: 1, KernelScale: true, Threads: 1}
	p, err := m.KernelParts(x)
	if err != nil {
		t.Fatal(err)
	}
	k := assemble(t, p, 70, 1)
	if err := p.Check(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	want, err := m.Fit(t.Context(), ImageExamples{x, y})
	if err != nil {
		t.Fatal(err)
	}
	stages := map[string]int{}
	known := m
	known.Known, known.Progress = k, func(p ConvProgress) {
		if p.Stage == "kernel" {
			stages[p.Stage] = max(stages[p.Stage], p.Iteration+1)
		}
		if p.Stage == "kernel" && p.Iteration == 0 {
			t.Error("the first kernel was computed")
		}
	}
	got, err := known.Fit(t.Context(), ImageExamples{x, y})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(got.Coefficients(), want.Coefficients()) || stages["kernel"] != 2 {
		t.Errorf("other coefficients, kernels computed up to iteration %d", stages["kernel"]-1)
	}
	k.SetSym(3, 69, k.At(3, 69)*1.01)
	if err := p.Check(t.Context(), k); err == nil {
		t.Error("another kernel is taken")
	}
	known.Known = mat.NewSymDense(69, nil)
	if _, err := known.Fit(t.Context(), ImageExamples{x, y}); err == nil || p.Check(t.Context(), known.Known) == nil {
		t.Error("a kernel of fewer images is taken")
	}
}

func TestKernelPartsSizes(t *testing.T) {
	x := randomImages(1, 150, 6, 5, 1)
	m := ConvMachine{Kernel: CNTK{Layers: 2}, Memory: 1}
	p, err := m.KernelParts(x)
	if err != nil {
		t.Fatal(err)
	}
	if _, last := p.Images(0, p.Columns()); last != 150 || p.Columns() < 2 {
		t.Errorf("%d columns of %d images", p.Columns(), last)
	}
	tiles := 0
	for c := range p.Columns() {
		tiles += p.Tiles(c, c+1)
	}
	if all := p.Tiles(0, p.Columns()); all != tiles || tiles < p.Columns() {
		t.Errorf("%d tiles, in columns %d", all, tiles)
	}
	var memory *MemoryError
	if _, err := p.Compute(t.Context(), 0, 1, nil); !errors.As(err, &memory) ||
		p.Bytes(0, 1) >= p.Bytes(0, p.Columns()) {
		t.Errorf("%v, %d bytes, %d in all", err, p.Bytes(0, 1), p.Bytes(0, p.Columns()))
	}
	for _, c := range [][2]int{{-1, 1}, {1, 1}, {0, p.Columns() + 1}} {
		if _, err := p.Compute(t.Context(), c[0], c[1], nil); err == nil {
			t.Errorf("columns %v were computed", c)
		}
	}
	for name, m := range map[string]ConvMachine{"kernel": {Kernel: CNTK{}}, "patch": {Patch: 7}} {
		if _, err := m.KernelParts(x); err == nil {
			t.Errorf("a bad %s is taken", name)
		}
	}
	if _, err := m.KernelParts(Images{}); err == nil {
		t.Error("no images are taken")
	}
}
