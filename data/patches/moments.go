package patches

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ansatz-lab/ansatz/data"
	"gonum.org/v1/gonum/mat"
)

// checkPatch returns an error unless ds has images and patches of q×q pixels fit into them.
func checkPatch(ds data.Dataset, q int) error {
	s := ds.Shape()
	if q < 1 || q > min(s.Height, s.Width) {
		return fmt.Errorf("patches: sides of %d pixels: expected 1 to %d, the images of %s are %v", q, min(s.Height, s.Width),
			ds.Name(), s)
	}
	if ds.Len() == 0 {
		return fmt.Errorf("patches: %s has no images", ds.Name())
	}
	return nil
}

// blockPixels is the approximate number of values in a block: as float64 they fit into a core's cache.
const blockPixels = 1 << 16

// A block holds consecutive images of a dataset.
type block struct {
	images int
	shape  data.Shape
	pixels []float64 // in image, channel, row, column order
}

// image returns the pixels of image i of the block.
func (b *block) image(i int) []float64 {
	n := b.shape.Pixels()
	return b.pixels[i*n:][:n]
}

// forBlocks calls do with all images of ds, in order, a block at a time. It stops when ctx is done.
func forBlocks(ctx context.Context, ds data.Dataset, do func(*block)) error {
	s := ds.Shape()
	p := data.Pipeline{Dataset: ds, Batch: 1 + blockPixels/s.Pixels(), Sequential: true}
	b := &block{shape: s, pixels: make([]float64, p.Batch*s.Pixels())}
	for batch, err := range p.Epoch(ctx, 0, 0) {
		if err != nil {
			return err
		}
		b.images = len(batch.Labels)
		for i := range b.images {
			splitChannels(b.image(i), batch.Pixels[i*s.Pixels():][:s.Pixels()], s.Channels)
		}
		do(b)
	}
	return nil
}

// splitChannels converts an image from row, column, channel order to channel, row, column order.
func splitChannels(dst []float64, px []float32, channels int) {
	area := len(px) / channels
	for c := range channels {
		plane := dst[c*area:][:area]
		for k := range plane {
			plane[k] = float64(px[k*channels+c])
		}
	}
}

// patchMoments sums the q×q patches h of images, and hhᵀ.
//
// Take two places in a patch, in channels a and b, at a distance (rows, columns). The products of their pixels, over all
// patches, are the products of the image with itself moved by that distance; each such pair of places sums them over its
// own window of the image. So each product is computed once and not once per patch: q²/2 times less work.
type patchMoments struct {
	shape   data.Shape
	q       int
	offsets []offset
	patches int
	sum     []float64 // Σh: d
	second  []float64 // Σhhᵀ: d×d; of two symmetric entries only one is set
}

// An offset leads from a pixel in channel a to the same or a later pixel, in reading
// order, in channel b.
type offset struct{ a, b, rows, columns int }

func newPatchMoments(s data.Shape, q int) *patchMoments {
	d := s.Channels * q * q
	m := &patchMoments{shape: s, q: q, sum: make([]float64, d), second: make([]float64, d*d)}
	for a := range s.Channels {
		for b := range s.Channels {
			for rows := range q {
				for columns := 1 - q; columns < q; columns++ {
					if rows > 0 || columns > 0 || columns == 0 && a <= b {
						m.offsets = append(m.offsets, offset{a, b, rows, columns})
					}
				}
			}
		}
	}
	return m
}

// add adds the patches of a block. The cores share the offsets, not the images, so that
// every sum is in the order of the images.
func (m *patchMoments) add(b *block) {
	rows, columns := m.windows()
	m.patches += b.images * rows * columns
	var team sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		team.Go(func() {
			plane := make([]float64, m.shape.Height*m.shape.Width)
			for k := int(next.Add(1)) - 1; k < len(m.offsets); k = int(next.Add(1)) - 1 {
				m.addProducts(b, m.offsets[k], plane)
			}
		})
	}
	team.Wait()
	m.addSums(b)
}

// windows returns the number of rows and columns at which a patch can begin. That is also the size of the window of
// pixels that one place in the patch passes over.
func (m *patchMoments) windows() (rows, columns int) {
	return m.shape.Height - m.q + 1, m.shape.Width - m.q + 1
}

// addProducts adds the products of pixels at offset o. The plane is scratch memory for a product per pixel; products whose
// partner lies beyond the end of a row are computed but not used.
func (m *patchMoments) addProducts(b *block, o offset, plane []float64) {
	area := len(plane)
	by := o.rows*m.shape.Width + o.columns
	clear(plane)
	for i := range b.images {
		img := b.image(i)
		addProduct(plane[:area-by], img[o.a*area:], img[o.b*area+by:])
	}
	m.forWindows(plane, func(row, column int, sum float64) {
		row2, column2 := row+o.rows, column+o.columns
		if row2 < m.q && column2 >= 0 && column2 < m.q {
			m.second[m.place(o.a, row, column)*len(m.sum)+m.place(o.b, row2, column2)] += sum
		}
	})
}

// addSums adds the patches themselves.
func (m *patchMoments) addSums(b *block) {
	area := m.shape.Height * m.shape.Width
	plane := make([]float64, area)
	for c := range m.shape.Channels {
		clear(plane)
		for i := range b.images {
			for k, v := range b.image(i)[c*area:][:area] {
				plane[k] += v
			}
		}
		m.forWindows(plane, func(row, column int, sum float64) { m.sum[m.place(c, row, column)] += sum })
	}
}

// forWindows calls do with each place in a patch and the sum of a plane over the pixels
// that this place passes over. It changes the plane.
func (m *patchMoments) forWindows(plane []float64, do func(row, column int, sum float64)) {
	width := m.shape.Width
	for k := width; k < len(plane); k++ {
		plane[k] += plane[k-width]
	}
	rows, columns := m.windows()
	sums := make([]float64, width+1) // sums over the window's rows and all columns before an index
	for row := range m.q {
		for x := range width {
			column := plane[(row+rows-1)*width+x]
			if row > 0 {
				column -= plane[(row-1)*width+x]
			}
			sums[x+1] = sums[x] + column
		}
		for column := range m.q {
			do(row, column, sums[column+columns]-sums[column])
		}
	}
}

// place returns the index of a pixel in a patch.
func (m *patchMoments) place(channel, row, column int) int {
	return (channel*m.q+row)*m.q + column
}

// moments returns the mean patch and the covariance of the patches.
func (m *patchMoments) moments() (mean []float64, covariance *mat.SymDense) {
	n, d := float64(m.patches), len(m.sum)
	for _, v := range m.sum {
		mean = append(mean, v/n)
	}
	covariance = mat.NewSymDense(d, nil)
	for k := range d {
		for l := k; l < d; l++ {
			// Off the diagonal, one of the two entries is 0.
			v := m.second[k*d+l]
			if k != l {
				v += m.second[l*d+k]
			}
			covariance.SetSym(k, l, v/n-float64(mean[k]*mean[l]))
		}
	}
	return mean, covariance
}

// addProduct adds a·b to dst, element by element. The conversion forbids fused
// operations, so that every machine computes the same.
func addProduct(dst, a, b []float64) {
	a, b = a[:len(dst)], b[:len(dst)]
	for k := range dst {
		dst[k] += float64(a[k] * b[k])
	}
}
