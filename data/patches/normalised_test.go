package patches

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
)

// coloured returns a set of n random grey images that are stored in colour.
func coloured(n int, s data.Shape) *table {
	grey := noise(n, shape(1, s.Height, s.Width))
	ds := &table{shape: s}
	for _, px := range grey.images {
		var img []float32
		for _, v := range px {
			for range s.Channels {
				img = append(img, v)
			}
		}
		ds.images = append(ds.images, img)
	}
	return ds
}

// constant returns a set of n images whose pixels are all equal.
func constant(n int, s data.Shape) *table {
	ds := &table{shape: s}
	for range n {
		px := make([]float32, s.Pixels())
		for k := range px {
			px[k] = .7
		}
		ds.images = append(ds.images, px)
	}
	return ds
}

func TestRank(t *testing.T) {
	s := shape(3, 8, 8)
	short := &table{shape: shape(1, 5, 5), images: noise(1, shape(1, 5, 5)).images} // 4 patches of 16 pixels
	for _, c := range []struct {
		name string
		ds   data.Dataset
		q    int
		want int
	}{
		{"colours", noise(20, s), 3, 27}, {"grey stored as colours", coloured(20, s), 3, 9},
		{"constant", constant(9, s), 3, 0}, {"fewer patches than pixels", short, 4, 3},
	} {
		m := mustComponents(t, c.ds, c.q, 0)
		if m.Rank() != c.want {
			t.Errorf("%s: rank %d, want %d, of %v with rounding %v", c.name, m.Rank(), c.want, m.Variances, m.Rounding)
		}
		n, err := m.Normalised(data.ImageNet())
		if m.Channels == 1 {
			n, err = m.Normalised(data.Normalisation{Mean: []float32{.5}, Std: []float32{.1}})
		}
		if err != nil || n.Rank() != c.want {
			t.Errorf("%s, normalised: rank %d, want %d, %v", c.name, n.Rank(), c.want, err)
		}
	}
}

// TestNormalisedComponents checks that Components.Normalised returns the components of the normalised images.
func TestNormalisedComponents(t *testing.T) {
	s := shape(3, 6, 7)
	ds := noise(30, s)
	for _, n := range []data.Normalisation{{}, data.ImageNet(), {Mean: []float32{.2}, Std: []float32{.5}},
		{Mean: []float32{1, 0, 2}, Std: []float32{3, .1, 1}}} {
		other := &table{shape: s}
		for _, px := range ds.images {
			img := append([]float32(nil), px...)
			each := n
			if len(n.Std) == 1 {
				each.Std, each.Mean = slices.Repeat(n.Std, 3), slices.Repeat(n.Mean, 3)
			}
			each.Apply(img)
			other.images = append(other.images, img)
		}
		want := mustComponents(t, other, 2, 0)
		got, err := mustComponents(t, ds, 2, 0).Normalised(n)
		if err != nil {
			t.Fatal(err)
		}
		for k := range want.Vectors {
			if math.Abs(got.Variances[k]-want.Variances[k]) > 1e-5*want.Variances[0] ||
				math.Abs(got.Mean[k]-want.Mean[k]) > 1e-5 {
				t.Errorf("%v: variance %v and mean %v, want %v and %v", n, got.Variances[k], got.Mean[k],
					want.Variances[k], want.Mean[k])
			}
			if c := math.Abs(dot(got.Vectors[k], want.Vectors[k])); c < 1-1e-4 {
				t.Errorf("%v: vector %d has %v of what it should be", n, k+1, c)
			}
		}
	}
	if _, err := mustComponents(t, noise(5, shape(2, 4, 4)), 2, 0).Normalised(data.ImageNet()); err == nil {
		t.Error("three constants for two channels")
	}
}
