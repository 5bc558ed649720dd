package similarity

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// Record says how alike two symmetric matrices A and B are, beside the same
// of QAQᵀ and B with a random rotation Q: A's spectrum without its directions.
// What is not defined, of a matrix of zeros say, is absent.
type Record struct {
	Pearson       *float64 `json:"pearson,omitempty"` // of all d² elements
	PearsonNull   *float64 `json:"pearson_null,omitempty"`
	PearsonNullSD *float64 `json:"pearson_null_sd,omitempty"`
	Cosine        *float64 `json:"cosine,omitempty"` // without centring
	CosineNull    *float64 `json:"cosine_null,omitempty"`
	CosineNullSD  *float64 `json:"cosine_null_sd,omitempty"`
}

// Compare compares a and b, d×d. The nulls need no draws: of a rotation that is
// uniform on the orthogonal group the inner product ⟨QAQᵀ, B⟩ has mean
// tr A·tr B/d and variance 2‖A₀‖²‖B₀‖²/((d − 1)(d + 2)), with A₀ and B₀ what is
// left of A and B without their multiples of I. The cosine's null is exact; the
// Pearson correlation's takes for the variance of QAQᵀ's elements, which varies
// by a d-th part at most, its mean.
func Compare(a, b *mat.SymDense) Record {
	d := float64(a.SymmetricDim())
	x, y := momentsOf(a), momentsOf(b)
	dot := linalg.InnerProduct(a, b)
	var r Record
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
	return record.DefinedOrNil(dot / own), record.DefinedOrNil(x.trace * y.trace / d / rotated), record.DefinedOrNil(spread / rotated)
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

// MinusIdentity returns a − I.
func MinusIdentity(a *mat.SymDense) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.CopySym(a)
	for i := range a.SymmetricDim() {
		out.SetSym(i, i, out.At(i, i)-1)
	}
	return out
}

// Cells are those of a table of pairs.
func (a Record) Cells() []report.Cell {
	excess, sds := a.Excess()
	mark := report.Muted
	if sds > NullDeviations {
		mark = report.Good
	}
	return []report.Cell{
		record.NumberCell(a.Pearson, "%.3f"), record.NumberCell(a.PearsonNull, "%.3f"), record.NumberCell(a.PearsonNullSD, "%.3f"), record.MarkedCell(record.DefinedCell(excess, "%+.3f"), mark),
		record.NumberCell(a.Cosine, "%.3f"), record.NumberCell(a.CosineNull, "%.3f"),
	}
}

// CosineExcess is what of a cosine lies above its null; NaN where that is not
// defined.
func (a Record) CosineExcess() float64 {
	return record.ValueOrNaN(a.Cosine) - record.ValueOrNaN(a.CosineNull)
}

// Excess is what lies above the null, as it is and in the null's standard
// deviations; NaN where that is not defined.
func (a Record) Excess() (excess, sds float64) {
	if a.Pearson == nil || a.PearsonNull == nil || a.PearsonNullSD == nil {
		return math.NaN(), math.NaN()
	}
	excess = *a.Pearson - *a.PearsonNull
	return excess, excess / *a.PearsonNullSD
}
