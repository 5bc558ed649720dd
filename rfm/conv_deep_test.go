package rfm

import (
	"context"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// TestDrawFilters checks that the covariance of many filters is M or, if whole is set, M².
func TestDrawFilters(t *testing.T) {
	const many = 40000
	for _, m := range []*Metric{Identity(6), FullMetric(covariance(random(1), 6))} {
		var squared mat.SymDense
		squared.SymOuterK(1, m.Dense())
		for whole, want := range map[bool]*mat.SymDense{false: m.Dense(), true: &squared} {
			w := drawFilters(m, whole, many, stream(3, "filters", 0))
			var c mat.SymDense
			c.SymOuterK(1./many, w.T())
			if e := far(&c, want); e > .03 {
				t.Errorf("whole %t: the covariance of the filters is off by %v", whole, e)
			}
			if mean := mat.Sum(w) / (many * 6); math.Abs(mean) > .03 {
				t.Errorf("whole %t: the mean of the filters is %v", whole, mean)
			}
		}
	}
}

// TestDeepConvRFM compares a machine of two layers with its parts: the features with naive convolutions, and the second
// layer with a machine of its own on the features. The filters lie in the range of the first layer's M.
func TestDeepConvRFM(t *testing.T) {
	e, x := bars(1, 10, 7, 1), bars(2, 5, 7, 1).X
	for _, m := range []ConvMachine{{}, {Linear: true}, {Pad: true, Whole: true}, {Precision: graph.Double}} {
		m.Kernel, m.Layers, m.Filters, m.Iterations, m.Ridges, m.Keep, m.Scale = CNTK{Layers: 3}, 2, 5, 1,
			[]float64{.1}, 1e-9, ScaleTrace
		m.Seed = 1 // with seed 0 all five filters have one sign, and the features are 0
		model := fitConv(t, m, e)
		layers := model.Layers()
		if len(layers) != 2 || layers[0].Kernel.Depth() != 3 || layers[1].Kernel.Depth() != 2 ||
			layers[1].Metric.Dim() != 5*9 || layers[1].Filters != nil {
			t.Fatalf("%+v: layers are %+v", m, layers)
		}
		var svd mat.SVD
		if svd.Factorize(layers[0].Filters, mat.SVDNone); svd.Values(nil)[1] > 1e-6*svd.Values(nil)[0] {
			t.Errorf("filters of an M of rank 1 have the singular values %v", svd.Values(nil))
		}
		got, err := model.Features(context.Background(), x, 1)
		if err != nil {
			t.Fatal(err)
		}
		if want := naiveFeatures(x, layers[0].Filters, m.Pad, m.Linear); got.shape() != want.shape() ||
			farPixels(got, want) > 1e-5 {
			t.Errorf("%+v: features of %s, want %s; off by %v", m, got.shape(), want.shape(), farPixels(got, want))
		}
		features, err := model.Features(context.Background(), e.X, 1)
		if err != nil {
			t.Fatal(err)
		}
		second := m
		second.Kernel, second.Layers = CNTK{Layers: 2}, 1
		want := predictConv(t, fitConv(t, second, ImageExamples{features, e.Y}), got)
		if !mat.Equal(predictConv(t, model, x), want) {
			t.Errorf("%+v: the second layer is not a machine on the features of the first", m)
		}
	}
}

// naiveFeatures returns ReLU(w ∗ x) or, if linear is set, w ∗ x, computed patch by patch.
func naiveFeatures(x Images, filters *mat.Dense, pad, linear bool) Images {
	a := naiveConv{height: x.Height, width: x.Width, channels: x.Channels, q: 3, pad: pad}
	h, w := a.sides(1)
	k, _ := filters.Dims()
	out := Images{Height: h, Width: w, Channels: k}
	for i := range x.Len() {
		for _, patch := range a.patches(x.Image(i)) {
			for _, v := range apply(filters, patch) {
				if !linear {
					v = math.Max(0, v)
				}
				out.Pixels = append(out.Pixels, float32(v))
			}
		}
	}
	return out
}

// farPixels returns the largest difference between two sets of images, as a share of the largest pixel.
func farPixels(a, b Images) float64 {
	diff, most := 0., 0.
	for i, v := range b.Pixels {
		diff = math.Max(diff, math.Abs(float64(a.Pixels[i]-v)))
		most = math.Max(most, math.Abs(float64(v)))
	}
	return orInfinite(diff / most)
}

// TestDeepSeeds checks that the same seed gives the same bits on any number of threads, and another seed others.
func TestDeepSeeds(t *testing.T) {
	e := bars(3, 12, 6, 1)
	v := bars(4, 7, 6, 1)
	predictions := func(seed uint64, threads int) *mat.Dense {
		m := ConvMachine{Kernel: CNTK{Layers: 2}, Layers: 2, Filters: 8, Iterations: 1, Ridges: []float64{.1, 1},
			Validation: &v, Sample: 5, Seed: seed, Threads: threads}
		return predictConv(t, fitConv(t, m, e), v.X)
	}
	first := predictions(1, 1)
	if !mat.Equal(first, predictions(1, 1)) || !mat.Equal(first, predictions(1, 2)) {
		t.Error("the same seed gives other predictions")
	}
	if far(predictions(2, 1), first) < 1e-6 {
		t.Error("another seed gives the same predictions")
	}
}
