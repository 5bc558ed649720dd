package tangent

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// The shares of the layers add up to 1, and do not depend on the form of the kernel or the number of threads. The
// traces of the layers add up to that of the kernel.
func TestNTKByLayer(t *testing.T) {
	s := smallKernel()
	s.Images, s.ByLayer, s.Precision = 12, true, 64
	full := runKernel(t, s)
	s.Threads = 1
	for _, form := range []kernels.Form{kernels.Trace, kernels.Diagonal} {
		s.Kernel = form.String()
		other := runKernel(t, s)
		for i, l := range full.Layers {
			if o := other.Layers[i]; l.Layer != o.Layer || math.Abs(l.PredictionShare-o.PredictionShare) > 1e-9 ||
				math.Abs(*l.LabelAlignment-*o.LabelAlignment) > 1e-9 {
				t.Errorf("beside the full kernel %+v, the %v kernel %+v", l, form, o)
			}
		}
	}
	parameters, shares, predictions := 0, 0., 0.
	for _, l := range full.Layers {
		parameters += l.Parameters
		shares += l.TraceShare
		predictions += l.PredictionShare
		if !(*l.NullSD > 0) || math.Abs(*l.LabelAlignment) > 1 {
			t.Errorf("%s: alignment %v, null ± %v", l.Layer, *l.LabelAlignment, *l.NullSD)
		}
	}
	if parameters != full.Parameters || math.Abs(shares-1) > 1e-9 || math.Abs(predictions-1) > 1e-9 {
		t.Errorf("%d parameters of %d, shares %v, of predictions %v: want 1", parameters, full.Parameters, shares, predictions)
	}
	s.Kernel, s.Threads = kernels.Full.String(), 2
	one := s
	one.Threads = 1
	if a, b := runKernel(t, s), runKernel(t, one); !reflect.DeepEqual(a.Layers, b.Layers) {
		t.Error("the layers depend on the number of threads")
	}
	if page, err := full.Page(); err != nil || len(page.Sections) != 2 {
		t.Errorf("a page without the layers (%v)", err)
	}
	// The traces of the layers' kernels add up to that of the trace kernel.
	m := newKernel(t, s)
	px, err := m.readPixels(t.Context(), 0, 12)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.measure(t.Context(), false, px, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.
	for _, l := range k.Layers {
		sum += mat.Trace(l)
	}
	if want := full.Diagonal.Mean * 12; math.Abs(sum-want) > 1e-9*want {
		t.Errorf("the traces of the layers add up to %v, want %v", sum, want)
	}
}

// A layer whose kernel is that of the classes has alignment 1 with them and predicts all labels. A layer with kernel 0
// has no alignment.
func TestLayerKernelOfClasses(t *testing.T) {
	labels := make([]int, 30)
	for i := range labels {
		labels[i] = i % 3
	}
	var r LayerKernelRecord
	k := mat.NewSymDense(30, sameClass(labels, nil, make([]float64, 900)))
	if err := r.compare(k, newHalves(labels, 3, 5), 5); err != nil {
		t.Fatal(err)
	}
	if math.Abs(*r.LabelAlignment-1) > 1e-12 || *r.Accuracy != 1 || *r.Null > .3 {
		t.Errorf("alignment %v, accuracy %v: want 1", *r.LabelAlignment, *r.Accuracy)
	}
	var dead LayerKernelRecord
	if err := dead.compare(mat.NewSymDense(30, nil), newHalves(labels, 3, 5), 5); err != nil || dead.LabelAlignment != nil {
		t.Errorf("a layer that does nothing has the alignment %v (%v)", dead.LabelAlignment, err)
	}
	// The units of a layer are dead at all images of the half that predicts: it has an alignment, and predicts nothing.
	h := newHalves(labels, 3, 5)
	blind := mat.NewSymDense(30, nil)
	for _, i := range h.to {
		blind.SetSym(i, i, 1)
	}
	if err := dead.compare(blind, h, 5); err != nil || dead.LabelAlignment == nil || dead.Accuracy != nil {
		t.Errorf("a layer that is 0 on one half: %+v (%v)", dead, err)
	}
}

// A kernel that is 0 between the halves of the images predicts nothing, and the shares of its layers are not defined.
func TestKernelThatPredictsNothing(t *testing.T) {
	s := smallKernel()
	s.ByLayer, s.Images = true, 12
	m, err := NewNTK(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, half := range [][]int{m.halves.from, m.halves.to} {
		k := mat.NewSymDense(12, nil)
		for _, i := range half {
			k.SetSym(i, i, 1)
		}
		if _, err := m.measureLayers([]*mat.SymDense{k}); !input.IsError(err) || !strings.Contains(err.Error(), "kernel is 0") {
			t.Errorf("%v", err)
		}
	}
}

// Ridge regression with the linear kernel equals ridge regression in the weights: w = (XᵀX + λI)⁻¹XᵀY.
func TestHalvesPredict(t *testing.T) {
	const n, d, classes = 21, 4, 3
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, d, nil)
	labels := make([]int, n)
	for i := range n {
		labels[i] = rng.IntN(classes)
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(1, x)
	h := newHalves(labels, classes, 3)
	alpha, err := h.solve(k)
	if err != nil {
		t.Fatal(err)
	}
	from := mat.NewDense(len(h.from), d, nil)
	mean := 0.
	for i, a := range h.from {
		from.SetRow(i, x.RawRowView(a))
		mean += k.At(a, a) / float64(len(h.from))
	}
	var normal, right, w mat.Dense
	normal.Mul(from.T(), from)
	for j := range d {
		normal.Set(j, j, normal.At(j, j)+layerRidge*mean)
	}
	right.Mul(from.T(), h.targets)
	if err := w.Solve(&normal, &right); err != nil {
		t.Fatal(err)
	}
	got := h.predict(k, alpha)
	for i, b := range h.to {
		for c := range classes {
			if want := mat.Dot(x.RowView(b), w.ColView(c)); math.Abs(got.At(i, c)-want) > 1e-9 {
				t.Fatalf("image %d, class %d: %v, want %v", b, c, got.At(i, c), want)
			}
		}
	}
	if len(h.from) != 11 || len(h.to) != 10 {
		t.Errorf("halves of %d and %d images", len(h.from), len(h.to))
	}
}

func TestNTKByLayerErrors(t *testing.T) {
	s := smallKernel()
	s.Images, s.ByLayer = 3, true
	if _, err := NewNTK(s); err == nil || !strings.Contains(err.Error(), "at least 4") {
		t.Errorf("halves of 3 images: %v", err)
	}
	// There are two classes, but one half has only one of them: its centred targets are zero, and nothing can be
	// predicted.
	labels := []int{1, 1, 1, 1, 1, 1}
	labels[newHalves(labels, 2, 5).to[0]] = 0
	if !newHalves(labels, 2, 5).oneClass() {
		t.Error("a half of one class is taken for one of two")
	}
	labels[newHalves(labels, 2, 5).from[0]] = 0
	if newHalves(labels, 2, 5).oneClass() {
		t.Error("a half of two classes is taken for one of one")
	}
}

// TestSingularFigure checks that the caption of a spectrum says of what it is: only the full kernel has singular values
// of the Jacobian.
func TestSingularFigure(t *testing.T) {
	for kernel, want := range map[string]string{kernels.Full.String(): "of the Jacobian,", kernels.Trace.String(): "of the trace kernel,",
		kernels.Diagonal.String(): "of the diagonal kernel,"} {
		s := smallKernel()
		s.Kernel = kernel
		page, err := runKernel(t, s).Page()
		if err != nil {
			t.Fatal(err)
		}
		if f := page.Sections[0].Figures[0]; !strings.Contains(f.Caption, want) {
			t.Errorf("%s kernel: caption %q: want one %s", kernel, f.Caption, want)
		}
	}
}
