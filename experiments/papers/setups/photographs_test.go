package setups

import (
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/responses"
	"gonum.org/v1/gonum/mat"
)

// ramp returns an image that rises by 1 per pixel in a direction, given in degrees.
func ramp(angle float64, side int) rfm.Images {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	x := rfm.Images{Height: side, Width: side, Channels: 1}
	for i := range side {
		for j := range side {
			x.Pixels = append(x.Pixels, float32(cos*float64(j)-sin*float64(i)))
		}
	}
	return x
}

// A ramp has slope 1 in its own direction and the cosine of the angle in other directions. Its gradient is 1.
func TestSlopes(t *testing.T) {
	for _, q := range []int{3, 5, 7} {
		for angle := 0.; angle < 360; angle += 30 {
			x := ramp(angle, 9)
			for _, along := range []float64{0, 45, 90, angle} {
				r, err := responses.OfFilters(t.Context(), slopeFilters(along, 1, q), x, responses.Options{})
				if err != nil {
					t.Fatal(err)
				}
				want := math.Abs(math.Cos((along - angle) * math.Pi / 180))
				if len(r[0].Values) != (10-q)*(10-q) || math.Abs(r[0].Values[3]-want) > 1e-5 {
					t.Fatalf("q = %d: a ramp at %v° has the slope %v at %v°, want %v", q, angle, r[0].Values[3], along,
						want)
				}
			}
			g, err := GradientNorms(t.Context(), x, q)
			if err != nil || math.Abs(g[0].Values[0]-1) > 1e-5 {
				t.Fatalf("a gradient of %v, %v", g, err)
			}
		}
	}
}

// The derivative on a patch of q×q is Sobel's 3×3 filter after q/2 − 1 binomial smoothings of 3×3: both have the same
// responses.
func TestSlopesScale(t *testing.T) {
	const side = 20
	x := rfm.Images{Height: side, Width: side, Channels: 1}
	for k := range side * side {
		x.Pixels = append(x.Pixels, float32(k*k%37)/37)
	}
	filter := func(w *mat.Dense, x rfm.Images) responses.Map {
		r, err := responses.OfFilters(t.Context(), w, x, responses.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r[0]
	}
	sobel := mat.NewDense(1, 9, []float64{-.125, 0, .125, -.25, 0, .25, -.125, 0, .125})
	blur := mat.NewDense(1, 9, []float64{.0625, .125, .0625, .125, .25, .125, .0625, .125, .0625})
	smooth := x
	for _, q := range []int{3, 5, 7} {
		got, want := filter(slopeFilters(0, 1, q), x), filter(sobel, smooth)
		for k, v := range want.Values {
			if math.Abs(got.Values[k]-v) > 1e-5 {
				t.Fatalf("q = %d: position %d has the slope %v, want %v", q, k, got.Values[k], v)
			}
		}
		r := filter(blur, smooth)
		smooth = rfm.Images{Height: r.Height, Width: r.Width, Channels: 1}
		for _, v := range r.Values {
			smooth.Pixels = append(smooth.Pixels, float32(v))
		}
	}
}

// The responses of an eigenvector that is a vertical edge follow the slopes to the right.
func TestAligned(t *testing.T) {
	x := rfm.Images{Height: 20, Width: 20, Channels: 1, Pixels: make([]float32, 400)}
	for i := range 400 { // a square
		if r, c := i/20, i%20; r > 5 && r < 15 && c > 5 && c < 15 {
			x.Pixels[i] = 1
		}
	}
	v := gradientPatch(3, func(x, _ float64) float64 { return x / math.Sqrt(6) })
	e := kernelmachine.Eigenpatch{Vector: v, Share: 1, Orientation: kernelmachine.OrientationOf(v, 3)}
	if got, err := EdgeAlignment(t.Context(), e, x, 3); err != nil || got < .5 {
		t.Errorf("aligned by %v, %v", got, err)
	}
	// If the eigenvector is said to be horizontal, its responses oppose the slopes.
	e.Orientation.Angle = 0
	if got, err := EdgeAlignment(t.Context(), e, x, 3); err != nil || got > -.5 {
		t.Errorf("aligned by %v, %v", got, err)
	}
}

// Without a folder of photographs, dead leaves replace them, with a note.
func TestPhotographs(t *testing.T) {
	o := &study.Outcome{}
	x, err := PhotographsSpec{Folder: "photos", Count: 2, Size: 24}.Open(t.Context(),
		study.Setting{DataDir: t.TempDir()}, o)
	if err != nil || x.Len() != 2 || x.Height != 24 || x.Channels != 3 || len(o.Notes) != 1 {
		t.Errorf("%d images of %d×%d, notes %q, %v", x.Len(), x.Height, x.Width, o.Notes, err)
	}
	if _, err := (PhotographsSpec{Folder: "photos", Count: 0, Size: 24}).Open(t.Context(), study.Setting{},
		o); !input.IsError(err) {
		t.Errorf("no photographs: %v", err)
	}
}

// gradientPatch returns a patch of q×q pixels with the values f(x, y). The origin is the centre, x grows to the right
// and y grows upwards.
func gradientPatch(q int, f func(x, y float64) float64) []float64 {
	var v []float64
	for i := range q {
		for j := range q {
			v = append(v, f(float64(j)-float64(q-1)/2, float64(q-1)/2-float64(i)))
		}
	}
	return v
}
