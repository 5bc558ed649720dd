package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// machinery holds what a computation runs on: device, crew, precision, memory for kernel matrices, and a progress callback.
type machinery struct {
	device    *backend.Device
	crew      *crew.Crew // has as many threads as the device; nil if the device does all work
	precision graph.Precision
	progress  func(stage string, done, total int)
	room      *room
}

// room is memory for a kernel matrix, which all iterations reuse.
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

// openMachinery opens a device and a crew; closeAll closes them.
func openMachinery(backendName string, threads int, p graph.Precision) (m machinery, err error) {
	m.precision = p
	if m.device, err = backend.Open(backend.Options{Backend: backendName, Threads: threads}); err != nil {
		return m, err
	}
	if m.crew, err = crew.New(backendName, threads, p); err != nil {
		m.device.Close()
	}
	return m, err
}

func (m machinery) closeAll() {
	m.device.Close()
	m.crew.Close()
}

// members returns the crew, or the device as a crew of one.
func (m machinery) members() *crew.Crew {
	if m.crew != nil {
		return m.crew
	}
	return &crew.Crew{Devices: []*backend.Device{m.device}, Precision: m.precision}
}

// reports returns the callback for a stage.
func (m machinery) reports(stage string) func(done, total int) {
	return func(done, total int) { m.report(stage, done, total) }
}

// report calls the callback, if there is one: done of total rows of a stage are done.
func (m machinery) report(stage string, done, total int) {
	if m.progress != nil {
		m.progress(stage, done, total)
	}
}

// predictor is an expression for batches of rows: f(x) = Σⱼ αⱼ K(Wx, vⱼ) with transformed centres vⱼ = Wzⱼ, or another
// function of x.
type predictor struct {
	*graph.Function
	machinery
	lens  *lens
	rows  int // of a batch
	of    func(g *graph.Graph, x *graph.Node) *graph.Node
	x     *graph.Node // batch×d
	alpha *graph.Node // n×outputs
}

// express builds the expression of for batches of rows from which a lens subtracted its origin. It sets no parameter.
func (m machinery) express(l *lens, rows int, of func(g *graph.Graph, x *graph.Node) *graph.Node) (*predictor, error) {
	p := &predictor{machinery: m, lens: l, rows: rows, of: of}
	return p, p.build()
}

// build builds the expression on the device.
func (p *predictor) build() (err error) {
	g := graph.New(p.device, p.precision)
	p.x = g.Input("x", p.rows, p.lens.d)
	p.Function, err = g.Function(p.of(g, p.x))
	return err
}

// newPredictor builds the expression for centres v, n×r, and coefficients n×outputs. A batch has at most most rows.
func (m machinery) newPredictor(k Kernel, l *lens, v, alpha *mat.Dense, most int) (*predictor, error) {
	n, r := v.Dims()
	_, outputs := alpha.Dims()
	p, err := m.express(l, batchRows(n, most), func(g *graph.Graph, x *graph.Node) *graph.Node {
		centres, alpha := g.Param("centres", n, r), g.Param("alpha", n, outputs)
		return g.MatMul(k.Matrix(g, l.through(g, x), centres), alpha, false, false)
	})
	if err != nil {
		return nil, err
	}
	l.put(p.Graph)
	p.alpha = p.Named("alpha")
	tensors.Put(p.Graph, p.Named("centres"), v)
	tensors.Put(p.Graph, p.alpha, alpha)
	return p, nil
}

// A batch has about as many elements of the kernel matrix as a cache holds, and enough rows for fast matrix products.
const (
	batchElements     = 1 << 20
	fewRows, manyRows = 64, 1024
	transformRows     = 256 // for a lens alone, without a kernel
)

// batchRows returns the number of rows of a batch for n centres and at most most rows in all. It is no larger than needed,
// since a batch that is not full takes as long as a full one.
func batchRows(n, most int) int {
	return parallel.Evenly(max(1, most), max(fewRows, min(manyRows, batchElements/n)))
}

// forward returns the output for all rows of x. The crew shares the batches.
func (p *predictor) forward(ctx context.Context, stage string, x *mat.Dense) (*mat.Dense, error) {
	n, _ := x.Dims()
	batch := p.x.Shape()[0]
	out := mat.NewDense(n, p.Output.Shape()[1], nil)
	done := func(batches int) { p.report(stage, min(batches*batch, n), n) }
	c := p.members()
	err := c.Share(ctx, (n+batch-1)/batch, done, func(member int) (func(context.Context, int) error, error) {
		q, err := p.on(c.Devices[member])
		if err != nil {
			return nil, err
		}
		program, err := q.Compile(graph.Plan{Outputs: []*graph.Node{q.Output}, Repeat: []*graph.Node{q.x}})
		if err != nil {
			return nil, err
		}
		run := program.Run // later Repeat: only what changes with x
		return func(ctx context.Context, task int) error {
			i := task * batch
			count := q.load(x, i)
			err := run(ctx)
			if err == nil {
				run = program.Repeat
				tensors.TakeRows(out, i, count, program.Value(q.Output))
			}
			return err
		}, nil
	})
	return out, err
}

// on returns the predictor on another device. It reads the same centres, coefficients and weights.
func (p *predictor) on(d *backend.Device) (*predictor, error) {
	if d == p.device {
		return p, nil
	}
	q := *p
	q.device = d
	if err := q.build(); err != nil {
		return nil, err
	}
	for _, n := range p.Params() {
		if err := q.Let(q.Named(n.Name()), p.Data(n)); err != nil {
			return nil, err
		}
	}
	return &q, nil
}

// load sets a batch to the rows of x from row i on, minus the lens's origin, and returns their number.
func (p *predictor) load(x *mat.Dense, i int) int {
	return tensors.PutRowsFrom(p.lens.origin, p.Data(p.x), x, i)
}

// transform returns W(x − origin) for the rows of x, n×r.
func (m machinery) transform(ctx context.Context, l *lens, x *mat.Dense) (*mat.Dense, error) {
	if l.full == nil && l.diag == nil {
		return l.centre(x), nil
	}
	n, _ := x.Dims()
	p, err := m.express(l, parallel.Evenly(n, transformRows), l.through)
	if err != nil {
		return nil, err
	}
	l.put(p.Graph)
	p.progress = nil
	return p.forward(ctx, "", x)
}
