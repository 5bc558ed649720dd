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
		{Kernel: CNTK{Layers: 2}, Threads: 2}, {Kernel: PatchLaplace{}, Whole: true, Precision: graph.Double, Threads: 1},
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
	if _, err := p.Compute(t.Context(), 0, 1, nil); !errors.As(err, &memory) || p.Bytes(0, 1) >= p.Bytes(0, p.Columns()) {
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
