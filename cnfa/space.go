package cnfa

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// filters holds W, c×d, of a block of a layer, with all that the measures need besides a CNFM. They need no d×d
// matrix, where d is the size of a patch: for
//
//	M = DᵀD, the CNFM, with D = W or W − W₀, and A = WᵀSW, the AGOP,
//
// and G = WWᵀ, K = WDᵀ, u = W·1 and v = D·1 the inner products are
//
//	⟨M, A⟩ = tr(KKᵀS),  ⟨A, A⟩ = tr(GSGS),  ⟨M, M⟩ = ‖DDᵀ‖²,
//	1ᵀA1 = uᵀSu,  1ᵀM1 = ‖v‖²,
//
// and the centred ones are ⟨P, Q⟩ − (1ᵀP1)(1ᵀQ1)/d². S enters only through its core s = QᵀSQ, on an orthonormal
// basis Q of the range of W or of S, whichever is smaller.
//
// A layer is a list of blocks, one per group; without groups there is one block. M and A are then lists of matrices, and
// their inner products and sums run over all entries of all blocks.
type filters struct {
	w *mat.Dense
	u *mat.VecDense
	g *mat.SymDense // G, once gram has computed it
}

func newFilters(w *mat.Dense) *filters { return &filters{w: w, u: rowSums(w)} }

// gram returns G, c×c. Where d < c the measures do without it.
func (f *filters) gram() *mat.SymDense {
	if f.g == nil {
		f.g = outer(f.w)
	}
	return f.g
}

// self returns ⟨WᵀW, WᵀW⟩ and its sum.
func (f *filters) self() self { return self{gramNorm2(f.w), mat.Dot(f.u, f.u)} }

// gramNorm2 returns ‖wwᵀ‖² = ‖wᵀw‖².
func gramNorm2(w *mat.Dense) float64 {
	if c, d := w.Dims(); d < c {
		return frobenius2(backend.Gram(w))
	}
	return frobenius2(outer(w))
}

// layer lists the blocks of a layer.
type layer []*filters

// newLayer returns a layer with the given blocks of filters.
func newLayer(blocks []*mat.Dense) layer {
	var l layer
	for _, w := range blocks {
		l = append(l, newFilters(w))
	}
	return l
}

// entries returns the number of entries of a CNFM, of all blocks.
func (l layer) entries() float64 {
	_, d := l[0].w.Dims()
	return float64(len(l)) * float64(d) * float64(d)
}

// rowBlocks divides the rows of w evenly into n blocks, which share its memory; nil for nil.
func rowBlocks(w *mat.Dense, n int) []*mat.Dense {
	if w == nil {
		return nil
	}
	c, d := w.Dims()
	var all []*mat.Dense
	for k := range n {
		all = append(all, w.Slice(k*c/n, (k+1)*c/n, 0, d).(*mat.Dense))
	}
	return all
}

// columnBlocks divides the columns of w evenly into n blocks, and copies them; nil for nil.
func columnBlocks(w *mat.Dense, n int) []*mat.Dense {
	if w == nil {
		return nil
	}
	c, d := w.Dims()
	var all []*mat.Dense
	for k := range n {
		all = append(all, mat.DenseCopyOf(w.Slice(0, c, k*d/n, (k+1)*d/n)))
	}
	return all
}

// onto returns QᵀW.
func (f *filters) onto(q *mat.Dense) *mat.Dense {
	var x mat.Dense
	x.Mul(q.T(), f.w)
	return &x
}

// outer returns wwᵀ.
func outer(w *mat.Dense) *mat.SymDense { return backend.Gram(w.T()) }

// rowSums returns w·1.
func rowSums(w *mat.Dense) *mat.VecDense {
	c, _ := w.Dims()
	u := mat.NewVecDense(c, nil)
	for i := range c {
		u.SetVec(i, floats.Sum(w.RawRowView(i)))
	}
	return u
}

// congruence returns qᵀaq.
func congruence(q *mat.Dense, a *mat.SymDense) *mat.SymDense {
	var aq, qaq mat.Dense
	aq.Mul(dense(a), q) // faster than dsymm
	qaq.Mul(q.T(), &aq)
	return symmetric(&qaq)
}

// symmetric returns the symmetric part of a square matrix.
func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}

// frobenius2 returns ‖a‖².
func frobenius2(a *mat.SymDense) float64 { return traceProduct(a, a) }

// traceProduct returns tr(ab) of symmetric matrices.
func traceProduct(a, b *mat.SymDense) float64 {
	n := a.SymmetricDim()
	ra, rb := a.RawSymmetric(), b.RawSymmetric()
	s := 0.
	for i := range n {
		x, y := ra.Data[i*ra.Stride+i:i*ra.Stride+n], rb.Data[i*rb.Stride+i:i*rb.Stride+n]
		s += x[0] * y[0]
		for j := 1; j < len(x); j++ {
			s += 2 * x[j] * y[j]
		}
	}
	return s
}

// product returns ab. (gonum multiplies two symmetric matrices element by
// element; one symmetric and one dense matrix go to BLAS.)
func product(a, b *mat.SymDense) *mat.Dense {
	var ab mat.Dense
	ab.Mul(a, dense(b))
	return &ab
}

// dense returns a as a dense matrix.
func dense(a *mat.SymDense) *mat.Dense {
	n := a.SymmetricDim()
	raw := a.RawSymmetric()
	full := make([]float64, n*n)
	// The lower triangle is filled tile by tile, because the numbers of a column are in different cache lines.
	const tile = 32
	for top := 0; top < n; top += tile {
		bottom := min(top+tile, n)
		for i := top; i < bottom; i++ {
			copy(full[i*n+i:(i+1)*n], raw.Data[i*raw.Stride+i:i*raw.Stride+n])
		}
		for left := 0; left < bottom; left += tile {
			for i := top; i < bottom; i++ {
				row := full[i*n : (i+1)*n]
				for j := left; j < min(left+tile, i); j++ {
					row[j] = raw.Data[j*raw.Stride+i]
				}
			}
		}
	}
	return mat.NewDense(n, n, full)
}

// traceSquare returns tr(aa) of a square matrix.
func traceSquare(a *mat.Dense) float64 {
	n, _ := a.Dims()
	s := 0.
	for i := range n {
		row := a.RawRowView(i)
		for j, x := range row {
			s += x * a.At(j, i)
		}
	}
	return s
}
