package cnfa

import (
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// nullDraws draws the Pearson similarity with S replaced by QSQᵀ, Q a random
// rotation of the filters: the same spectrum, no alignment with W.
//
// It needs the eigenvalues λ of S only. Where S has the smaller rank ρ, QSQᵀ =
// FΛFᵀ with F a random c×ρ frame; where W has (d < c), with W = UΓ^½Vᵀ, the
// core UᵀQSQᵀU = EᵀΛE with E a random c×d frame.
func (f *filters) nullDraws(spectrum []float64, draws int, rng *rand.Rand) ([]float64, error) {
	c, d := f.w.Dims()
	draw := f.rotatedS(spectrum)
	if d < c && d < len(spectrum) {
		var err error
		if draw, err = f.rotatedW(spectrum); err != nil {
			return nil, err
		}
	}
	out := make([]float64, draws)
	for i := range out {
		p, s, err := draw(rng)
		if err != nil {
			return nil, err
		}
		if out[i], err = s.pearson(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

type drawFunc func(*rand.Rand) (products, *layerSpace, error)

// rotatedS draws the products of WᵀFΛFᵀW.
func (f *filters) rotatedS(spectrum []float64) drawFunc {
	c, _ := f.w.Dims()
	s := f.bare()
	return func(rng *rand.Rand) (p products, _ *layerSpace, err error) {
		frame, err := randomFrame(c, len(spectrum), rng)
		if err != nil {
			return p, nil, err
		}
		var gf, fgf mat.Dense
		var fu mat.VecDense
		gf.Mul(f.g, frame)
		fgf.Mul(frame.T(), &gf)
		fu.MulVec(frame.T(), f.u)
		kf := &gf // its columns' squares are the diagonal of FᵀKKᵀF
		if f.d != f.w {
			kf = new(mat.Dense)
			kf.Mul(f.k.T(), frame)
		}
		for i, x := range spectrum {
			for j, y := range spectrum {
				p.norm2 += x * y * fgf.At(i, j) * fgf.At(i, j)
			}
			p.inner += x * columnSquare(kf, i)
			p.sum += x * fu.AtVec(i) * fu.AtVec(i)
		}
		return p, s, nil
	}
}

// rotatedW draws the products with the core EᵀΛE on the range of W.
func (f *filters) rotatedW(spectrum []float64) (drawFunc, error) {
	c, d := f.w.Dims()
	q, err := rangeOf(f.w)
	if err != nil {
		return nil, err
	}
	s := f.on(q)
	root := make([]float64, len(spectrum))
	for i, x := range spectrum {
		root[i] = math.Sqrt(x)
	}
	return func(rng *rand.Rand) (p products, _ *layerSpace, err error) {
		frame, err := randomFrame(c, d, rng)
		if err != nil {
			return p, nil, err
		}
		frame.Apply(func(i, _ int, v float64) float64 {
			if i >= len(root) {
				return 0
			}
			return root[i] * v
		}, frame)
		core := mat.NewSymDense(d, nil)
		core.SymOuterK(1, frame.T())
		return s.of(core), s, nil
	}, nil
}

// randomFrame returns n×r with orthonormal columns, uniformly distributed: a
// Gaussian matrix X times R⁻¹, with RᵀR = XᵀX and the diagonal of R positive.
func randomFrame(n, r int, rng *rand.Rand) (*mat.Dense, error) {
	x := mat.NewDense(n, r, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	xx := mat.NewSymDense(r, nil)
	xx.SymOuterK(1, x.T())
	var chol mat.Cholesky
	if !chol.Factorize(xx) {
		return nil, backend.ErrEigen
	}
	var u mat.TriDense
	chol.UTo(&u)
	var frame mat.Dense
	if err := frame.Solve(u.T(), x.T()); err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(frame.T()), nil
}

func columnSquare(a *mat.Dense, j int) float64 {
	rows, _ := a.Dims()
	s := 0.
	for i := range rows {
		s += a.At(i, j) * a.At(i, j)
	}
	return s
}
