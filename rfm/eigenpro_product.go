package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// product computes K·x for the kernel matrix K of points, n×n, tile by tile and
// without keeping any: a tile off the diagonal serves twice, as itself and
// transposed.
type product struct {
	machinery
	points         *mat.Dense
	side           int
	program        *graph.Program
	a, b           *graph.Node // points of a tile's rows and columns, side×r
	xa, xb         *graph.Node // rows of x that belong to them, side×outputs
	across, beside *graph.Node // tile·xb and tileᵀ·xa
}

func (m machinery) newProduct(k Kernel, points *mat.Dense, outputs int) (*product, error) {
	n, r := points.Dims()
	p := &product{machinery: m, points: points, side: parallel.Evenly(n, tileRows)}
	g := graph.New(m.device, m.precision)
	p.a, p.b = g.Input("a", p.side, r), g.Input("b", p.side, r)
	p.xa, p.xb = g.Input("xa", p.side, outputs), g.Input("xb", p.side, outputs)
	tile := k.Matrix(g, p.a, p.b)
	p.across = g.MatMul(tile, p.xb, false, false)
	p.beside = g.MatMul(tile, p.xa, true, false)
	if err := g.Err(); err != nil {
		return nil, err
	}
	var err error
	p.program, err = g.Compile(graph.Plan{Outputs: []*graph.Node{p.across, p.beside}, Repeat: []*graph.Node{p.b, p.xb}})
	return p, err
}

// times sets out to K·x, both n×outputs.
func (p *product) times(ctx context.Context, x, out *mat.Dense) error {
	out.Zero()
	n, _ := p.points.Dims()
	for i := 0; i < n; i += p.side {
		putRows(p.program.Value(p.a), p.points, i)
		putRows(p.program.Value(p.xa), x, i)
		run := p.program.Run // and then only what changes with b and xb
		for j := i; j < n; j += p.side {
			putRows(p.program.Value(p.b), p.points, j)
			putRows(p.program.Value(p.xb), x, j)
			if err := run(ctx); err != nil {
				return err
			}
			run = p.program.Repeat
			addRows(out, i, p.program.Value(p.across))
			if j > i {
				addRows(out, j, p.program.Value(p.beside))
			}
		}
	}
	return nil
}

// diagonal returns K(vᵢ, vᵢ) for the rows of v.
func (m machinery) diagonal(ctx context.Context, k Kernel, v *mat.Dense) ([]float64, error) {
	n, r := v.Dims()
	side := min(n, fewRows)
	g := graph.New(m.device, m.precision)
	a := g.Input("a", side, r)
	f, err := g.Function(k.Matrix(g, a, a))
	if err != nil {
		return nil, err
	}
	program, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		return nil, err
	}
	tile, out := mat.NewDense(side, side, nil), make([]float64, n)
	for i := 0; i < n; i += side {
		count := putRows(g.Data(a), v, i)
		if err := program.Run(ctx); err != nil {
			return nil, err
		}
		takeRows(tile, 0, side, program.Value(f.Output))
		for j := range count {
			out[i+j] = tile.At(j, j)
		}
	}
	return out, nil
}
