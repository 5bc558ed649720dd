package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// root returns T with (WᵀSW)^½ = WᵀTW, from matrices of the size of the core s of S. With s = LLᵀ and
// LᵀGL = PΔPᵀ, the columns of WᵀLPΔ^{−½} are the eigenvectors of WᵀSW and Δ its eigenvalues, so that
// T = LPΔ^{−½}PᵀLᵀ.
func (s *layerSpace) root(core *mat.SymDense) (*mat.SymDense, error) {
	l, err := factor(core)
	if err != nil {
		return nil, err
	}
	values, p, err := backend.EigenSym(congruence(l, s.g), true)
	if err != nil {
		return nil, err
	}
	var lp mat.Dense
	lp.Mul(l, p)
	scaleColumns(&lp, values, func(v float64) float64 { return math.Pow(v, -.25) })
	t := mat.NewSymDense(core.SymmetricDim(), nil)
	t.SymOuterK(1, &lp)
	return t, nil
}

// factor returns L with LLᵀ = s for a positive semi-definite s, which may be singular, from its eigenvectors.
func factor(s *mat.SymDense) (*mat.Dense, error) {
	values, v, err := backend.EigenSym(s, true)
	if err != nil {
		return nil, err
	}
	scaleColumns(v, values, math.Sqrt)
	return v, nil
}

// scaleColumns multiplies the columns of v by f of their eigenvalues, or by 0 where an eigenvalue is no more than
// rounding of the largest.
func scaleColumns(v *mat.Dense, values []float64, f func(float64) float64) {
	floor := 1e-13 * values[len(values)-1]
	rows, _ := v.Dims()
	for j, x := range values {
		k := 0.
		if x > floor {
			k = f(x)
		}
		for i := range rows {
			v.Set(i, j, k*v.At(i, j))
		}
	}
}
