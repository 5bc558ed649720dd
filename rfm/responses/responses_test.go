package responses

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 77)) }

// normal returns a random matrix with elements from N(0, 1).
func normal(rng *rand.Rand, n, d int) *mat.Dense {
	m := mat.NewDense(n, d, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

// covariance returns a random positive definite matrix.
func covariance(rng *rand.Rand, d int) *mat.SymDense {
	s := mat.NewSymDense(d, nil)
	s.SymOuterK(1/float64(d), normal(rng, d+3, d).T())
	return s
}

// builtIn returns the backends of this build.
func builtIn() []string {
	if backend.Native() {
		return []string{"go", "native"}
	}
	return []string{"go"}
}

// noise returns images with random pixels from N(0, 1).
func noise(rng *rand.Rand, n, height, width, channels int) rfm.Images {
	x := rfm.Images{Height: height, Width: width, Channels: channels, Pixels: make([]float32, n*height*width*channels)}
	for i := range x.Pixels {
		x.Pixels[i] = float32(rng.NormFloat64())
	}
	return x
}

// patchAt returns the patch of an image whose upper left pixel is at (row, column), in the order (channel, row,
// column), with zeros beyond the image.
func patchAt(x rfm.Images, image, row, column, q int) *mat.VecDense {
	h := mat.NewVecDense(x.Channels*q*q, nil)
	px := x.Image(image)
	for c := range x.Channels {
		for i := range q {
			for j := range q {
				r, s := row+i, column+j
				if r >= 0 && s >= 0 && r < x.Height && s < x.Width {
					h.SetVec((c*q+i)*q+j, float64(px[(r*x.Width+s)*x.Channels+c]))
				}
			}
		}
	}
	return h
}

// naiveResponses computes the responses from explicit patches.
func naiveResponses(m *mat.SymDense, x rfm.Images, q int, o Options) []Map {
	before := 0
	height, width := x.Height-q+1, x.Width-q+1
	if o.Pad {
		before, height, width = q/2, x.Height, x.Width
	}
	var out []Map
	for i := range x.Len() {
		r := Map{Height: height, Width: width}
		for row := range height {
			for column := range width {
				h := patchAt(x, i, row-before, column-before, q)
				var mh mat.VecDense
				mh.MulVec(m, h)
				v := math.Sqrt(max(0, mat.Dot(h, &mh)))
				if o.Whole {
					v = mat.Norm(&mh, 2)
				}
				r.Values = append(r.Values, v)
			}
		}
		out = append(out, r)
	}
	return out
}

func TestResponses(t *testing.T) {
	for _, c := range []struct {
		name                   string
		n, height, width, c, q int
		metric                 func(rng *rand.Rand, d int) *rfm.Metric
	}{
		{"full", 5, 7, 6, 3, 3, func(rng *rand.Rand, d int) *rfm.Metric { return rfm.FullMetric(covariance(rng, d)) }},
		{"grey, large patches", 2, 9, 11, 1, 5,
			func(rng *rand.Rand, d int) *rfm.Metric { return rfm.FullMetric(covariance(rng, d)) }},
		{"many channels", 3, 5, 5, 8, 3, func(rng *rand.Rand, d int) *rfm.Metric { return rfm.FullMetric(covariance(rng, d)) }},
		{"low rank", 2, 6, 6, 2, 3, func(rng *rand.Rand, d int) *rfm.Metric {
			m := mat.NewSymDense(d, nil)
			m.SymOuterK(1, normal(rng, d, 2))
			return rfm.FullMetric(m)
		}},
		{"diagonal", 2, 4, 6, 2, 3, func(rng *rand.Rand, d int) *rfm.Metric {
			m := make([]float64, d)
			for i := range m {
				m[i] = rng.Float64()
			}
			return rfm.DiagonalMetric(m)
		}},
		{"identity", 2, 4, 6, 2, 3, func(_ *rand.Rand, d int) *rfm.Metric { return rfm.Identity(d) }},
		{"zero", 1, 4, 4, 1, 3, func(_ *rand.Rand, d int) *rfm.Metric { return rfm.FullMetric(mat.NewSymDense(d, nil)) }},
		{"one pixel", 2, 3, 4, 3, 1, func(rng *rand.Rand, d int) *rfm.Metric { return rfm.FullMetric(covariance(rng, d)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := random(uint64(len(c.name)))
			m, x := c.metric(rng, c.c*c.q*c.q), noise(rng, c.n, c.height, c.width, c.c)
			for _, name := range builtIn() {
				for _, o := range []Options{{}, {Whole: true}, {Pad: true}, {Pad: true, Whole: true},
					{Pad: true, Precision: graph.Double}} {
					o.Backend = name
					checkResponses(t, m, x, c.q, o)
				}
			}
		})
	}
}

func checkResponses(t *testing.T, m *rfm.Metric, x rfm.Images, q int, o Options) {
	t.Helper()
	got, err := Of(context.Background(), m, x, o)
	if err != nil {
		t.Fatal(err)
	}
	want := naiveResponses(m.Dense(), x, q, o)
	tolerance := 2e-5
	if o.Precision == graph.Double {
		tolerance = 1e-12
	}
	if len(got) != len(want) {
		t.Fatalf("%d responses of %d images", len(got), len(want))
	}
	for i := range want {
		if got[i].Height != want[i].Height || got[i].Width != want[i].Width ||
			len(got[i].Values) != len(want[i].Values) {
			t.Fatalf("a response of %d×%d with %d values, want %d×%d", got[i].Height, got[i].Width, len(got[i].Values),
				want[i].Height, want[i].Width)
		}
		for k, v := range want[i].Values {
			if !(math.Abs(got[i].Values[k]-v) <= tolerance*max(1, v)) {
				t.Fatalf("%+v, image %d, position %d: %v, want %v", o, i, k, got[i].Values[k], v)
			}
		}
	}
}

// Filters and images that do not fit in memory at once are computed in groups.
func TestResponsesInGroups(t *testing.T) {
	rng := random(4)
	x := noise(rng, 2, 480, 470, 1)
	w := normal(rng, 40, 9)
	var m mat.SymDense
	m.SymOuterK(1, w.T())
	o := Options{Pad: true}
	got, err := OfFilters(context.Background(), w, x, o)
	if err != nil {
		t.Fatal(err)
	}
	want := naiveResponses(&m, x, 3, o)
	if len(got) != len(want) {
		t.Fatalf("%d responses of %d images", len(got), len(want))
	}
	for i := range want {
		for k, v := range want[i].Values {
			if !(math.Abs(got[i].Values[k]-v) <= 1e-4*v) {
				t.Fatalf("image %d, position %d: %v, want %v", i, k, got[i].Values[k], v)
			}
		}
	}
}

// A vertical filter responds to a vertical edge, and a horizontal filter does not.
func TestFilterResponseOfAnEdge(t *testing.T) {
	x := rfm.Images{Height: 4, Width: 6, Channels: 1}
	for range x.Height {
		x.Pixels = append(x.Pixels, 0, 0, 0, 1, 1, 1)
	}
	vertical := mat.NewDense(1, 9, []float64{-1, 0, 1, -1, 0, 1, -1, 0, 1})
	horizontal := mat.NewDense(1, 9, []float64{-1, -1, -1, 0, 0, 0, 1, 1, 1})
	for _, c := range []struct {
		filter *mat.Dense
		row    []float64
	}{{vertical, []float64{0, 3, 3, 0}}, {horizontal, []float64{0, 0, 0, 0}}} {
		got, err := OfFilters(context.Background(), c.filter, x, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range got[0].Values {
			if v != c.row[k%4] {
				t.Errorf("position %d: %v, want %v", k, v, c.row[k%4])
			}
		}
	}
}

func TestResponsesRefused(t *testing.T) {
	rng := random(1)
	good := noise(rng, 1, 4, 4, 3)
	nan := noise(rng, 1, 4, 4, 3)
	nan.Pixels[5] = float32(math.NaN())
	for _, c := range []struct {
		name string
		x    rfm.Images
		d    int
		o    Options
	}{
		{"no square", good, 3 * 8, Options{}},
		{"other channels", good, 9, Options{}},
		{"no images", rfm.Images{}, 27, Options{}},
		{"not a number", nan, 27, Options{}},
		{"small images", good, 75, Options{}},
		{"even patches", good, 12, Options{Pad: true}},
	} {
		_, err := Of(context.Background(), rfm.Identity(c.d), c.x, c.o)
		var input *rfm.InputError
		if !errors.As(err, &input) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Of(context.Background(), rfm.Identity(27), noise(rng, 1, 2, 2, 3),
		Options{Pad: true}); err != nil {
		t.Errorf("padded images smaller than a patch: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Of(ctx, rfm.Identity(27), good, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}
