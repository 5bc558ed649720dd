package crew

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Moment returns S = Σᵢ Σ over outputs δδᵀ, r×r, of the vectors
//
//	δᵢ = Σⱼ wᵢⱼ αⱼ (pᵢ − pⱼ)
//
// for points p, n×r, coefficients α, n×outputs, and symmetric weights w. With s = wα it is PᵀTP for the matrix P of the
// points and
//
//	T = w² ∘ ααᵀ − w ∘ (sαᵀ + αsᵀ) + diag(Σ s² over outputs),
//
// so that one product of w with itself serves all outputs. Terms of T cancel: kept is the trace of S as a share of the sum
// of the squares of s·p and of w·α·p, of which it is the difference; the rounding errors of S are those of that sum. The
// last product runs on the device whole. Done, if not nil, is called with the progress.
func (c *Crew) Moment(ctx context.Context, whole *backend.Device, points, alpha *mat.Dense, w Pairs,
	done func(done, total int)) (s *mat.SymDense, kept float64, err error) {
	if c.Precision == graph.Double {
		return momentOf[float64](ctx, c, whole, points, alpha, w, done)
	}
	return momentOf[float32](ctx, c, whole, points, alpha, w, done)
}

// MomentBytes is about how much memory [Crew.Moment] takes in float32 for n points of r coordinates; in float64 it is
// twice as much.
func MomentBytes(n, r int) int64 {
	t := TilingOf(n)
	rows, tile := int64(t.Side*t.Count), int64(t.Side*t.Side)
	return 4 * (tile*int64(t.above()) + 2*rows*int64(r))
}

// differences holds what a moment is computed from. Rows that overhang are zeros.
type differences[T backend.Float] struct {
	*Crew
	Tiling
	r, outputs      int
	w               [][]T // tiles on and above the diagonal
	points, z       []T   // P, and the upper triangle of T, half of its diagonal, times P: n×r
	alpha, sums     []T   // α and s, n×outputs
	joined, crossed []T   // α beside s, and s beside α, n×2·outputs
	gross           []float64
}

func momentOf[T backend.Float](ctx context.Context, c *Crew, whole *backend.Device, points, alpha *mat.Dense, w Pairs,
	done func(done, total int)) (*mat.SymDense, float64, error) {
	n, r := points.Dims()
	_, outputs := alpha.Dims()
	t := TilingOf(n)
	d := &differences[T]{Crew: c, Tiling: t, r: r, outputs: outputs, w: make([][]T, t.above()),
		gross: make([]float64, t.Side*t.Count)}
	d.points, d.alpha = padded[T](points, t), padded[T](alpha, t)
	d.z, d.sums = make([]T, len(d.points)), make([]T, len(d.alpha))
	if err := c.Tiles(ctx, points, w, nil, d.keep); err != nil {
		return nil, 0, err
	}
	if err := d.addSums(ctx); err != nil {
		return nil, 0, err
	}
	if err := d.multiply(ctx, done); err != nil {
		return nil, 0, err
	}
	half := make([]T, r*r)
	err := whole.Do(func() error {
		backend.EngineOf[T](whole).Gemm(true, false, r, r, t.Side*t.Count, d.points, d.z, 0, half)
		return nil
	})
	s := mat.NewSymDense(r, nil)
	for i := range r {
		for j := i; j < r; j++ {
			s.SetSym(i, j, float64(half[i*r+j])+float64(half[j*r+i]))
		}
	}
	return s, d.kept(s), err
}

// padded returns the elements of m with rows of zeros up to the end of the last tile.
func padded[T backend.Float](m *mat.Dense, t Tiling) []T {
	_, cols := m.Dims()
	x := make([]T, t.Side*t.Count*cols)
	tensors.PutRows(tensor.New(tensor.WithShape(t.Side*t.Count, cols), tensor.WithBacking(x)), m, 0)
	return x
}

// keep copies a tile of w, without what overhangs. A point has no weight with itself, since its difference is 0.
func (d *differences[T]) keep(i, j int, tile *tensor.Dense) {
	w := make([]T, d.Side*d.Side)
	rows, cols := min(d.Side, d.N-i*d.Side), min(d.Side, d.N-j*d.Side)
	for a := range rows {
		copy(w[a*d.Side:], tile.Data().([]T)[a*d.Side:][:cols])
		if i == j {
			w[a*d.Side+a] = 0
		}
	}
	d.w[d.number(i, j)] = w
}

// tile returns the tile of w in row i and column j, or the transposed one that is held in its place.
func (d *differences[T]) tile(i, j int) (w []T, transposed bool) {
	if i > j {
		return d.w[d.number(j, i)], true
	}
	return d.w[d.number(i, j)], false
}

// rows returns the rows of x, of so many columns, in the i-th row of tiles.
func (d *differences[T]) rows(x []T, i, cols int) []T { return x[i*d.Side*cols : (i+1)*d.Side*cols] }

// addSums computes s = wα, and joins it with α.
func (d *differences[T]) addSums(ctx context.Context) error {
	k := d.outputs
	d.joined, d.crossed = make([]T, 2*len(d.alpha)), make([]T, 2*len(d.alpha))
	return d.Share(ctx, d.Count, nil, func(member int) (func(context.Context, int) error, error) {
		e := backend.EngineOf[T](d.Devices[member])
		return func(_ context.Context, i int) error {
			return d.Devices[member].Do(func() error {
				for j := range d.Count {
					w, transposed := d.tile(i, j)
					e.Gemm(transposed, false, d.Side, k, d.Side, w, d.rows(d.alpha, j, k), min(T(j), 1), d.rows(d.sums, i, k))
				}
				for row := i * d.Side; row < (i+1)*d.Side; row++ {
					s, alpha := d.sums[row*k:][:k], d.alpha[row*k:][:k]
					copy(d.joined[2*row*k:], alpha)
					copy(d.joined[(2*row+1)*k:], s)
					copy(d.crossed[2*row*k:], s)
					copy(d.crossed[(2*row+1)*k:], alpha)
				}
				return nil
			})
		}, nil
	})
}

// termsOfT is x₀x₁ − x₂x₃, element by element.
var termsOfT = &backend.Chain{Instrs: []backend.Instr{
	{Code: backend.Mul, A: 0, B: 1}, {Code: backend.Mul, A: 2, B: 3}, {Code: backend.Sub, A: ^0, B: ^1},
}}

// multiply computes z, a row of tiles after another.
func (d *differences[T]) multiply(ctx context.Context, done func(done, total int)) error {
	finished := func(rows int) {
		if done != nil {
			done(rows, d.Count)
		}
	}
	return d.Share(ctx, d.Count, finished, func(member int) (func(context.Context, int) error, error) {
		m := &multiplier[T]{differences: d, engine: backend.EngineOf[T](d.Devices[member])}
		for i := range m.x {
			m.x[i] = make([]T, d.Side*d.Side)
		}
		return func(ctx context.Context, i int) error {
			for j := i; j < d.Count; j++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := d.Devices[member].Do(func() error { m.add(i, j); return nil }); err != nil {
					return err
				}
			}
			return nil
		}, nil
	})
}

// multiplier is one member's memory for tiles: those of [termsOfT].
type multiplier[T backend.Float] struct {
	*differences[T]
	engine backend.Engine[T]
	x      [4][]T
}

// add adds the product of a tile of T with the points of its columns to z.
func (m *multiplier[T]) add(i, j int) {
	n, k := m.Side, m.outputs
	product, outer := m.x[0], m.x[1]
	for l := range m.Count {
		a, transA := m.tile(i, l)
		b, transB := m.tile(l, j)
		m.engine.Gemm(transA, transB, n, n, n, a, b, min(T(l), 1), product)
	}
	m.engine.Gemm(false, true, n, n, k, m.rows(m.alpha, i, k), m.rows(m.alpha, j, k), 0, outer)
	m.engine.Gemm(false, true, n, n, 2*k, m.rows(m.joined, i, 2*k), m.rows(m.crossed, j, 2*k), 0, m.x[3])
	operands := m.x
	operands[2], _ = m.tile(i, j)
	if i == j {
		m.measure(i)
	}
	m.engine.Elementwise(termsOfT, operands[:], n, product)
	if i == j {
		m.addDiagonal(i)
	}
	m.engine.Gemm(false, false, n, m.r, n, product, m.rows(m.points, j, m.r), min(T(j-i), 1), m.rows(m.z, i, m.r))
}

// measure sets gross of the points in a tile on the diagonal from its w² and ααᵀ.
func (m *multiplier[T]) measure(i int) {
	for a := range m.Side {
		at, row := a*(m.Side+1), i*m.Side+a
		m.gross[row] = (float64(m.x[0][at])*float64(m.x[1][at]) + square(m.sums[row*m.outputs:][:m.outputs])) *
			square(m.points[row*m.r:][:m.r])
	}
}

// addDiagonal adds the squares of s to the diagonal of a tile on the diagonal of T, and halves the tile.
func (m *multiplier[T]) addDiagonal(i int) {
	for a := range m.Side {
		m.x[0][a*(m.Side+1)] += T(square(m.sums[(i*m.Side+a)*m.outputs:][:m.outputs]))
	}
	for at := range m.x[0] {
		m.x[0][at] /= 2
	}
}

func square[T backend.Float](x []T) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

// kept returns the share of the terms of S that is left of them.
func (d *differences[T]) kept(s *mat.SymDense) float64 {
	gross := 0.
	for _, g := range d.gross {
		gross += g
	}
	if gross == 0 {
		return 1
	}
	return mat.Trace(s) / gross
}
