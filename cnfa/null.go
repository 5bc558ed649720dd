package cnfa

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// nulls holds the similarities of a CNFM under the null, draw by draw.
type nulls struct {
	pearson, cosine []float64
	powers          [][]float64 // Pearson for every power of the AGOP
}

// NullKind says what the null of a similarity draws.
type NullKind int

const (
	// Rotation replaces S, or the block of each group, by QSQᵀ with a random rotation Q.
	Rotation NullKind = iota
	// Permutation permutes the blocks of S among the groups, where a group has one filter: its block is then a number,
	// which no rotation changes.
	Permutation
)

// nullKind returns what the null of a layer draws.
func (l layer) nullKind() NullKind {
	if c, _ := l[0].w.Dims(); c == 1 && len(l) > 1 {
		return Permutation
	}
	return Rotation
}

// nullDraws draws the similarities of each CNFM with S replaced by QSQᵀ, Q a random rotation of the filters of every
// block: the same spectrum, no alignment with W. The rotations are the same for all CNFMs.
//
// The same rng gives the same rotations for any spectrum. Every draw has a separate random stream for every block, and
// the largest eigenvalue goes with the first vector. So a small eigenvalue that may or may not count as rounding does not
// change the vectors of the others.
func (l layer) nullDraws(bases []*reduced, cnfms []*cnfm, spec nullSpec, rng *rand.Rand) ([]nulls, error) {
	out := make([]nulls, len(cnfms))
	if len(cnfms) == 0 {
		return out, nil
	}
	for i := range out {
		out[i].powers = make([][]float64, len(spec.powers))
	}
	draw, streams, err := l.drawer(bases, cnfms, spec.powers)
	if err != nil {
		return nil, err
	}
	rotations, err := drawAll(draw, streams, spec, rng)
	if err != nil {
		return nil, err
	}
	for _, r := range rotations {
		for i, m := range cnfms {
			if err := out[i].add(m, r, i, spec.powers); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// drawAll makes all draws, several at a time, each with the given number of random streams of its own.
func drawAll(draw drawFunc, streams int, spec nullSpec, rng *rand.Rand) ([][]*rotation, error) {
	own := make([][]*rand.Rand, spec.draws)
	for i := range own {
		for range streams {
			own[i] = append(own[i], rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())))
		}
	}
	all := make([][]*rotation, spec.draws)
	return all, parallel.Run(context.Background(), spec.threads, spec.draws, nil,
		func(int) (func(context.Context, int) error, error) {
			return func(_ context.Context, i int) (err error) {
				if spec.drawing != nil {
					spec.drawing <- struct{}{}
					defer func() { <-spec.drawing }()
				}
				all[i], err = draw(own[i])
				return err
			}, nil
		})
}

// drawer prepares the draws of a layer, and says how many streams of random numbers a draw needs.
func (l layer) drawer(bases []*reduced, cnfms []*cnfm, powers []float64) (draw drawFunc, streams int, err error) {
	blocks := make([]*nullBlock, len(l))
	for i, f := range l {
		blocks[i] = &nullBlock{f: f, powers: len(powers) > 0}
		for _, m := range cnfms {
			blocks[i].cnfms = append(blocks[i].cnfms, m.blocks[i])
		}
	}
	if l.nullKind() == Permutation {
		draw, err = permuted(blocks, bases)
		return draw, 1, err
	}
	draws := make([]func(*rand.Rand) (*rotation, error), len(l))
	for i, b := range blocks {
		var err error
		if draws[i], err = b.rotations(bases[i].spectrum); err != nil {
			return nil, 0, err
		}
	}
	return func(rng []*rand.Rand) ([]*rotation, error) {
		all := make([]*rotation, len(draws))
		for i, draw := range draws {
			var err error
			if all[i], err = draw(rng[i]); err != nil {
				return nil, err
			}
		}
		return all, nil
	}, len(draws), nil
}

// add adds a draw for the i-th CNFM, which is m. A draw that permutes mostly zero blocks may be zero or constant; its
// similarities are then 0.
func (n *nulls) add(m *cnfm, blocks []*rotation, i int, powers []float64) error {
	var inner float64
	var a self
	var of spectra
	for _, r := range blocks {
		inner += r.inner[i]
		a.add(r.a)
		if len(powers) > 0 {
			of = append(of, blockSpectrum{r.spectrum, r.products[i]})
		}
	}
	several := len(blocks) > 1
	if err := appendTo(&n.pearson, several)(m.pearson(inner, a)); err != nil {
		return err
	}
	if err := appendTo(&n.cosine, several)(m.cosine(inner, a)); err != nil {
		return err
	}
	for k, alpha := range powers {
		if err := appendTo(&n.powers[k], several)(m.pearson(of.power(of.exponent(alpha, m)))); err != nil {
			return err
		}
	}
	return nil
}

// appendTo returns a function that appends a similarity to draws. With orZero it appends 0 for one that is not defined.
func appendTo(draws *[]float64, orZero bool) func(v float64, err error) error {
	return func(v float64, err error) error {
		if err != nil && !(orZero && errors.Is(err, ErrZero)) {
			return err
		}
		*draws = append(*draws, v)
		return nil
	}
}

// drawFunc draws a rotation of every block. Several goroutines may call it at a time.
type drawFunc func([]*rand.Rand) ([]*rotation, error)

// permuted draws permutations of the blocks of S, which are numbers, among the groups.
func permuted(blocks []*nullBlock, bases []*reduced) (drawFunc, error) {
	ones := make([]*rotation, len(blocks)) // for S = 1
	for i, b := range blocks {
		s, err := b.f.on(nil)
		if err != nil {
			return nil, err
		}
		if ones[i], err = b.on(s)(mat.NewSymDense(1, []float64{1})); err != nil {
			return nil, err
		}
	}
	return func(rng []*rand.Rand) ([]*rotation, error) {
		all := make([]*rotation, len(blocks))
		for i, k := range rng[0].Perm(len(blocks)) {
			all[i] = ones[i].times(bases[k].total.At(0, 0))
		}
		return all, nil
	}, nil
}

// RandomFrame returns a uniformly distributed r×n matrix with orthonormal rows, r ≤ n:
// L⁻¹X for a Gaussian matrix X and LLᵀ = XXᵀ, the diagonal of L positive. A smaller
// frame from the same rng has the same first rows.
func RandomFrame(r, n int, rng *rand.Rand) (*mat.Dense, error) {
	x := mat.NewDense(r, n, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	u, ok := lapack64.Potrf(outer(x).RawSymmetric()) // mat.Cholesky would also estimate a condition number
	if !ok {
		return nil, backend.ErrEigen
	}
	l := mat.NewTriDense(r, mat.Lower, nil)
	l.Copy(mat.NewTriDense(r, mat.Upper, u.Data).TTri())
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l.RawTriangular(), x.RawMatrix())
	return x, nil
}

// squares returns ‖a‖² of a matrix that is not a slice of a larger one.
func squares(a *mat.Dense) float64 {
	raw := a.RawMatrix().Data
	return floats.Dot(raw, raw)
}
