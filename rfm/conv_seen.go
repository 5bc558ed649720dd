package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// keptPatchBytes bounds the memory of the transformed patches that are kept for one side of a kernel matrix.
// The patches of further images are computed when they are needed.
const keptPatchBytes = 1 << 30

// patchView describes the transformed patches Wh of an image that a kernel reads.
type patchView struct {
	grid Grid
	lens *lens // its origin is an image
}

// patchViewFor returns the patches that a kernel with a metric reads. For a kernel of differences of patches at one position,
// the origin is the mean of the training images, for the reason given at [Metric.lensFor].
func patchViewFor(k ConvKernel, m *Metric, whole bool, train Images, grid Grid) (patchView, error) {
	l, err := m.lensOf(whole)
	if err != nil {
		return patchView{}, err
	}
	if _, differences := k.(PatchLaplace); differences {
		l.origin = train.mean()
	}
	return patchView{grid: grid, lens: l}, nil
}

// r returns the length of a transformed patch Wh, and size the number of elements of all those of an image.
func (s patchView) r() int    { return s.lens.r }
func (s patchView) size() int { return s.grid.Positions() * s.r() }

// patchExtractor computes the transformed patches of a few images at a time.
type patchExtractor[T backend.Float] struct {
	patchView
	program *graph.Program
	x       *graph.Node
	images  int // at a time
	out     *graph.Node
	room    []T
}

// space returns memory for n elements, which the next call reuses.
func (e *patchExtractor[T]) space(n int) []T {
	if len(e.room) < n {
		e.room = make([]T, n)
	}
	return e.room[:n]
}

// newPatchExtractor compiles the expression u = Wh of all patches h of some images.
func newPatchExtractor[T backend.Float](m machinery, s patchView, images int) (*patchExtractor[T], error) {
	g := graph.New(m.device, m.precision)
	e := &patchExtractor[T]{patchView: s, images: images}
	e.x = g.Input("x", images, s.grid.Height, s.grid.Width, s.grid.Channels)
	e.out = s.patches(g, e.x)
	if err := g.Err(); err != nil {
		return nil, err
	}
	var err error
	e.program, err = g.Compile(graph.Plan{Outputs: []*graph.Node{e.out}})
	return e, err
}

// patches builds Wh for the patches of images, (image, position, r).
func (s patchView) patches(g *graph.Graph, x *graph.Node) *graph.Node {
	q := s.grid.Patch
	switch {
	case s.lens.full != nil:
		w := g.Param("W", s.r(), s.grid.Channels, q, q)
		tensors.Put(g, w, s.lens.full)
		return g.Conv(x, w, s.grid.geometry())
	case s.lens.diag != nil:
		w := g.Param("W", s.r())
		tensors.Put(g, w, mat.NewDense(1, s.r(), s.lens.diag))
		return g.RowMul(g.Patches(x, q, q, s.grid.geometry()), w)
	}
	return g.Patches(x, q, q, s.grid.geometry())
}

// extract subtracts the origin from images and writes their transformed patches to out, (image, position, r).
func (e *patchExtractor[T]) extract(ctx context.Context, x Images, out []T) error {
	for lo := 0; lo < x.Len(); lo += e.images {
		hi := min(lo+e.images, x.Len())
		tensors.PutPixels(e.program.Value(e.x), x.Slice(lo, hi).Pixels)
		px, origin := e.program.Value(e.x).Data().([]T), e.lens.origin
		for i := range (hi - lo) * len(origin) {
			px[i] -= T(origin[i%len(origin)])
		}
		if err := e.program.Run(ctx); err != nil {
			return err
		}
		copy(out[lo*e.size():hi*e.size()], e.program.Value(e.out).Data().([]T))
	}
	return nil
}

// patchStore provides the transformed patches of images, and keeps those of the first images in memory.
type patchStore[T backend.Float] struct {
	patchView
	images Images
	kept   []T // (image, position, r)
}

// keeps returns the number of images whose patches are kept.
func (s *patchStore[T]) keeps() int { return len(s.kept) / s.size() }

// place writes the patches of the images lo ≤ i < hi into dst, (position, slot, r). Slots without an image are zeros.
func (s *patchStore[T]) place(ctx context.Context, e *patchExtractor[T], lo, hi, slots int, dst []T) error {
	have := min(max(s.keeps()-lo, 0), hi-lo)
	if have > 0 {
		s.copySlots(s.kept[lo*s.size():(lo+have)*s.size()], 0, slots, dst)
	}
	if lo+have < hi {
		fresh := e.space((hi - lo - have) * s.size())
		if err := e.extract(ctx, s.images.Slice(lo+have, hi), fresh); err != nil {
			return err
		}
		s.copySlots(fresh, have, slots, dst)
	}
	for p := range s.grid.Positions() {
		clear(dst[(p*slots+hi-lo)*s.r() : (p+1)*slots*s.r()])
	}
	return nil
}

// copySlots copies the patches of images into slots from the first on.
func (s *patchStore[T]) copySlots(patches []T, first, slots int, dst []T) {
	r, positions := s.r(), s.grid.Positions()
	for i := range len(patches) / s.size() {
		image := patches[i*s.size() : (i+1)*s.size()]
		for p := range positions {
			copy(dst[(p*slots+first+i)*r:][:r], image[p*r:(p+1)*r])
		}
	}
}
