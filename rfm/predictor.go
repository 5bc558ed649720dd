package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// machinery holds the device and the precision of expressions, memory for kernel matrices, and a callback.
type machinery struct {
	device    *backend.Device
	precision graph.Precision
	progress  func(stage string, done, total int)
	room      *room
}

// room is memory for a kernel matrix that all iterations use.
type room struct{ elements []float64 }

// square returns an n×n matrix in the room, or in new memory if there is none. Its elements are arbitrary.
func (r *room) square(n int) *mat.SymDense {
	if r == nil {
		return mat.NewSymDense(n, nil)
	}
	if len(r.elements) < n*n {
		r.elements = make([]float64, n*n)
	}
	return mat.NewSymDense(n, r.elements[:n*n])
}

// report calls the callback, if there is one: done of total rows of a stage are done.
func (m machinery) report(stage string, done, total int) {
	if m.progress != nil {
		m.progress(stage, done, total)
	}
}

// predictor is the expression f(x) = Σⱼ αⱼ K(Wx, vⱼ) for batches of rows, with transformed centres vⱼ = Wzⱼ.
type predictor struct {
	*graph.Function
	machinery
	lens  *lens
	x     *graph.Node // batch×d
	alpha *graph.Node // n×outputs
}

// newPredictor builds the expression for centres v, n×r, and coefficients
// n×outputs. A batch has at most most rows.
func (m machinery) newPredictor(k Kernel, l *lens, v, alpha *mat.Dense, most int) (*predictor, error) {
	n, r := v.Dims()
	_, outputs := alpha.Dims()
	g := graph.New(m.device, m.precision)
	p := &predictor{machinery: m, lens: l, x: g.Input("x", batchRows(n, most), l.d)}
	centres := g.Param("centres", n, r)
	p.alpha = g.Param("alpha", n, outputs)
	tensors.Put(g, centres, v)
	tensors.Put(g, p.alpha, alpha)
	var err error
	p.Function, err = g.Function(g.MatMul(k.Matrix(g, l.through(g, p.x), centres), p.alpha, false, false))
	return p, err
}

// A batch has about as many elements of the kernel matrix as a cache holds, and enough rows for fast matrix
// products.
const (
	batchElements     = 1 << 20
	fewRows, manyRows = 64, 1024
)

// batchRows returns the number of rows of a batch for n centres, where there are at most most rows in all. It
// is no larger than needed, since a batch that is not full takes as long as a full one.
func batchRows(n, most int) int {
	return parallel.Evenly(max(1, most), max(fewRows, min(manyRows, batchElements/n)))
}

// predict returns f at the rows of x, n×outputs.
func (p *predictor) predict(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	return p.forward(ctx, "predict", p.Output, x)
}

// forward returns the values of a node for all rows of x.
func (p *predictor) forward(ctx context.Context, stage string, node *graph.Node, x *mat.Dense) (*mat.Dense, error) {
	program, err := p.Compile(graph.Plan{Outputs: []*graph.Node{node}, Repeat: []*graph.Node{p.x}})
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	out := mat.NewDense(n, node.Shape()[1], nil)
	run := program.Run // later Repeat: only what changes with x
	for i := 0; i < n; run = program.Repeat {
		count := p.load(x, i)
		if err := run(ctx); err != nil {
			return nil, err
		}
		tensors.TakeRows(out, i, count, program.Value(node))
		i += count
		p.report(stage, i, n)
	}
	return out, nil
}

// load sets a batch to the rows of x from row i on, as the lens sees them from its origin, and returns their number.
func (p *predictor) load(x *mat.Dense, i int) int {
	n, d := x.Dims()
	rows := x.Slice(i, min(i+p.x.Shape()[0], n), 0, d).(*mat.Dense)
	return tensors.PutRows(p.Data(p.x), p.lens.centre(rows), 0)
}

// see returns W(x − origin) for the rows of x, n×r.
func (m machinery) see(ctx context.Context, l *lens, x *mat.Dense) (*mat.Dense, error) {
	if l.full == nil && l.diag == nil {
		return l.centre(x), nil
	}
	n, _ := x.Dims()
	g := graph.New(m.device, m.precision)
	in := g.Input("x", parallel.Evenly(n, manyRows), l.d)
	f, err := g.Function(l.through(g, in))
	if err != nil {
		return nil, err
	}
	p := &predictor{Function: f, lens: l, x: in,
		machinery: machinery{device: m.device, precision: m.precision}}
	return p.forward(ctx, "", f.Output, x)
}
