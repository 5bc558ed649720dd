package similarity

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Record is the similarity of two symmetric matrices A and B, with its null: the similarity of QAQᵀ and B for a random
// rotation Q, which keeps A's spectrum but not its eigenvectors. Undefined measures, for example of a zero matrix, are
// absent.
type Record struct {
	Pearson       *float64 `json:"pearson,omitempty"` // of all d² elements
	PearsonNull   *float64 `json:"pearson_null,omitempty"`
	PearsonNullSD *float64 `json:"pearson_null_sd,omitempty"`
	Cosine        *float64 `json:"cosine,omitempty"` // without centring
	CosineNull    *float64 `json:"cosine_null,omitempty"`
	CosineNullSD  *float64 `json:"cosine_null_sd,omitempty"`
}

// Compare compares a and b, d×d. The nulls need no draws: for uniform orthogonal Q the inner
// product ⟨QAQᵀ, B⟩ has mean tr A·tr B/d and variance 2‖A₀‖²‖B₀‖²/((d − 1)(d + 2)), where A₀ and B₀
// are the traceless parts of A and B. The null of the cosine is exact. That of the Pearson
// correlation replaces the variance of QAQᵀ's elements, which varies by at most 1/d, by its mean.
func Compare(a, b *mat.SymDense) Record {
	r := CompareBlocks([]*mat.SymDense{a}, []*mat.SymDense{b})
	d := float64(a.SymmetricDim())
	x, y := momentsOf(a), momentsOf(b)
	centred := moments{trace: y.trace - y.sum/d, square: y.square - y.sum*y.sum/(d*d)}
	own := math.Sqrt((x.square - x.sum*x.sum/(d*d)) * centred.square)
	// The mean over Q of the square of the sum of QAQᵀ's elements.
	sum := x.trace*x.trace + 2*x.traceless(d)*d/(d+2)
	rotated := math.Sqrt((x.square - sum/(d*d)) * centred.square)
	p := rotatedProduct(x, centred, d)
	r.Pearson = record.DefinedOrNil((linalg.InnerProduct(a, b) - x.sum*y.sum/(d*d)) / own)
	r.PearsonNull, r.PearsonNullSD = record.DefinedOrNil(p.mean/rotated), record.DefinedOrNil(math.Sqrt(p.variance)/rotated)
	return r
}

// CompareBlocks returns the cosine of two block-diagonal matrices, given by their diagonal blocks, with its null, in
// which each block of A is rotated independently. It panics if the blocks differ in number or size.
func CompareBlocks(a, b []*mat.SymDense) (r Record) {
	var null product
	dot, x, y := 0., 0., 0.
	for i := range a {
		own, other := momentsOf(a[i]), momentsOf(b[i])
		dot, x, y = dot+linalg.InnerProduct(a[i], b[i]), x+own.square, y+other.square
		p := rotatedProduct(own, other, float64(a[i].SymmetricDim()))
		null.mean, null.variance = null.mean+p.mean, null.variance+p.variance
	}
	norms := math.Sqrt(x * y)
	r.Cosine, r.CosineNull = record.DefinedOrNil(dot/norms), record.DefinedOrNil(null.mean/norms)
	r.CosineNullSD = record.DefinedOrNil(math.Sqrt(null.variance) / norms)
	return r
}

// product is the mean and the variance of an inner product.
type product struct{ mean, variance float64 }

// rotatedProduct returns the mean and variance of ⟨QAQᵀ, B⟩ over rotations Q, from the moments of A and B, d×d.
func rotatedProduct(a, b moments, d float64) product {
	return product{a.trace * b.trace / d, 2 * a.traceless(d) * b.traceless(d) / ((d - 1) * (d + 2))}
}

// moments are the sums of the elements of a symmetric matrix, of their squares, and of the
// diagonal.
type moments struct{ sum, square, trace float64 }

// traceless returns ‖A − I·tr A/d‖², 0 if it is no more than rounding.
func (m moments) traceless(d float64) float64 {
	if x := m.square - m.trace*m.trace/d; x > 1e-13*m.square {
		return x
	}
	return 0
}

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

// MinusIdentity returns a − I.
func MinusIdentity(a *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.CopySym(a)
	for i := range a.SymmetricDim() {
		out.SetSym(i, i, out.At(i, i)-1)
	}
	return out
}

// Cells returns the table cells of a pair.
func (a Record) Cells() []report.Cell {
	excess, sds := a.Excess()
	mark := report.Muted
	if sds > NullDeviations {
		mark = report.Good
	}
	return []report.Cell{
		record.NumberCell(a.Pearson, "%.3f"), record.NumberCell(a.PearsonNull, "%.3f"),
		record.NumberCell(a.PearsonNullSD, "%.3f"), record.MarkedCell(record.DefinedCell(excess, "%+.3f"), mark),
		record.DefinedCell(NormaliseExcess(record.ValueOrNaN(a.Pearson), record.ValueOrNaN(a.PearsonNull)), "%+.2f"),
		record.NumberCell(a.Cosine, "%.3f"), record.NumberCell(a.CosineNull, "%.3f"),
	}
}

// NormaliseExcess returns (p − null)/(1 − null): the excess of a similarity p over its null, as a share of the largest
// possible one. It is 0 at the null and at most 1, whatever the null, while p − null is at most 1 − null. For a null
// of 1, which nothing can exceed, it is NaN.
func NormaliseExcess(p, null float64) float64 {
	room := 1 - null
	if !(room > 1e-9) {
		return math.NaN()
	}
	return (p - null) / room
}

// CosineExcess returns the cosine minus its null; NaN if that is not defined.
func (a Record) CosineExcess() float64 {
	return record.ValueOrNaN(a.Cosine) - record.ValueOrNaN(a.CosineNull)
}

// Excess returns the Pearson correlation minus its null, and the same in standard deviations of the null; NaN if
// undefined, and for a null that does not vary, because no rotation changes a multiple of the identity.
func (a Record) Excess() (excess, sds float64) {
	if a.Pearson == nil || a.PearsonNull == nil || a.PearsonNullSD == nil || *a.PearsonNullSD < leastNullSD {
		return math.NaN(), math.NaN()
	}
	excess = *a.Pearson - *a.PearsonNull
	return excess, excess / *a.PearsonNullSD
}
