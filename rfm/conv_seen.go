package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// seenBytes is how much memory the patches of the images of one side of a kernel
// matrix may take. Those of further images are made when they are needed.
const seenBytes = 1 << 30

// sight is how a kernel sees images: their patches through the metric.
type sight struct {
	grid Grid
	lens *lens
}

// r is the length of a patch that is seen.
func (s sight) r() int { return s.lens.r }

// size is the number of elements of an image that is seen.
func (s sight) size() int { return s.grid.Positions() * s.r() }

// eye makes the patches of a few images at a time.
type eye[T backend.Float] struct {
	sight
	program *graph.Program
	x       *graph.Node
	images  int // at a time
	out     *graph.Node
	room    []T
}

// space returns memory for n elements, the same every time.
func (e *eye[T]) space(n int) []T {
	if len(e.room) < n {
		e.room = make([]T, n)
	}
	return e.room[:n]
}

// newEye builds the expression u = Wh of all patches h.
func newEye[T backend.Float](m machinery, s sight, images int) (*eye[T], error) {
	g := graph.New(m.device, m.precision)
	e := &eye[T]{sight: s, images: images}
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
func (s sight) patches(g *graph.Graph, x *graph.Node) *graph.Node {
	q := s.grid.Patch
	switch {
	case s.lens.full != nil:
		w := g.Param("W", s.r(), s.grid.Channels, q, q)
		put(g, w, s.lens.full)
		return g.Conv(x, w, s.grid.geometry())
	case s.lens.diag != nil:
		w := g.Param("W", s.r())
		put(g, w, mat.NewDense(1, s.r(), s.lens.diag))
		return g.RowMul(g.Patches(x, q, q, s.grid.geometry()), w)
	}
	return g.Patches(x, q, q, s.grid.geometry())
}

// see writes the patches of images, (image, position, r).
func (e *eye[T]) see(ctx context.Context, x Images, out []T) error {
	for lo := 0; lo < x.Len(); lo += e.images {
		hi := min(lo+e.images, x.Len())
		putPixels(e.program.Value(e.x), x.Slice(lo, hi).Pixels)
		if err := e.program.Run(ctx); err != nil {
			return err
		}
		copy(out[lo*e.size():hi*e.size()], e.program.Value(e.out).Data().([]T))
	}
	return nil
}

// putPixels writes pixels into t, and zeros after them.
func putPixels(t *tensor.Dense, px []float32) {
	switch x := t.Data().(type) {
	case []float32:
		clear(x[copy(x, px):])
	case []float64:
		for i, v := range px {
			x[i] = float64(v)
		}
		clear(x[len(px):])
	}
}

// seen is images with the patches of the first of them.
type seen[T backend.Float] struct {
	sight
	images Images
	kept   []T // (image, position, r)
}

// keeps is how many images' patches are kept.
func (s *seen[T]) keeps() int { return len(s.kept) / s.size() }

// place writes the patches of the images from lo on into dst, (position, slot, r),
// as many as there are up to hi; further slots are zeros.
func (s *seen[T]) place(ctx context.Context, e *eye[T], lo, hi, slots int, dst []T) error {
	have := min(max(s.keeps()-lo, 0), hi-lo)
	if have > 0 {
		s.lay(s.kept[lo*s.size():(lo+have)*s.size()], 0, slots, dst)
	}
	if lo+have < hi {
		fresh := e.space((hi - lo - have) * s.size())
		if err := e.see(ctx, s.images.Slice(lo+have, hi), fresh); err != nil {
			return err
		}
		s.lay(fresh, have, slots, dst)
	}
	for p := range s.grid.Positions() {
		clear(dst[(p*slots+hi-lo)*s.r() : (p+1)*slots*s.r()])
	}
	return nil
}

// lay copies images' patches into slots from the first on.
func (s *seen[T]) lay(patches []T, first, slots int, dst []T) {
	r, positions := s.r(), s.grid.Positions()
	for i := range len(patches) / s.size() {
		image := patches[i*s.size() : (i+1)*s.size()]
		for p := range positions {
			copy(dst[(p*slots+first+i)*r:][:r], image[p*r:(p+1)*r])
		}
	}
}
