package cnfa

import (
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// Eigenvectors returns the k largest eigenvalues of BᵀB, for B r×d, in descending order, and the eigenvectors
// as rows of d elements and length 1; fewer where the rank is smaller. It solves the smaller of the problems
// BBᵀ and BᵀB. The largest element of an eigenvector is positive. With a layer's filters as B they are the
// eigenvectors of its CNFM.
func Eigenvectors(b *mat.Dense, k int) (values []float64, vectors *mat.Dense, err error) {
	rows, d := b.Dims()
	small := b.T()
	if rows < d {
		small = b
	}
	n, _ := small.Dims()
	g := mat.NewSymDense(n, nil)
	g.SymOuterK(1, small)
	all, u, err := backend.EigenSym(g, true)
	if err != nil {
		return nil, nil, err
	}
	k = min(k, len(positive(all)))
	if k == 0 {
		return nil, nil, ErrZero
	}
	vectors = mat.NewDense(k, d, nil)
	for i := range k {
		col := n - 1 - i
		values = append(values, all[col])
		v := mat.NewVecDense(d, nil)
		if rows < d {
			v.MulVec(b.T(), u.ColView(col))
			v.ScaleVec(1/math.Sqrt(all[col]), v)
		} else {
			v.CopyVec(u.ColView(col))
		}
		v.ScaleVec(signOfLargest(v), v)
		vectors.SetRow(i, v.RawVector().Data)
	}
	return values, vectors, nil
}

func signOfLargest(v *mat.VecDense) float64 {
	top := 0.
	for i := range v.Len() {
		if x := v.AtVec(i); math.Abs(x) > math.Abs(top)*(1+1e-9) {
			top = x
		}
	}
	return math.Copysign(1, top)
}

// CNFM returns WᵀW, d×d.
func CNFM(w *mat.Dense) *mat.SymDense {
	_, d := w.Dims()
	m := mat.NewSymDense(d, nil)
	m.SymOuterK(1, w.T())
	return m
}

// AGOP returns WᵀSW, d×d: the mean over images of the sum over positions and outputs of ggᵀ (cnfa, eq. 2). W,
// c×d, must be the filters of the layer in the network that was verified. That of a layer with groups is the sum over
// the blocks of [LayerResult.AGOPBlocks], as [CNFM] is over the blocks W_gᵀW_g.
func (r LayerResult) AGOP(w *mat.Dense) *mat.SymDense { return r.S.Sandwich(w) }

// AGOPBlocks returns W_gᵀS_gW_g, d×d, for every group of the layer: [LayerResult.AGOP] where there is one.
func (r LayerResult) AGOPBlocks(w *mat.Dense) []*mat.SymDense {
	var all []*mat.SymDense
	blocks := r.S.Blocks()
	for i, b := range rowBlocks(w, len(blocks)) {
		all = append(all, blocks[i].Sandwich(b))
	}
	return all
}

// AGOPFactor returns B with BᵀB = WᵀSW, for [Eigenvectors]. B has d columns and at most c rows, and no d×d
// matrix is formed.
func (r LayerResult) AGOPFactor(w *mat.Dense) (*mat.Dense, error) {
	l, err := r.root()
	if err != nil {
		return nil, err
	}
	var b mat.Dense
	b.Mul(l.T(), w)
	return &b, nil
}
