package crew

import (
	"context"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Moment returns S = Σᵢ Σ over outputs δδᵀ, r×r, of the vectors
//
//	δᵢ = Σⱼ wᵢⱼ αⱼ (pᵢ − pⱼ)
//
// for points p, n×r, coefficients α, n×outputs, and symmetric weights w. With P for the matrix of the points, 1 for a vector
// of ones, any number c, v = w − c·11ᵀ and s = wα it is
//
//	S = PᵀTP − c·Σ over outputs (hbᵀ + bhᵀ),
//	T = v² ∘ ααᵀ − v ∘ (sαᵀ + αsᵀ) + diag(Σ over outputs s²),
//	b = Pᵀα,  h = Pᵀ(s − (v1 + cn/2) ∘ α),
//
// so that one product of v with itself serves all outputs. c is set to the mean of w, so that the terms of S cancel less.
// kept is the trace of S divided by the norms of the terms; the rounding errors of S are relative to these norms. The last
// product runs on the device whole. Done, if not nil, is called with the progress.
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
	t := tilingOf(n)
	rows, tile := int64(t.Side*t.Count), int64(t.Side*t.Side)
	return 4 * (tile*int64(t.above()) + 2*rows*int64(r))
}

// differences holds what a moment is computed from. Padding rows are zeros.
type differences[T backend.Float] struct {
	*Crew
	tiling
	r, outputs      int
	v               [][]T     // tiles on and above the diagonal
	mean            float64   // c
	points, z       []T       // P, and (T's upper triangle with half of its diagonal)·P: n×r
	coefficients    []T       // α
	alpha           []T       // α, and a column of ones: n×(outputs+1)
	sums            []T       // s, and v1: n×(outputs+1)
	joined, crossed []T       // α beside s, and s beside α: n×2·outputs
	gross           []float64 // per point, the size of the terms that cancel
}

func momentOf[T backend.Float](ctx context.Context, c *Crew, whole *backend.Device, points, alpha *mat.Dense, w Pairs,
	done func(done, total int)) (*mat.SymDense, float64, error) {
	n, r := points.Dims()
	_, outputs := alpha.Dims()
	t := tilingOf(n)
	d := &differences[T]{Crew: c, tiling: t, r: r, outputs: outputs, v: make([][]T, t.above()),
		gross: make([]float64, t.Side*t.Count)}
	ones := mat.NewDense(n, outputs+1, slices.Repeat([]float64{1}, n*(outputs+1)))
	ones.Slice(0, n, 0, outputs).(*mat.Dense).Copy(alpha)
	d.points, d.coefficients, d.alpha = padded[T](points, t), padded[T](alpha, t), padded[T](ones, t)
	d.z, d.sums = make([]T, len(d.points)), make([]T, len(d.alpha))
	if err := c.Tiles(ctx, points, w, nil, d.storeTile); err != nil {
		return nil, 0, err
	}
	if err := d.centre(ctx); err != nil {
		return nil, 0, err
	}
	if err := d.addSums(ctx, alpha); err != nil {
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
	gross := floats.Sum(d.gross) + d.subtractMean(s, points, alpha)
	return s, mat.Trace(s) / max(gross, math.SmallestNonzeroFloat64), err
}

// padded returns the elements of m with rows of zeros up to the end of the last tile.
func padded[T backend.Float](m *mat.Dense, t tiling) []T {
	_, cols := m.Dims()
	x := make([]T, t.Side*t.Count*cols)
	tensors.PutRows(tensor.New(tensor.WithShape(t.Side*t.Count, cols), tensor.WithBacking(x)), m, 0)
	return x
}

// storeTile copies a tile of w without the padding rows and columns. It zeroes the diagonal: a point has no difference from
// itself.
func (d *differences[T]) storeTile(i, j int, tile *tensor.Dense) {
	w := make([]T, d.Side*d.Side)
	rows, cols := min(d.Side, d.N-i*d.Side), min(d.Side, d.N-j*d.Side)
	for a := range rows {
		copy(w[a*d.Side:], tile.Data().([]T)[a*d.Side:][:cols])
		if i == j {
			w[a*d.Side+a] = 0
		}
	}
	d.v[d.number(i, j)] = w
}

// centre subtracts from w its mean, off the diagonal.
func (d *differences[T]) centre(ctx context.Context) error {
	sums := make([]float64, len(d.v))
	err := d.eachRow(ctx, func(tile, a int, row []T) {
		sum := sums[tile]
		for _, x := range row {
			sum += float64(x)
		}
		sums[tile] = sum
	})
	for k := range sums {
		if i, j := d.place(k); i != j {
			sums[k] *= 2
		}
	}
	d.mean = floats.Sum(sums) / max(1, float64(d.N)*float64(d.N-1))
	if err != nil {
		return err
	}
	mean := T(d.mean)
	return d.eachRow(ctx, func(tile, a int, row []T) {
		for b := range row {
			row[b] -= mean
		}
		if i, j := d.place(tile); i == j {
			row[a] = 0
		}
	})
}

// eachRow calls do with the rows of every tile, without the padding, concurrently for several tiles.
func (d *differences[T]) eachRow(ctx context.Context, do func(tile, a int, row []T)) error {
	return d.Share(ctx, len(d.v), nil, func(int) (func(context.Context, int) error, error) {
		return func(_ context.Context, tile int) error {
			i, j := d.place(tile)
			for a := range min(d.Side, d.N-i*d.Side) {
				do(tile, a, d.v[tile][a*d.Side:][:min(d.Side, d.N-j*d.Side)])
			}
			return nil
		}, nil
	})
}

// subtractMean adds to s its terms with the mean c, and returns a bound on their size.
func (d *differences[T]) subtractMean(s *mat.SymDense, points, alpha *mat.Dense) (gross float64) {
	n, k := d.N, d.outputs
	weighed := mat.NewDense(n, k, nil)
	for i := range n {
		for c := range k {
			sum, row := float64(d.sums[i*(k+1)+c]), float64(d.sums[i*(k+1)+k])
			weighed.Set(i, c, sum-(row+d.mean*float64(n)/2)*alpha.At(i, c))
		}
	}
	var b, h, hb mat.Dense
	b.Mul(points.T(), alpha)
	h.Mul(points.T(), weighed)
	hb.Mul(&h, b.T())
	for i := range d.r {
		for j := i; j < d.r; j++ {
			s.SetSym(i, j, s.At(i, j)-d.mean*(hb.At(i, j)+hb.At(j, i)))
		}
	}
	return 2 * math.Abs(d.mean) * mat.Norm(&b, 2) * mat.Norm(&h, 2)
}

// tile returns the tile of v in row i and column j or, below the diagonal, the tile that is its transpose.
func (d *differences[T]) tile(i, j int) (v []T, transposed bool) {
	if i > j {
		return d.v[d.number(j, i)], true
	}
	return d.v[d.number(i, j)], false
}

// rows returns the rows of x, a matrix with cols columns, that belong to the i-th row of tiles.
func (d *differences[T]) rows(x []T, i, cols int) []T { return x[i*d.Side*cols : (i+1)*d.Side*cols] }

// addSums computes s and v1, and joins s with α.
func (d *differences[T]) addSums(ctx context.Context, alpha *mat.Dense) error {
	k := d.outputs
	d.joined, d.crossed = make([]T, 2*d.Side*d.Count*k), make([]T, 2*d.Side*d.Count*k)
	total := make([]float64, k) // of α
	for i := range d.N {
		floats.Add(total, alpha.RawRowView(i))
	}
	return d.Share(ctx, d.Count, nil, func(member int) (func(context.Context, int) error, error) {
		e := backend.EngineOf[T](d.Devices[member])
		return func(_ context.Context, i int) error {
			return d.Devices[member].Do(func() error {
				for j := range d.Count {
					v, transposed := d.tile(i, j)
					e.Gemm(transposed, false, d.Side, k+1, d.Side, v, d.rows(d.alpha, j, k+1), min(T(j), 1),
						d.rows(d.sums, i, k+1))
				}
				for row := i * d.Side; row < min(d.N, (i+1)*d.Side); row++ {
					s, alpha := d.sums[row*(k+1):][:k], d.alpha[row*(k+1):][:k]
					for c := range s {
						s[c] += T(d.mean * total[c])
					}
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

// multiply computes z. The members of the crew share the rows of tiles.
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

// multiplier holds one member's engine, and its memory for the tiles that [termsOfT] reads.
type multiplier[T backend.Float] struct {
	*differences[T]
	engine backend.Engine[T]
	x      [4][]T
}

// add multiplies the tile of T in row i and column j with the points of its columns, and adds the product to z.
func (m *multiplier[T]) add(i, j int) {
	n, k := m.Side, m.outputs
	product, outer := m.x[0], m.x[1]
	for l := range m.Count {
		a, transA := m.tile(i, l)
		b, transB := m.tile(l, j)
		m.engine.Gemm(transA, transB, n, n, n, a, b, min(T(l), 1), product)
	}
	m.engine.Gemm(false, true, n, n, k, m.rows(m.coefficients, i, k), m.rows(m.coefficients, j, k), 0, outer)
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

// measure sets gross for the points of a tile on the diagonal, from the tile's v² and ααᵀ.
func (m *multiplier[T]) measure(i int) {
	for a := range m.Side {
		at, row := a*(m.Side+1), i*m.Side+a
		m.gross[row] = (float64(m.x[0][at])*float64(m.x[1][at]) + square(m.sums[row*(m.outputs+1):][:m.outputs])) *
			square(m.points[row*m.r:][:m.r])
	}
}

// addDiagonal adds the squares of s to the diagonal of a tile on the diagonal of T, and halves the tile.
func (m *multiplier[T]) addDiagonal(i int) {
	for a := range m.Side {
		m.x[0][a*(m.Side+1)] += T(square(m.sums[(i*m.Side+a)*(m.outputs+1):][:m.outputs]))
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
