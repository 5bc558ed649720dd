package patches

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"gonum.org/v1/gonum/mat"
)

// allPatches returns all patches of an image, in channel, row, column order.
func allPatches(px []float32, s data.Shape, q int) [][]float64 {
	var all [][]float64
	for top := range s.Height - q + 1 {
		for left := range s.Width - q + 1 {
			var h []float64
			for c := range s.Channels {
				for row := range q {
					for column := range q {
						h = append(h, float64(px[((top+row)*s.Width+left+column)*s.Channels+c]))
					}
				}
			}
			all = append(all, h)
		}
	}
	return all
}

// meanOf returns the mean of vectors.
func meanOf(vectors [][]float64) []float64 {
	mean := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		for k := range v {
			mean[k] += v[k] / float64(len(vectors))
		}
	}
	return mean
}

func mustComponents(t *testing.T, ds data.Dataset, q, limit int) *Components {
	t.Helper()
	c, err := FindComponents(t.Context(), ds, q, limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPatchMoments compares the mean and the covariance with those of the list of all patches.
func TestPatchMoments(t *testing.T) {
	for _, test := range []struct {
		shape data.Shape
		q     int
	}{
		{shape(1, 3, 3), 1}, {shape(1, 4, 6), 2}, {shape(2, 5, 4), 3}, {shape(3, 6, 7), 5}, {shape(2, 4, 4), 4},
	} {
		ds := noise(9, test.shape)
		m := newPatchMoments(test.shape, test.q)
		if err := forBlocks(t.Context(), ds, m.add); err != nil {
			t.Fatal(err)
		}
		mean, covariance := m.moments()
		var all [][]float64
		for _, px := range ds.images {
			all = append(all, allPatches(px, test.shape, test.q)...)
		}
		wantMean := meanOf(all)
		for k := range mean {
			wantNear(t, "mean", mean[k], wantMean[k])
			for l := range mean {
				var want float64
				for _, h := range all {
					want += (h[k] - wantMean[k]) * (h[l] - wantMean[l]) / float64(len(all))
				}
				wantNear(t, "covariance", covariance.At(k, l), want)
			}
		}
	}
}

func wantNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// TestComponentsDiagonaliseTheCovariance checks that the vectors are orthonormal, and that the projections of the
// patches onto them are uncorrelated and have the stated variances, in descending order.
func TestComponentsDiagonaliseTheCovariance(t *testing.T) {
	ds := noise(50, shape(2, 6, 6))
	c := mustComponents(t, ds, 3, 0)
	var all [][]float64
	for _, px := range ds.images {
		all = append(all, allPatches(px, ds.shape, 3)...)
	}
	mean, n := meanOf(all), float64(len(all))
	centred := mat.NewDense(len(all), len(mean), nil)
	for i, h := range all {
		for k := range h {
			centred.Set(i, k, (h[k]-mean[k])/math.Sqrt(n))
		}
	}
	for k, v := range c.Vectors {
		var projected mat.VecDense
		projected.MulVec(centred, mat.NewVecDense(len(v), v))
		wantNear(t, "variance", c.Variances[k], mat.Dot(&projected, &projected))
		if k > 0 && c.Variances[k] > c.Variances[k-1] {
			t.Error("the variances do not descend")
		}
		for l, w := range c.Vectors[:k+1] {
			want := 0.
			if k == l {
				want = 1
			}
			wantNear(t, "inner product", dot(v, w), want)
			var other mat.VecDense
			other.MulVec(centred, mat.NewVecDense(len(w), w))
			wantNear(t, "covariance of components", mat.Dot(&projected, &other), want*c.Variances[k])
		}
	}
}

func TestProjections(t *testing.T) {
	ds := noise(30, shape(2, 5, 7))
	c := mustComponents(t, ds, 3, 0)
	for k := 1; k <= 18; k++ {
		got, err := c.Projections(t.Context(), ds, k)
		if err != nil {
			t.Fatal(err)
		}
		for i, px := range ds.images {
			var want float64
			all := allPatches(px, ds.shape, 3)
			for _, h := range all {
				for at, v := range c.Vectors[k-1] {
					want += (h[at] - c.Mean[at]) * v / float64(len(all))
				}
			}
			wantNear(t, "projection", got[i], want)
		}
	}
}

// TestProjectionsOfManyBlocks checks that images that are read in several blocks stay in order.
func TestProjectionsOfManyBlocks(t *testing.T) {
	ds := noise(3, shape(1, 200, 200))
	c := mustComponents(t, ds, 2, 0)
	all, err := c.Projections(t.Context(), ds, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		one, err := data.Subset(ds, []int{i})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := c.Projections(t.Context(), one, 1); err != nil || p[0] != all[i] {
			t.Errorf("image %d is projected to %v, alone to %v, %v", i, all[i], p, err)
		}
	}
}

func TestFindComponentsSpread(t *testing.T) {
	ds := noise(100, shape(1, 3, 3))
	if got := mustComponents(t, ds, 2, 10); got.Mean[0] != mustComponents(t, data.Spread(ds, 10), 2, 0).Mean[0] {
		t.Error("the components are not those of the images spread over the set")
	}
	if n := ds.reads.Load(); n != 20 {
		t.Errorf("%d reads for 10 images, twice", n)
	}
}

func TestFindComponentsErrors(t *testing.T) {
	ds := noise(4, shape(1, 3, 5))
	for _, q := range []int{-1, 0, 4} {
		if _, err := FindComponents(t.Context(), ds, q, 0); err == nil {
			t.Errorf("patches of side %d of images of 3×5: no error", q)
		}
	}
	if _, err := FindComponents(t.Context(), data.Head(ds, 0), 1, 0); err == nil {
		t.Error("an empty set: no error")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindComponents(cancelled, ds, 1, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	ds.images[2] = nil
	if _, err := FindComponents(t.Context(), ds, 1, 0); !errors.Is(err, errTable) {
		t.Errorf("error %v, want %v", err, errTable)
	}
}
