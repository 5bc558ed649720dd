// Package responses measures how strongly metrics and filters respond to the patches of images.
package responses

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// Map holds a response for every patch of an image, row by row.
type Map struct {
	Height, Width int
	Values        []float64
}

// Options says how responses are computed. With the zero value they are ‖M^½h‖, for the patches h that lie
// within the image.
type Options struct {
	// Whole computes ‖Mh‖ instead of ‖M^½h‖; only [Of] uses it.
	Whole bool
	// Pad surrounds images by zeros, so that a map has the size of the image; q must be odd.
	Pad bool

	Precision graph.Precision
	Backend   string // native, go or gpu; "" is the default one
	Threads   int    // 0 is all cores
}

// Of returns, for every image, the norms ‖M^½h‖ of its patches h (paper cnfa, section 2.2). M is a metric of
// patches of channels·q·q elements in the order (channel, row, column); its size determines q.
func Of(ctx context.Context, m *rfm.Metric, x rfm.Images, o Options) ([]Map, error) {
	w, err := m.Filters(o.Whole)
	if err != nil {
		return nil, err
	}
	return OfFilters(ctx, w, x, o)
}

// OfFilters returns, for every image, the norms ‖Wh‖ of its patches h, or |vᵀh| for one filter v. The
// rows of W are the filters, in the order (channel, row, column). Its memory does not grow with the number
// of images or filters.
func OfFilters(ctx context.Context, w *mat.Dense, x rfm.Images, o Options) ([]Map, error) {
	if err := x.Check("given"); err != nil {
		return nil, err
	}
	_, dim := w.Dims()
	q, err := patchSide(dim, x.Channels)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Pad && q%2 == 0:
		return nil, badInput("patches of %d×%d have no central pixel: padding cannot keep the images' size", q, q)
	case !o.Pad && min(x.Height, x.Width) < q:
		return nil, badInput("images of %d×%d×%d are smaller than the patches of %d×%d", x.Channels, x.Height, x.Width, q, q)
	}
	d, err := backend.Open(backend.Options{Backend: o.Backend, Threads: o.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	r, err := newResponder(d, w, x, q, o)
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// patchSide returns the q of patches of dim = channels·q·q elements.
func patchSide(dim, channels int) (int, error) {
	q := int(math.Round(math.Sqrt(float64(dim) / float64(channels))))
	if q < 1 || channels*q*q != dim {
		return 0, badInput("%d elements are no square patch of images of %d channels", dim, channels)
	}
	return q, nil
}

// responder convolves batches of images with groups of filters.
type responder struct {
	w             *mat.Dense
	images        rfm.Images
	height, width int // of a map
	batch, group  int // images and filters at a time

	graph           *graph.Graph
	x, filters, sum *graph.Node
}

// responseElements is about how many values are computed at a time.
const responseElements = 1 << 23

func newResponder(d *backend.Device, w *mat.Dense, x rfm.Images, q int, o Options) (*responder, error) {
	r := &responder{w: w, images: x, height: x.Height - q + 1, width: x.Width - q + 1, graph: graph.New(d, o.Precision)}
	geometry := graph.Conv2D{}
	if o.Pad {
		r.height, r.width, geometry = x.Height, x.Width, graph.Square(1, q/2)
	}
	count, _ := w.Dims()
	r.group = min(count, max(1, responseElements/(r.height*r.width)))
	r.batch = min(x.Len(), max(1, responseElements/(r.height*r.width*r.group)))
	g := r.graph
	r.x = g.Input("x", r.batch, x.Height, x.Width, x.Channels)
	r.filters = g.Input("filters", r.group, x.Channels, q, q)
	z := g.Conv(r.x, r.filters, geometry)
	r.sum = g.DotCols(z, z)
	return r, g.Err()
}

// run returns the responses of all images.
func (r *responder) run(ctx context.Context) ([]Map, error) {
	p, err := r.graph.Compile(graph.Plan{Outputs: []*graph.Node{r.sum}})
	if err != nil {
		return nil, err
	}
	size, pixels := r.height*r.width, r.images.Height*r.images.Width*r.images.Channels
	out := make([]Map, r.images.Len())
	for lo := 0; lo < len(out); lo += r.batch {
		hi := min(lo+r.batch, len(out))
		tensors.PutPixels(r.graph.Data(r.x), r.images.Pixels[lo*pixels:hi*pixels])
		sums := mat.NewDense(1, r.batch*size, nil)
		if err := r.add(ctx, p, sums); err != nil {
			return nil, err
		}
		v := sums.RawRowView(0)
		for i := range v {
			v[i] = math.Sqrt(v[i])
		}
		for i := lo; i < hi; i++ {
			out[i] = Map{r.height, r.width, v[(i-lo)*size : (i-lo+1)*size]}
		}
	}
	return out, ctx.Err()
}

// add adds the squares of the program's outputs, summed over its filters, to sums.
func (r *responder) add(ctx context.Context, p *graph.Program, sums *mat.Dense) error {
	count, _ := r.w.Dims()
	for k := 0; k < count; k += r.group {
		tensors.PutRows(r.graph.Data(r.filters), r.w, k)
		if err := p.Run(ctx); err != nil {
			return fmt.Errorf("responses: %w", err)
		}
		tensors.AddRows(sums, 0, p.Value(r.sum))
	}
	return nil
}

func badInput(format string, args ...any) error {
	return &rfm.InputError{Reason: fmt.Sprintf(format, args...)}
}
