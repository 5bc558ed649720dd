package rfm

import (
	"errors"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// assemble returns a kernel matrix from its parts, which it computes in reverse order.
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

// A kernel matrix that is computed in parts equals, to the bit, the matrix of a model that has not learned features.
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

// A fit that is given its first kernel matrix is the same to the bit. Check refuses a matrix with a wrong entry, and
// Fit and Check refuse one of fewer images.
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

// assembleCross returns the kernel matrix of points with training images from its parts.
func assembleCross(t *testing.T, p *KernelParts, each int) *mat.Dense {
	t.Helper()
	rows, columns := p.Dims()
	out := mat.NewDense(rows, columns, nil)
	for from := 0; from < p.Columns(); from += each {
		to := min(from+each, p.Columns())
		part, err := p.Compute(t.Context(), from, to, nil)
		if err != nil {
			t.Fatal(err)
		}
		first, last := p.Images(from, to)
		out.Slice(0, rows, first, last).(*mat.Dense).Copy(part)
	}
	return out
}

// The kernel matrix of points with training images, computed in parts, equals to the bit the matrix with which a model
// without features predicts, for any number of points at a time.
func TestCrossKernelParts(t *testing.T) {
	all := randomImages(1, 610, 6, 5, 1)
	x, points := all.Slice(0, 70), all.Slice(70, 610)
	for _, m := range []ConvMachine{
		{Kernel: CNTK{Layers: 2}, Threads: 2}, {Kernel: PatchLaplace{}, Whole: true, Precision: graph.Double,
			Threads: 1},
	} {
		model, err := m.Fit(t.Context(), ImageExamples{x, mat.NewDense(70, 2, nil)})
		if err != nil {
			t.Fatal(err)
		}
		model.alpha = mat.NewDense(70, 70, nil) // with these coefficients Predict returns the kernel matrix
		for i := range 70 {
			model.alpha.Set(i, i, 1)
		}
		for _, batch := range []int{0, 530} {
			want, at := mat.NewDense(540, 70, nil), 0
			for _, n := range map[int][]int{0: {540}, 530: {530, 10}}[batch] {
				k, err := model.Predict(t.Context(), points.Slice(at, at+n))
				if err != nil {
					t.Fatal(err)
				}
				want.Slice(at, at+n, 0, 70).(*mat.Dense).Copy(k)
				at += n
			}
			p, err := m.CrossKernelParts(points, x, batch)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range []int{1, 2, p.Columns()} {
				got := assembleCross(t, p, each)
				if err := p.Check(t.Context(), got); err != nil || !mat.Equal(got, want) {
					t.Errorf("%v, %d at a time, in parts of %d columns: other bits, %v", m.Kernel, batch, each, err)
				}
				if out, err := model.PredictFrom(got); err != nil || !mat.Equal(out, want) {
					t.Errorf("%v: other predictions from the matrix, %v", m.Kernel, err)
				}
			}
		}
		if _, err := model.PredictFrom(mat.NewDense(2, 69, nil)); err == nil {
			t.Error("a matrix of fewer training images is taken")
		}
	}
}

// A fit that is given the kernel matrix of the validation images has the same scores. Check refuses a matrix with a
// wrong entry, and Fit and Check refuse one of fewer images.
func TestKnownValidation(t *testing.T) {
	all := randomImages(1, 90, 6, 5, 1)
	y := mat.NewDense(90, 2, nil)
	for i := range 90 {
		y.Set(i, i%2, 1)
	}
	e := ImageExamples{all.Slice(0, 70), y.Slice(0, 70, 0, 2).(*mat.Dense)}
	v := ImageExamples{all.Slice(70, 90), y.Slice(70, 90, 0, 2).(*mat.Dense)}
	m := ConvMachine{Kernel: CNTK{Layers: 2}, Ridges: []float64{1e-3, 1e-1}, Iterations: 1, KernelScale: true, Threads: 1,
		Validation: &v, Task: Classification}
	p, err := m.CrossKernelParts(v.X, e.X, 0)
	if err != nil {
		t.Fatal(err)
	}
	var errs [2][]float64
	for k := range errs {
		m := m
		m.Each = func(it *ConvIteration) error {
			errs[k] = append(errs[k], it.Validation.MSE)
			return nil
		}
		if k == 1 {
			m.KnownValidation = assembleCross(t, p, 1)
			m.Progress = func(p ConvProgress) {
				if p.Stage == "validation" && p.Iteration == 0 {
					t.Error("the first kernel of the validation images was computed")
				}
			}
		}
		if _, err := m.Fit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(errs[0], errs[1]) {
		t.Errorf("mean squared errors %v and %v", errs[0], errs[1])
	}
	k := assembleCross(t, p, 1)
	for _, at := range [][2]int{{19, 3}, {3, 69}} { // of the last validation image, and of the last training image
		other := mat.DenseCopyOf(k)
		other.Set(at[0], at[1], 1.01*k.At(at[0], at[1]))
		if err := p.Check(t.Context(), other); err == nil {
			t.Errorf("a matrix with another entry %v is taken", at)
		}
	}
	m.KnownValidation = mat.NewDense(19, 70, nil)
	if _, err := m.Fit(t.Context(), e); err == nil || p.Check(t.Context(), m.KnownValidation) == nil {
		t.Error("a matrix of fewer validation images is taken")
	}
	if _, err := m.CrossKernelParts(randomImages(1, 3, 5, 6, 1), e.X, 0); err == nil {
		t.Error("images of another shape are taken")
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
