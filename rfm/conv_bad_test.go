package rfm

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// TestConvRefuses checks that what cannot be fitted is refused with an *InputError that says what is wrong.
func TestConvRefuses(t *testing.T) {
	e, v := bars(1, 6, 5, 1), bars(2, 4, 5, 1)
	nan := ImageExamples{e.X.Pick([]int{0, 1, 2, 3, 4, 5}), e.Y}
	nan.X.Pixels[30] = float32(math.NaN())
	infinite := ImageExamples{e.X, mat.DenseCopyOf(e.Y)}
	infinite.Y.Set(2, 1, math.Inf(1))
	mixed := ImageExamples{e.X, e.Y}
	mixed.X.Pixels = e.X.Pixels[:len(e.X.Pixels)-1]
	other, fewer := bars(3, 4, 6, 1), ImageExamples{v.X, mat.NewDense(4, 1, nil)}
	for _, c := range []struct {
		name  string
		m     ConvMachine
		e     ImageExamples
		wants []string // in the message
	}{
		{"small images", ConvMachine{Kernel: CNTK{Layers: 3}}, e, []string{"5×5", "depth of 3", "3×3", "7×7"}},
		{"images smaller than a patch", ConvMachine{Patch: 6}, e, []string{"5×5", "6×6"}},
		{"an even patch with zeros around", ConvMachine{Patch: 4, Pad: true}, e, []string{"4×4", "odd"}},
		{"a negative patch", ConvMachine{Patch: -1}, e, []string{"-1"}},
		{"a patch that wraps", ConvMachine{Patch: 1<<63 - 3, Kernel: CNTK{Layers: 4}}, e, []string{"patch"}},
		{"a padded patch that wraps", ConvMachine{Patch: 1<<63 - 3, Pad: true}, e, []string{"patch"}},
		{"a depth of 0", ConvMachine{Kernel: CNTK{}}, e, []string{"depth 0"}},
		{"a depth of 21", ConvMachine{Kernel: CNNGP{Layers: 21}, Pad: true}, e, []string{"depth 21"}},
		{"more layers than convolutions", ConvMachine{Kernel: CNTK{Layers: 2}, Layers: 3}, e,
			[]string{"3 layers", "depth 2"}},
		{"negative layers", ConvMachine{Layers: -1}, e, []string{"-1 layers"}},
		{"negative filters", ConvMachine{Filters: -2}, e, []string{"-2 filters"}},
		{"negative iterations", ConvMachine{Iterations: -1}, e, []string{"-1 iterations"}},
		{"ridges to choose from", ConvMachine{Ridges: []float64{1, 2}}, e, []string{"2 ridges", "validation"}},
		{"a negative ridge", ConvMachine{Ridges: []float64{-1}}, e, []string{"-1"}},
		{"a ridge that is no number", ConvMachine{Ridges: []float64{math.NaN()}}, e, []string{"NaN"}},
		{"Keep above 1", ConvMachine{Keep: 1.5}, e, []string{"1.5"}},
		{"Keep below 0", ConvMachine{Keep: -.1}, e, []string{"-0.1"}},
		{"Keep that is no number", ConvMachine{Keep: math.NaN()}, e, []string{"NaN"}},
		{"a negative sample", ConvMachine{Sample: -1}, e, []string{"-1 images"}},
		{"negative threads", ConvMachine{Threads: -1}, e, []string{"-1 threads"}},
		{"pixels that are no numbers", ConvMachine{}, nan, []string{"image 1", "NaN"}},
		{"targets that are no numbers", ConvMachine{}, infinite, []string{"example 2", "Inf"}},
		{"pixels that do not fill images", ConvMachine{}, mixed, []string{"149", "25"}},
		{"no images", ConvMachine{}, ImageExamples{Images{Height: 5, Width: 5, Channels: 1}, e.Y},
			[]string{"no training examples"}},
		{"images without a shape", ConvMachine{}, ImageExamples{Images{}, e.Y}, []string{"shape"}},
		{"images of a shape that wraps", ConvMachine{}, ImageExamples{Images{1 << 32, 1 << 32, 1, e.X.Pixels}, e.Y},
			[]string{"shape"}},
		{"no targets", ConvMachine{}, ImageExamples{X: e.X}, []string{"no training examples"}},
		{"fewer targets", ConvMachine{}, ImageExamples{e.X, v.Y}, []string{"6 training examples", "4 targets"}},
		{"one class", ConvMachine{Task: Classification}, ImageExamples{e.X, mat.NewDense(6, 1, nil)},
			[]string{"1 class"}},
		{"validation images of another size", ConvMachine{Validation: &other}, e, []string{"1×5×5", "1×6×6"}},
		{"other targets of validation images", ConvMachine{Validation: &fewer}, e, []string{"1 targets", "2"}},
	} {
		_, err := c.m.Fit(context.Background(), c.e)
		var input *InputError
		if !errors.As(err, &input) {
			t.Errorf("%s: the error is %v", c.name, err)
			continue
		}
		for _, want := range c.wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", c.name, err, want)
			}
		}
	}
}

// TestConvRefusesMemory checks that a fit that needs more memory than the limit is refused before it begins.
func TestConvRefusesMemory(t *testing.T) {
	e := bars(1, 6, 5, 1)
	m := ConvMachine{}
	need := m.Bytes(e.X, 2)
	for limit, refused := range map[int64]bool{need - 1: true, need: false} {
		m.Memory = limit
		_, err := m.Fit(context.Background(), e)
		var memory *MemoryError
		if errors.As(err, &memory) != refused || refused && (memory.Need != need || memory.Limit != limit) {
			t.Errorf("a fit that takes %d bytes where there are %d: %v", need, limit, err)
		}
	}
}

// TestConvModelRefuses checks that a model refuses images that have another shape or are not finite, and layers that it
// does not have.
func TestConvModelRefuses(t *testing.T) {
	e, ctx := bars(1, 6, 5, 1), context.Background()
	model := fitConv(t, ConvMachine{}, e)
	nan := e.X.Pick([]int{0})
	nan.Pixels[3] = float32(math.Inf(-1))
	for name, x := range map[string]Images{
		"another size": bars(1, 2, 6, 1).X, "other channels": {Height: 5, Width: 5, Channels: 2,
			Pixels: make([]float32, 50)},
		"none": {Height: 5, Width: 5, Channels: 1}, "no shape": {}, "no numbers": nan,
	} {
		_, err1 := model.Predict(ctx, x)
		_, err2 := model.AGOP(ctx, x)
		_, err3 := model.KernelMatrix(ctx, x)
		_, err4 := model.Features(ctx, x, 0)
		for _, err := range []error{err1, err2, err3, err4} {
			var input *InputError
			if !errors.As(err, &input) {
				t.Errorf("images of %s: the error is %v", name, err)
			}
		}
	}
	for _, layer := range []int{-1, 1} {
		if _, err := model.Features(ctx, e.X, layer); err == nil {
			t.Errorf("there are features for layer %d", layer)
		}
	}
}

// TestConvDegenerate checks the predictions for a single image, constant images and black images, with every kernel.
func TestConvDegenerate(t *testing.T) {
	for _, k := range []ConvKernel{CNTK{Layers: 2}, CNTK{Layers: 2, Pooled: true}, CNNGP{Layers: 1}, PatchLaplace{}} {
		for _, p := range []graph.Precision{graph.Single, graph.Double} {
			one := bars(1, 1, 5, 1)
			if d := farFrom(t, ConvMachine{Kernel: k, Precision: p, Iterations: 2, Scale: ScaleTrace}, one,
				one.Y); d > 1e-5 {
				t.Errorf("%v of a single image: predictions are off by %v", k, d)
			}
			// Constant images of 1, 2 and 3, with these targets. ReLU kernels are proportional to the brightness, so
			// that any one image determines the predictions for all.
			constant := ImageExamples{Images{Height: 5, Width: 5, Channels: 1, Pixels: make([]float32, 75)},
				mat.NewDense(3, 1, []float64{1, 2, 3})}
			for i := range constant.X.Pixels {
				constant.X.Pixels[i] = float32(1 + i/25)
			}
			if d := farFrom(t, ConvMachine{Kernel: k, Precision: p, Iterations: 2, Scale: ScaleTrace,
				KernelScale: true}, constant, constant.Y); d > 1e-4 {
				t.Errorf("%v of constant images: predictions are off by %v", k, d)
			}
		}
		black := ImageExamples{Images{Height: 5, Width: 5, Channels: 1, Pixels: make([]float32, 50)},
			mat.NewDense(2, 1, []float64{1, 3})}
		want := mat.NewDense(2, 1, nil) // K = 0
		if !ofReLU(k) {
			want = mat.NewDense(2, 1, []float64{2, 2}) // K = 1, whose least-norm solution is the mean
		}
		model := fitConv(t, ConvMachine{Kernel: k, Iterations: 1, Scale: ScaleFrobenius, KernelScale: true}, black)
		if got := predictConv(t, model, black.X); !mat.EqualApprox(got, want, 1e-5) ||
			mat.Norm(model.Layers()[0].Metric.Dense(), 2) > 0 {
			t.Errorf("%v of black images: predictions %v, want %v, with the metric %v",
				k, got, want, model.Layers()[0].Metric.Diagonal())
		}
	}
	// Equal grey images with different targets are predicted as the mean of the targets.
	grey := ImageExamples{Images{Height: 3, Width: 3, Channels: 1, Pixels: make([]float32, 36)},
		mat.NewDense(4, 1, []float64{1, 2, 3, 6})}
	for i := range grey.X.Pixels {
		grey.X.Pixels[i] = .5
	}
	if d := farFrom(t, ConvMachine{Iterations: 1}, grey, mat.NewDense(4, 1, []float64{3, 3, 3, 3})); d > 1e-5 {
		t.Errorf("equal images: predictions are off by %v", d)
	}
}

// farFrom returns how far the predictions for the training images are from want.
func farFrom(t *testing.T, m ConvMachine, e ImageExamples, want *mat.Dense) float64 {
	t.Helper()
	return far(predictConv(t, fitConv(t, m, e), e.X), want)
}

// TestConvStops checks that an error of Each ends the fit, and that a cancelled context does.
func TestConvStops(t *testing.T) {
	e, stop := bars(1, 6, 5, 1), errors.New("enough")
	m := ConvMachine{Iterations: 3, Each: func(it *ConvIteration) error {
		if it.Index == 1 {
			return stop
		}
		return nil
	}}
	if _, err := m.Fit(context.Background(), e); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.Each = func(it *ConvIteration) error { cancel(); return nil }
	if _, err := m.Fit(ctx, e); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
