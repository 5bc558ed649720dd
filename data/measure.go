package data

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// measureBatch is the approximate number of values that Measure reads at once.
const measureBatch = 1 << 22

// Measure returns the mean and the standard deviation of each channel over the pixels of a dataset, as a Normalisation
// called "dataset". It reads at most limit images, evenly spread because folders are sorted by class; 0 or less means
// all images. It counts byte pixels exactly, and sums others in float64 in the order of the images. The variance has the
// number of pixels as denominator. A constant channel gets the standard deviation 1, so that it becomes 0. It is an error
// if all channels are constant, or the dataset is empty.
func Measure(ds Dataset, limit int) (Normalisation, error) {
	ds = Spread(ds, limit)
	pixels := ds.Shape().Pixels()
	if ds.Len() == 0 || pixels == 0 {
		return Normalisation{}, fmt.Errorf("data: measuring %s: it has no pixels", ds.Name())
	}
	if h := newHistogram(ds); h != nil {
		return h.normalisation().checkedFor(ds)
	}
	batch := min(ds.Len(), 1+measureBatch/pixels)
	px, labels := make([]float32, batch*pixels), make([]int, batch)
	loader := Loader{Dataset: ds}
	m := make([]moments, ds.Shape().Channels)
	for lo := 0; lo < ds.Len(); lo += batch {
		n := min(batch, ds.Len()-lo)
		if err := loader.Load(context.Background(), lo, lo+n, px[:n*pixels], labels[:n]); err != nil {
			return Normalisation{}, err
		}
		addPixels(m, px[:n*pixels])
	}
	return newNormalisation(m).checkedFor(ds)
}

// checkedFor returns the normalisation measured on a set, with constant channels handled, or an error if it is not valid.
func (n Normalisation) checkedFor(ds Dataset) (Normalisation, error) {
	varies := slices.Max(n.Std) > 0
	for c, std := range n.Std {
		if std == 0 && varies {
			n.Std[c] = 1
		}
	}
	if err := n.Check(len(n.Mean)); err != nil {
		return Normalisation{}, fmt.Errorf("data: measuring %s: %w", ds.Name(), err)
	}
	return n, nil
}

// moments sums a channel's values minus the first, and their squares, so that a constant has a variance of exactly 0.
type moments struct {
	n, first, sum, squares float64
}

// addPixels adds pixels, whose last axis is the channel, to the moments of their channels.
func addPixels(m []moments, px []float32) {
	for c := range m {
		s := m[c]
		if s.n == 0 {
			s.first = float64(px[c])
		}
		for k := c; k < len(px); k += len(m) {
			d := float64(px[k]) - s.first
			s.sum += d
			s.squares += float64(d * d)
		}
		s.n += float64(len(px) / len(m))
		m[c] = s
	}
}

func newNormalisation(m []moments) Normalisation {
	n := Normalisation{Name: datasetNormalisation}
	for _, s := range m {
		mean := s.sum / s.n
		n.Mean = append(n.Mean, float32(s.first+mean))
		n.Std = append(n.Std, float32(math.Sqrt(max(0, s.squares/s.n-float64(mean*mean)))))
	}
	return n
}

// histogram counts the byte values of each channel.
type histogram [][256]int64

// newHistogram counts the bytes of all images of a set, in parallel. It returns nil if the set does not store bytes, or
// stops giving them, as a watched set does.
func newHistogram(ds Dataset) histogram {
	first, _, ok := bytesOf(ds, 0, make([]uint8, ds.Shape().Pixels()))
	if !ok {
		return nil
	}
	workers := min(runtime.GOMAXPROCS(0), ds.Len())
	parts := make([]histogram, workers)
	for w := range parts {
		parts[w] = make(histogram, ds.Shape().Channels)
	}
	parts[0].add(first)
	var wg sync.WaitGroup
	var stopped atomic.Bool
	for w := range parts {
		wg.Go(func() {
			scratch := make([]uint8, ds.Shape().Pixels())
			for i := 1 + w; i < ds.Len() && !stopped.Load(); i += workers {
				pix, _, ok := bytesOf(ds, i, scratch)
				if !ok {
					stopped.Store(true)
					return
				}
				parts[w].add(pix)
			}
		})
	}
	wg.Wait()
	if stopped.Load() {
		return nil
	}
	for _, p := range parts[1:] {
		parts[0].merge(p)
	}
	return parts[0]
}

// add counts the bytes of an image, channel by channel.
func (h histogram) add(pix []uint8) {
	area := len(pix) / len(h)
	for c := range h {
		counts := &h[c]
		for _, v := range pix[c*area : (c+1)*area] {
			counts[v]++
		}
	}
}

func (h histogram) merge(other histogram) {
	for c := range h {
		for v, n := range other[c] {
			h[c][v] += n
		}
	}
}

// normalisation returns the mean and the standard deviation of each channel, for pixels in [0,1].
func (h histogram) normalisation() Normalisation {
	n := Normalisation{Name: datasetNormalisation}
	for _, counts := range h {
		var pixels, sum int64
		for v, k := range counts {
			pixels, sum = pixels+k, sum+k*int64(v)
		}
		mean := float64(sum) / float64(pixels)
		deviation := 0.
		for v, k := range counts {
			d := float64(v) - mean
			deviation += float64(float64(k) * d * d)
		}
		n.Mean = append(n.Mean, float32(mean/0xff))
		n.Std = append(n.Std, float32(math.Sqrt(deviation/float64(pixels))/0xff))
	}
	return n
}
