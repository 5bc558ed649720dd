package jacobian

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// allForms returns layers in every form that a part can have.
func allForms() (parts []*Part) {
	for _, form := range []Part{{Weight: true, Bias: true}, {Weight: true}, {Bias: true}} {
		for _, positions := range []int{1, 4} {
			for _, factored := range []bool{false, true} {
				p := form
				p.Positions, p.Filters, p.Patch, p.Factored = positions, 2, 5, factored
				parts = append(parts, &p)
			}
		}
	}
	return parts
}

// randomRows returns rows with random values.
func randomRows(rng *rand.Rand, parts []*Part, examples, outputs int, double bool) *Rows {
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

// Split divides rows by output, and their products are those of one output. Join adds rows up, and their products are
// the sums of these over the outputs. The test has layers of every form.
func TestSplitAndJoin(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const outputs = 3
	for _, double := range []bool{false, true} {
		parts := allForms()
		r, s := randomRows(rng, parts, 4, outputs, double), randomRows(rng, parts, 6, outputs, double)
		all, sums := matrix(12, 18), matrix(4, 6)
		r.AddGram(all, s)
		r.Join().AddGram(sums, s.Join())
		var own []blas64.General
		for c, rows := range r.Split() {
			own = append(own, matrix(4, 6))
			rows.AddGram(own[c], s.Split()[c])
		}
		for i := range 4 {
			for j := range 6 {
				sum := 0.
				for c := range outputs {
					want := all.Data[(i*outputs+c)*18+j*outputs+c]
					if got := own[c].Data[i*6+j]; math.Abs(got-want) > 1e-9 {
						t.Errorf("double %v: %d, %d of output %d: %v, want %v", double, i, j, c, got, want)
					}
					sum += want
				}
				if got := sums.Data[i*6+j]; math.Abs(got-sum) > 1e-9 {
					t.Errorf("double %v: %d, %d: %v, want %v", double, i, j, got, sum)
				}
			}
		}
	}
}

// If the columns are divided into parts, and these into weights and biases, the products over each add up to the
// product over all columns.
func TestColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	parts := allForms()
	r, s := randomRows(rng, parts, 4, 3, true), randomRows(rng, parts, 6, 3, true)
	all, sum := matrix(12, 18), matrix(12, 18)
	r.AddGram(all, s)
	for i := range parts {
		for _, c := range []PartColumns{{Weight: true}, {Bias: true}} {
			keep := make([]PartColumns, len(parts))
			keep[i] = c
			some := r.Columns(keep)
			has := c.Weight && parts[i].Weight || c.Bias && parts[i].Bias
			if has != (len(some.Parts) == 1) || has && (some.Parts[0].Weight != c.Weight || some.Parts[0].Bias != c.Bias) {
				t.Fatalf("%+v of %+v: %d parts", c, *parts[i], len(some.Parts))
			}
			some.AddGram(sum, s.Columns(keep))
		}
	}
	for k, want := range all.Data {
		if math.Abs(sum.Data[k]-want) > 1e-9 {
			t.Fatalf("the sum over columns is %v, want %v", sum.Data[k], want)
		}
	}
}

func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}
