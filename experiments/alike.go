package experiments

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// AlikeRecord says how alike two symmetric matrices A and B are, beside the same
// of QAQᵀ and B with a random rotation Q: A's spectrum without its directions.
// What is not defined, of a matrix of zeros say, is absent.
type AlikeRecord struct {
	Pearson       *float64 `json:"pearson,omitempty"` // of all d² elements
	PearsonNull   *float64 `json:"pearson_null,omitempty"`
	PearsonNullSD *float64 `json:"pearson_null_sd,omitempty"`
	Cosine        *float64 `json:"cosine,omitempty"` // without centring
	CosineNull    *float64 `json:"cosine_null,omitempty"`
	CosineNullSD  *float64 `json:"cosine_null_sd,omitempty"`
}

// alike compares a and b, d×d. The nulls need no draws: of a rotation that is
// uniform on the orthogonal group the inner product ⟨QAQᵀ, B⟩ has mean
// tr A·tr B/d and variance 2‖A₀‖²‖B₀‖²/((d − 1)(d + 2)), with A₀ and B₀ what is
// left of A and B without their multiples of I. The cosine's null is exact; the
// Pearson correlation's takes for the variance of QAQᵀ's elements, which varies
// by a d-th part at most, its mean.
func alike(a, b *mat.SymDense) AlikeRecord {
	d := float64(a.SymmetricDim())
	x, y := momentsOf(a), momentsOf(b)
	dot := innerProduct(a, b)
	var r AlikeRecord
	r.Cosine, r.CosineNull, r.CosineNullSD = measure(dot, x, y, d, math.Sqrt(x.square*y.square), math.Sqrt(x.square*y.square))

	centred := moments{trace: y.trace - y.sum/d, square: y.square - y.sum*y.sum/(d*d)}
	own := math.Sqrt((x.square - x.sum*x.sum/(d*d)) * centred.square)
	// The mean over Q of the square of the sum of QAQᵀ's elements.
	sum := x.trace*x.trace + 2*x.traceless(d)*d/(d+2)
	rotated := math.Sqrt((x.square - sum/(d*d)) * centred.square)
	r.Pearson, r.PearsonNull, r.PearsonNullSD = measure(dot-x.sum*y.sum/(d*d), x, centred, d, own, rotated)
	return r
}

// measure divides an inner product by the norms, and its mean and its standard
// deviation over rotations by theirs.
func measure(dot float64, x, y moments, d, own, rotated float64) (value, null, sd *float64) {
	spread := math.Sqrt(2 * x.traceless(d) * y.traceless(d) / ((d - 1) * (d + 2)))
	return definedOrNil(dot / own), definedOrNil(x.trace * y.trace / d / rotated), definedOrNil(spread / rotated)
}

// moments of a symmetric matrix: the sums of its elements, of their squares and
// of those on the diagonal.
type moments struct{ sum, square, trace float64 }

// traceless is ‖A − I·tr A/d‖².
func (m moments) traceless(d float64) float64 { return max(0, m.square-m.trace*m.trace/d) }

func momentsOf(a *mat.SymDense) (m moments) {
	raw := a.RawSymmetric()
	for i := range raw.N {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N]
		m.trace += row[0]
		for j, v := range row {
			twice := 2.
			if j == 0 {
				twice = 1
			}
			m.sum += twice * v
			m.square += twice * v * v
		}
	}
	return m
}

func innerProduct(a, b *mat.SymDense) (dot float64) {
	x, y := a.RawSymmetric(), b.RawSymmetric()
	for i := range x.N {
		u, v := x.Data[i*x.Stride+i:i*x.Stride+x.N], y.Data[i*y.Stride+i:i*y.Stride+x.N]
		dot -= u[0] * v[0]
		for j := range u {
			dot += 2 * u[j] * v[j]
		}
	}
	return dot
}

// minusIdentity returns a − I.
func minusIdentity(a *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.CopySym(a)
	for i := range a.SymmetricDim() {
		out.SetSym(i, i, out.At(i, i)-1)
	}
	return out
}
