package data

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// grey returns, for every pixel by rows, the mean over the channels of an image of shape s.
func grey(px []float32, s Shape) []float64 {
	mean := make([]float64, s.Height*s.Width)
	for k, v := range px {
		mean[k/s.Channels] += float64(v) / float64(s.Channels)
	}
	return mean
}

// TestDeadLeavesLabels checks that the direction of the edges tells the label, and that the mean brightness does not.
func TestDeadLeavesLabels(t *testing.T) {
	for _, spec := range []string{"deadleaves", "deadleaves:leaves,textured"} {
		const n = 400
		ds := mustOpen(t, spec, Options{Count: n})
		right := 0.
		var brightness [2][]float64
		for i := range n {
			px, label := mustRead(t, ds, i)
			g := grey(px, ds.Shape())
			brightness[label] = append(brightness[label], stat.Mean(g, nil))
			across, down := edges(g, 32)
			if (across > down) == (label == 1) {
				right++
			}
		}
		if len(brightness[0]) != n/2 || len(brightness[1]) != n/2 {
			t.Errorf("%s: %d lie and %d stand", spec, len(brightness[0]), len(brightness[1]))
		}
		if right < .95*n {
			t.Errorf("%s: the direction of the edges tells the class of %g of %d", spec, right, n)
		}
		lying, sd := stat.MeanStdDev(brightness[0], nil)
		standing := stat.Mean(brightness[1], nil)
		if math.Abs(lying-standing) > 4*sd*math.Sqrt(2/(n/2.)) {
			t.Errorf("%s: leaves that lie have brightness %.3f, those that stand %.3f", spec, lying, standing)
		}
	}
}

// edges returns the sums of the squared differences between neighbours in a row, and between neighbours in a column.
func edges(px []float64, side int) (across, down float64) {
	for k, v := range px {
		if k%side > 0 {
			across += (v - px[k-1]) * (v - px[k-1])
		}
		if k >= side {
			down += (v - px[k-side]) * (v - px[k-side])
		}
	}
	return across, down
}

func BenchmarkDeadLeaves(b *testing.B) {
	for _, side := range []int{32, 64, 256} {
		b.Run(Shape{3, side, side}.String(), func(b *testing.B) {
			ds := mustOpen(b, "deadleaves", Options{Size: side, Count: maxCount})
			source := ds.(eightBit).source.(*deadLeaves)
			source.drawn = nil
			for i := 0; b.Loop(); i++ {
				source.image(i, nil)
			}
			reportImages(b, 1)
		})
	}
}
