package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// patchAGOP returns (1/n) Σ over images, positions and outputs of ∇f∇fᵀ for the predictor
// f(x) = Σⱼ αⱼK(x, zⱼ), where ∇ is the gradient in a patch of x (cnfa, Algorithm 1). It is Wᵀ(Σδδᵀ)W/n,
// where δ is the gradient in a transformed patch Wh. The kernel is computed in tiles of images and
// centres, and the gradients of only a few images are in memory at a time.
func (t *team) patchAGOP(ctx context.Context, k ConvKernel, s patchView, x, z Images, alpha *mat.Dense,
	report func(done, total int)) (*Metric, error) {
	var sum *mat.SymDense
	var err error
	if t.Precision == graph.Double {
		sum, err = cotangents[float64](ctx, t, k, s, x, z, alpha, report)
	} else {
		sum, err = cotangents[float32](ctx, t, k, s, x, z, alpha, report)
	}
	if err != nil {
		return nil, err
	}
	sum.ScaleSym(1/float64(x.Len()), sum)
	if w := s.lens.matrix(); w != nil {
		sum = moment.Of(sum).Sandwich(w)
	}
	return FullMetric(sum), nil
}

// matrix returns W, nil for the identity.
func (l *lens) matrix() mat.Matrix {
	switch {
	case l.full != nil:
		return l.full
	case l.diag != nil:
		return mat.NewDiagDense(l.d, l.diag)
	}
	return nil
}

// cotangents returns Σδδᵀ of patchAGOP.
func cotangents[T backend.Float](ctx context.Context, t *team, k ConvKernel, s patchView, x, z Images, alpha *mat.Dense,
	report func(done, total int)) (*mat.SymDense, error) {
	centres, err := extractPatches[T](ctx, t, s, z)
	if err != nil {
		return nil, err
	}
	points := &patchStore[T]{patchView: s, images: x}
	rows, cols := tileSides(k, s)
	rows, cols = min(rows, x.Len()), min(cols, z.Len())
	tasks := (x.Len() + rows - 1) / rows
	sum, order := mat.NewSymDense(s.r(), nil), &crew.InTurn{}
	err = t.Share(ctx, tasks, func(done int) { report(done, tasks) },
		func(member int) (func(context.Context, int) error, error) {
			g, err := newGradients(t.machinery(member), k, centres, alpha, rows, cols)
			return func(ctx context.Context, task int) error {
				moment, err := g.moment(ctx, points, task*rows, min((task+1)*rows, x.Len()))
				if err == nil {
					order.Do(task, func() { sum.AddSym(sum, moment.Sym()) })
				}
				return err
			}, err
		})
	return sum, err
}

// gradients computes the cotangents δ of a few images at a time.
type gradients[T backend.Float] struct {
	centres    *patchStore[T]
	alpha      *mat.Dense
	extractor  *patchExtractor[T]
	f          *graph.Function
	u, v, a    *graph.Node // patches of images and of centres, and the centres' α
	rows, cols int
	moments    *graph.Moments
}

func newGradients[T backend.Float](m machinery, k ConvKernel, centres *patchStore[T], alpha *mat.Dense, rows,
	cols int) (*gradients[T], error) {
	_, outputs := alpha.Dims()
	s := centres.patchView
	g := graph.New(m.device, m.precision)
	d := &gradients[T]{centres: centres, alpha: alpha, rows: rows, cols: cols}
	p, r := s.grid.Positions(), s.r()
	d.u, d.v, d.a = g.Input("u", p*rows, r), g.Param("v", p, cols*r), g.Param("alpha", cols, outputs)
	kernel := k.Matrix(g, s.grid, Patches{g.Reshape(d.u, p, rows*r), rows, r}, Patches{d.v, cols, r})
	if err := g.Err(); err != nil {
		return nil, err
	}
	var err error
	if d.f, err = g.Function(g.MatMul(kernel, d.a, false, false)); err != nil {
		return nil, err
	}
	if d.moments, err = d.f.Moments([]*graph.Node{d.u}, graph.Outputs{}); err != nil {
		return nil, err
	}
	d.extractor, err = newPatchExtractor[T](m, s, imagesAtOnce)
	return d, err
}

// moment returns Σδδᵀ of the images lo ≤ i < hi.
func (d *gradients[T]) moment(ctx context.Context, x *patchStore[T], lo, hi int) (moment.Moment, error) {
	if err := x.place(ctx, d.extractor, lo, hi, d.rows, d.f.Data(d.u).Data().([]T)); err != nil {
		return moment.Moment{}, err
	}
	n := d.centres.images.Len()
	parts := (n + d.cols - 1) / d.cols
	err := d.moments.BatchOfParts(ctx, hi-lo, parts, func(part int) error {
		first, last := part*d.cols, min((part+1)*d.cols, n)
		tensors.PutRows(d.f.Data(d.a), d.alpha, first)
		return d.centres.place(ctx, d.extractor, first, last, d.cols, d.f.Data(d.v).Data().([]T))
	})
	return d.moments.Take()[0], err
}
