package rfm

import (
	"cmp"
	"context"
	"errors"
	"math"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// hyperDescent takes the gradient steps of a network. One program computes H/n of a batch and its gradients.
type hyperDescent struct {
	*graph.Graph
	fit     *hyperFit
	x, y    *graph.Node // of a batch
	w, t, c *graph.Node // t is x if the centres are all examples, and fixed
	loss    *graph.Node // H/n
	unit    *graph.Node // its cotangent, 1/H₀
	program *graph.Program
	start   *lens // the first lens, whose origin is subtracted from x and t
	trained []trainedParam
	order   []int // the examples that were not yet used in this pass
	passes  int
	taken   int // steps
}

// trainedParam is a parameter that is trained, with its gradient and the state of the optimiser for it.
type trainedParam struct {
	param, gradient *graph.Node
	state           []*tensor.Dense
}

// newDescent compiles the steps of a network that starts from the W of a lens.
func (f *hyperFit) newDescent(l *lens) (*hyperDescent, error) {
	n, features := f.train.X.Dims()
	_, outputs := f.train.Y.Dims()
	k, _ := f.centres.Dims()
	batch := cmp.Or(f.of.Batch, n)
	g := graph.New(f.device, f.machinery.precision)
	d := &hyperDescent{Graph: g, fit: f, x: g.Input("x", batch, features), y: g.Input("y", batch, outputs),
		c: g.Param("c", k, outputs), unit: g.Input("1/H₀", 1)}
	d.w, d.start = f.weights(g, l), l
	if d.t = d.x; batch < n || f.centres != f.train.X || f.of.Update == ByDescentWithCentres {
		d.t = g.Param("t", k, features)
		tensors.Put(g, d.t, l.centre(f.centres))
	}
	kernel := f.Kernel.Matrix(g, throughWeights(g, d.w, d.x), throughWeights(g, d.w, d.t))
	d.loss = meanSquare(g, g.Sub(g.MatMul(kernel, d.c, false, false), d.y))
	d.differentiate()
	tensors.Put(g, d.x, l.centre(f.train.X)) // once and for all if a batch has all examples
	tensors.Put(g, d.y, f.train.Y)
	return d, d.compile()
}

// begin sets the unit of the loss, 1/H₀, from the first iteration. It returns an error for a loss that consists only of
// rounding errors, since its gradient is useless.
func (d *hyperDescent) begin(it *Iteration) error {
	outputs := d.y.Shape()[1]
	n, _ := d.fit.train.Y.Dims()
	loss := it.Train.MSE * float64(outputs)
	least := map[graph.Precision]float64{graph.Single: 1e-9, graph.Double: 1e-26}[d.fit.machinery.precision]
	if norm := mat.Norm(d.fit.train.Y, 2); loss <= least*norm*norm/float64(n) {
		return badInput(
			"gradient descent from a network that fits its examples up to rounding, a mean squared error of %.1g, "+
				"has nothing to descend: give a larger ridge than %v, or fewer centres", it.Train.MSE, d.fit.Ridge)
	}
	tensors.Put(d.Graph, d.unit, mat.NewDense(1, 1, []float64{1 / loss}))
	return nil
}

// setCoefficients sets c to the coefficients of a regression.
func (d *hyperDescent) setCoefficients(alpha *mat.Dense) { tensors.Put(d.Graph, d.c, alpha) }

// meanSquare returns the sum of the squares of r, divided by the number of its rows.
func meanSquare(g *graph.Graph, r *graph.Node) *graph.Node {
	if g.Err() != nil {
		return nil
	}
	return g.Scale(1/float64(r.Shape()[0]), g.Dot(r, r))
}

// differentiate adds the gradients of H/H₀ in the trained parameters.
func (d *hyperDescent) differentiate() {
	params := []*graph.Node{d.w}
	if d.fit.of.Update == ByDescentWithCentres {
		params = append(params, d.t)
	}
	if d.fit.of.Coefficients == Descended {
		params = append(params, d.c)
	}
	for i, gradient := range d.Pullback([]*graph.Node{d.loss}, []*graph.Node{d.unit}, params) {
		p := trainedParam{param: params[i], gradient: gradient}
		for range d.fit.of.Optimiser.State() {
			p.state = append(p.state, tensor.New(tensor.Of(params[i].Dtype()), tensor.WithShape(params[i].Shape()...)))
		}
		d.trained = append(d.trained, p)
	}
}

// compile compiles the program. It returns a [*MemoryError] if the program and the regressions do not fit into memory.
func (d *hyperDescent) compile() (err error) {
	outputs := []*graph.Node{d.loss}
	for _, p := range d.trained {
		outputs = append(outputs, p.gradient)
	}
	plan := graph.Plan{Outputs: outputs}
	n, features := d.fit.train.X.Dims()
	if d.fit.Memory > 0 {
		plan.Limit = max(1, d.fit.Memory-d.fit.Bytes(n, features, d.y.Shape()[1]))
	}
	d.program, err = d.Compile(plan)
	var memory *graph.MemoryError
	if errors.As(err, &memory) {
		return &MemoryError{Need: memory.Need + d.fit.Memory - memory.Limit, Limit: d.fit.Memory, Examples: n,
			Solver: "gradient descent"}
	}
	return err
}

// step takes one gradient step.
func (d *hyperDescent) step(ctx context.Context) error {
	d.draw()
	if err := d.program.Run(ctx); err != nil {
		return err
	}
	loss := tensors.Matrix(d.program.Value(d.loss)).At(0, 0)
	d.taken++
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return &DivergedError{d.taken, loss}
	}
	d.fit.report("descent", (d.taken-1)%d.fit.of.Steps+1, d.fit.of.Steps)
	if s := d.fit.of.Stepped; s != nil {
		if err := s(d.taken, loss); err != nil {
			return err
		}
	}
	return d.fit.device.Do(func() error {
		if d.fit.machinery.precision == graph.Double {
			update[float64](d)
		} else {
			update[float32](d)
		}
		return nil
	})
}

func update[T backend.Float](d *hyperDescent) {
	engine, o := backend.EngineOf[T](d.fit.device), d.fit.of.Optimiser
	for _, p := range d.trained {
		state := make([][]T, len(p.state))
		for i, s := range p.state {
			state[i] = s.Data().([]T)
		}
		optim.Step(engine, o, o.Rate(), d.taken, d.Data(p.param).Data().([]T),
			d.program.ValueOnDevice(p.gradient).Data().([]T), state)
	}
}

// draw sets the examples of the next step. If fewer than a batch are left of a pass, a new pass begins.
func (d *hyperDescent) draw() {
	n, _ := d.fit.train.X.Dims()
	batch := d.x.Shape()[0]
	if batch == n {
		return
	}
	if len(d.order) < batch {
		d.order = stream(d.fit.of.Seed, "batches", d.passes).Perm(n)
		d.passes++
	}
	rows := d.order[:batch]
	d.order = d.order[batch:]
	tensors.PutRows(d.Data(d.x), d.start.centre(tensors.PickRows(d.fit.train.X, rows)), 0)
	tensors.PutRows(d.Data(d.y), tensors.PickRows(d.fit.train.Y, rows), 0)
}

// weights declares W as a parameter, with the value of a lens: a matrix or, with Diagonal, a diagonal.
func (f *hyperFit) weights(g *graph.Graph, l *lens) *graph.Node {
	diag := l.diag
	if diag == nil {
		diag = Identity(l.d).diag
	}
	switch {
	case l.full != nil:
		w := g.Param("W", l.r, l.d)
		tensors.Put(g, w, l.full)
		return w
	case f.Diagonal:
		w := g.Param("W", l.d)
		tensors.Put(g, w, mat.NewDense(1, l.d, diag))
		return w
	}
	w := g.Param("W", l.d, l.d)
	tensors.Put(g, w, mat.DenseCopyOf(mat.NewDiagDense(l.d, diag)))
	return w
}

// throughWeights returns Wx for the rows of x, with W a matrix or a diagonal.
func throughWeights(g *graph.Graph, w, x *graph.Node) *graph.Node {
	if g.Err() == nil && w.Dims() == 1 {
		return g.RowMul(x, w)
	}
	return g.Linear(x, w)
}

// lens returns the current W.
func (d *hyperDescent) lens() *lens {
	w := tensors.Matrix(d.Data(d.w))
	r, features := w.Dims()
	if d.w.Dims() == 1 {
		return &lens{d: features, r: features, diag: w.RawRowView(0)}
	}
	return &lens{d: features, r: r, full: w}
}
