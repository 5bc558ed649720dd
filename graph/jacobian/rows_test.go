package jacobian

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// The products of joined rows are the sums over outputs of those of the rows, of every form of a layer.
func TestJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const outputs = 3
	for _, double := range []bool{false, true} {
		var parts []*Part
		for _, form := range []Part{{Weight: true, Bias: true}, {Weight: true}, {Bias: true}} {
			for _, positions := range []int{1, 4} {
				for _, factored := range []bool{false, true} {
					p := form
					p.Positions, p.Filters, p.Patch, p.Factored = positions, 2, 5, factored
					parts = append(parts, &p)
				}
			}
		}
		fill := func(examples int) *Rows {
			r := New(parts, examples, outputs, double)
			for _, p := range r.Parts {
				for _, v := range []any{p.Explicit, p.Cots, p.Patches} {
					switch v := v.(type) {
					case []float32:
						for k := range v {
							v[k] = float32(rng.NormFloat64())
						}
					case []float64:
						for k := range v {
							v[k] = rng.NormFloat64()
						}
					}
				}
			}
			return r
		}
		r, s := fill(4), fill(6)
		all, sums := matrix(12, 18), matrix(4, 6)
		r.AddGram(all, s)
		r.Join().AddGram(sums, s.Join())
		for i := range 4 {
			for j := range 6 {
				want := 0.
				for c := range outputs {
					want += all.Data[(i*outputs+c)*18+j*outputs+c]
				}
				if got := sums.Data[i*6+j]; math.Abs(got-want) > 1e-9 {
					t.Errorf("double %v: %d, %d: %v, want %v", double, i, j, got, want)
				}
			}
		}
	}
}

func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}
