package rfm

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// farExamples returns n examples of 100 features between 0 and 1, most of them 0, their classes, and m test examples.
// The number shift is added to every feature.
func farExamples(n, m int, shift float64) (x, y, test *mat.Dense) {
	rng := random(3)
	draw := func(rows int) *mat.Dense {
		e := mat.NewDense(rows, 100, nil)
		e.Apply(func(_, _ int, _ float64) float64 { return max(0, rng.Float64()-.7)/.3 + shift }, e)
		return e
	}
	x, test = draw(n), draw(m)
	labels := make([]int, n)
	for i := range labels {
		if x.At(i, 0)+x.At(i, 1) > x.At(i, 2)+x.At(i, 3) {
			labels[i] = 1
		}
	}
	return x, OneHot(labels, 2), test
}

// In 32 bits, kernels of differences are as exact for points far from 0 as for points near it. The test compares the
// kernel matrices of training points, and of these with test points, with those in 64 bits.
func TestKernelsFarFromZero(t *testing.T) {
	x, _, test := farExamples(300, 100, 100)
	for _, k := range []Kernel{Laplace{}, Gaussian{}, Exponential{Gamma: .7}, L1{Bandwidth: 100}} {
		for _, name := range gputest.Backends(t) {
			own, cross := kernelsInBothPrecisions(t, name, k, x, test)
			// The measured errors are at most 3e-7. Without the centring that of the Laplace kernel is .02, because
			// distances below 5.6 count as 0.
			if own > 1e-6 || cross > 1e-6 {
				t.Errorf("%v on %s: off by %.1e of training points, by %.1e of test points", k, name, own, cross)
			}
		}
	}
}

// kernelsInBothPrecisions returns the largest differences between K in 32 bits and K in 64 bits: for x with itself, and
// for x with the test points.
func kernelsInBothPrecisions(t *testing.T, backend string, k Kernel, x, test *mat.Dense) (own, cross float64) {
	t.Helper()
	var of [2][2]mat.Matrix
	for i, p := range []graph.Precision{graph.Single, graph.Double} {
		m := on(t, backend, p)
		l, err := Identity(x.RawMatrix().Cols).lensFor(k, x)
		if err != nil {
			t.Fatal(err)
		}
		points, err := m.transform(context.Background(), l, x)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := x.Dims()
		one := mat.DenseCopyOf(Identity(n).Dense()) // with these coefficients the predictor returns K
		f, err := m.newPredictor(k, l, points, one, 100)
		if err != nil {
			t.Fatal(err)
		}
		if of[i][1], err = f.forward(context.Background(), "predict", test); err != nil {
			t.Fatal(err)
		}
		of[i][0] = values(t, m, k, points)
	}
	return farthest(of[0][0], of[1][0]), farthest(of[0][1], of[1][1])
}

// farthest returns the largest |aᵢⱼ − bᵢⱼ|, infinite where one is NaN.
func farthest(a, b mat.Matrix) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	off := 0.
	for _, d := range diff.RawMatrix().Data {
		off = max(off, orInfinite(math.Abs(d)))
	}
	return off
}

// A number that is added to all features does not change a machine with a kernel of differences, for any way to fit it:
// neither predictions for test points, nor M, nor the model after saving and loading.
func TestMachinesFarFromZero(t *testing.T) {
	for name, fit := range map[string]func(x, y *mat.Dense) (*Model, error){
		"rfm": func(x, y *mat.Dense) (*Model, error) {
			m := Machine{Ridge: 1e-3, Iterations: 2, Task: Classification, Select: Last}
			return m.Fit(context.Background(), x, y)
		},
		"diagonal": func(x, y *mat.Dense) (*Model, error) {
			m := Machine{Ridge: 1e-3, Iterations: 2, Task: Classification, Select: Last, Diagonal: true}
			return m.Fit(context.Background(), x, y)
		},
		"eigenpro": func(x, y *mat.Dense) (*Model, error) {
			m := Machine{Ridge: 1e-2, Task: Classification, Select: Last,
				Solver: EigenPro{Subsample: 50, Tolerance: 1e-5}}
			return m.Fit(context.Background(), x, y)
		},
		"hyperbf": func(x, y *mat.Dense) (*Model, error) {
			m := HyperBF{Machine: Machine{Ridge: 1, Iterations: 1, Task: Classification, Select: Last},
				Update: ByDescentWithCentres, Centres: 40, Steps: 3}
			return m.Fit(context.Background(), x, y)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var predictions, metrics [2]mat.Matrix
			for i, shift := range []float64{0, 100} {
				x, y, test := farExamples(200, 50, shift)
				m, err := fit(x, y)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				if err := m.Save(dir, nil); err != nil {
					t.Fatal(err)
				}
				again, _, err := LoadModel(dir)
				if err != nil {
					t.Fatal(err)
				}
				p, err := m.Predict(context.Background(), test)
				if err != nil {
					t.Fatal(err)
				}
				loaded, err := again.Predict(context.Background(), test)
				if err != nil || farthest(loaded, p) > 1e-4 {
					t.Errorf("the model from the folder is off by %.1e: %v", farthest(loaded, p), err)
				}
				predictions[i], metrics[i] = p, m.Metric().Dense()
			}
			if off := farthest(predictions[1], predictions[0]); off > 1e-4 {
				t.Errorf("predictions are off by %.1e", off)
			}
			if off := far(metrics[1], metrics[0]); off > 1e-4 {
				t.Errorf("M is off by %.1e", off)
			}
		})
	}
}

// For images far from 0, the Laplace kernel of patches in 32 bits agrees with the one in 64 bits, with and without
// zeros around the images.
func TestPatchKernelFarFromZero(t *testing.T) {
	for _, pad := range []bool{false, true} {
		t.Run(fmt.Sprint("pad ", pad), func(t *testing.T) {
			x, test := randomImages(1, 40, 8, 8, 3), randomImages(2, 10, 8, 8, 3)
			for _, e := range []Images{x, test} {
				for i := range e.Pixels {
					e.Pixels[i] = float32(math.Round(float64(e.Pixels[i])*256)/256) + 100
				}
			}
			var of [2][2]mat.Matrix
			for i, p := range []graph.Precision{graph.Single, graph.Double} {
				m := ConvMachine{Kernel: PatchLaplace{}, Pad: pad, Precision: p}
				for j, points := range []Images{x, test} {
					parts, err := m.CrossKernelParts(points, x, 0)
					if err != nil {
						t.Fatal(err)
					}
					if of[i][j], err = parts.Compute(context.Background(), 0, parts.Columns(), nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			for j, what := range []string{"training", "test"} {
				if off := farthest(of[0][j], of[1][j]); off > 1e-6 {
					t.Errorf("off by %.1e of %s images", off, what)
				}
			}
		})
	}
}
