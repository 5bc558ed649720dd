package crew

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// productRows is the number of points of one side of a tile of a [Product], which all threads compute.
const productRows = 1024

// Product computes K·x for a symmetric matrix K of pairs of points, n×n, tile by tile, and keeps no tile. It uses each
// tile off the diagonal twice: once plain and once transposed.
type Product struct {
	points         *mat.Dense
	side           int
	program        *graph.Program
	a, b           *graph.Node // points of a tile's rows and columns, side×r
	xa, xb         *graph.Node // rows of x that belong to them, side×outputs
	across, beside *graph.Node // tile·xb and tileᵀ·xa
}

// NewProduct prepares products with matrices x, n×outputs, on a device.
func NewProduct(on *backend.Device, precision graph.Precision, k Pairs, points *mat.Dense, outputs int) (*Product, error) {
	n, r := points.Dims()
	p := &Product{points: points, side: parallel.Evenly(n, productRows)}
	g := graph.New(on, precision)
	p.a, p.b = g.Input("a", p.side, r), g.Input("b", p.side, r)
	p.xa, p.xb = g.Input("xa", p.side, outputs), g.Input("xb", p.side, outputs)
	tile := k(g, p.a, p.b)
	p.across = g.MatMul(tile, p.xb, false, false)
	p.beside = g.MatMul(tile, p.xa, true, false)
	if err := g.Err(); err != nil {
		return nil, err
	}
	var err error
	p.program, err = g.Compile(graph.Plan{Outputs: []*graph.Node{p.across, p.beside}, Repeat: []*graph.Node{p.b, p.xb}})
	return p, err
}

// Times sets out to K·x, both n×outputs.
func (p *Product) Times(ctx context.Context, x, out *mat.Dense) error {
	out.Zero()
	n, _ := p.points.Dims()
	for i := 0; i < n; i += p.side {
		tensors.PutRows(p.program.Value(p.a), p.points, i)
		tensors.PutRows(p.program.Value(p.xa), x, i)
		run := p.program.Run // later Repeat: only what changes with b and xb
		for j := i; j < n; j += p.side {
			tensors.PutRows(p.program.Value(p.b), p.points, j)
			tensors.PutRows(p.program.Value(p.xb), x, j)
			if err := run(ctx); err != nil {
				return err
			}
			run = p.program.Repeat
			tensors.AddRows(out, i, p.program.Value(p.across))
			if j > i {
				tensors.AddRows(out, j, p.program.Value(p.beside))
			}
		}
	}
	return nil
}
