package data

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/random"
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"
)

// power returns the power spectrum of a square image, with frequency (v, u) at index v·side+u. A Hann window suppresses
// the jumps at the borders, which would act like edges.
func power(px []float64) []float64 {
	side := int(math.Sqrt(float64(len(px))))
	fft := fourier.NewCmplxFFT(side)
	mean := stat.Mean(px, nil)
	hann := func(k int) float64 { return .5 - .5*math.Cos(2*math.Pi*(float64(k)+.5)/float64(side)) }
	grid := make([]complex128, len(px))
	for k, v := range px {
		grid[k] = complex((v-mean)*hann(k/side)*hann(k%side), 0)
	}
	for y := range side {
		fft.Coefficients(grid[y*side:][:side], slices.Clone(grid[y*side:][:side]))
	}
	column := make([]complex128, side)
	spectrum := make([]float64, len(px))
	for x := range side {
		for y := range side {
			column[y] = grid[y*side+x]
		}
		for y, c := range fft.Coefficients(nil, column) {
			spectrum[y*side+x] = cmplx.Abs(c) * cmplx.Abs(c)
		}
	}
	return spectrum
}

// slope returns the exponent a for which the mean power of images falls like 1/fᵃ. It averages the power over circles
// of frequencies from 3 cycles per image to 3/4 of the Nyquist frequency, and fits the logarithms by least squares.
func slope(images [][]float64) float64 {
	side := int(math.Sqrt(float64(len(images[0]))))
	sum, count := make([]float64, side), make([]float64, side)
	for _, px := range images {
		for k, v := range power(px) {
			dy, dx := min(k/side, side-k/side), min(k%side, side-k%side)
			f := int(math.Round(math.Hypot(float64(dx), float64(dy))))
			sum[f], count[f] = sum[f]+v, count[f]+1
		}
	}
	var x, y []float64
	for f := 3; f <= side*3/8; f++ {
		x, y = append(x, math.Log(float64(f))), append(y, math.Log(sum[f]/count[f]))
	}
	_, a := stat.LinearRegression(x, y, nil, false)
	return -a
}

// TestDeadLeavesSpectrum checks that the spectrum falls about as that of natural images does, like 1/f². The spectrum
// of white noise must come out flat.
func TestDeadLeavesSpectrum(t *testing.T) {
	for _, spec := range []string{"deadleaves", "deadleaves:disks", "deadleaves:leaves,textured",
		"deadleaves:disks,textured"} {
		for _, side := range []int{32, 64} {
			ds := mustOpen(t, spec, Options{Size: side})
			var images [][]float64
			for i := range 2048 / side {
				px, _ := mustRead(t, ds, i)
				images = append(images, grey(px, ds.Shape()))
			}
			a := slope(images)
			t.Logf("%s of %d pixels: 1/f^%.2f", spec, side, a)
			if a < 1.6 || a > 2.4 {
				t.Errorf("the power of %s of %d pixels falls like 1/f^%.2f", spec, side, a)
			}
		}
	}
	rng := random.New(0, "white", 0)
	var white [][]float64
	for range 64 {
		px := make([]float64, 64*64)
		for k := range px {
			px[k] = rng.Normal()
		}
		white = append(white, px)
	}
	if a := slope(white); math.Abs(a) > .2 {
		t.Errorf("the power of white noise falls like 1/f^%.2f", a)
	}
}
