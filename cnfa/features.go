package cnfa

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Features holds the spectrum of a feature matrix of a layer with filters W, c×d, which is the CNFM WᵀW or the AGOP
// WᵀSW. Its eigenvectors lie in the span of the filters: v = Wᵀy.
type Features struct {
	Values  []float64  // all positive eigenvalues, in descending order
	Vectors *mat.Dense // the leading eigenvectors v as rows, of length 1; the largest element is positive
	Filters *mat.Dense // the combinations of filters y, as rows
}

// CNFMFeatures returns the spectrum of WᵀW with at most k eigenvectors.
func CNFMFeatures(w *mat.Dense, k int) (*Features, error) { return features(w, nil, k) }

// AGOPFeatures returns the spectrum of WᵀSW with at most k eigenvectors. W, c×d, must be the filters of the layer. For a layer
// with groups it is the spectrum of the sum of W_gᵀS_gW_g.
func (r LayerResult) AGOPFeatures(w *mat.Dense, k int) (*Features, error) {
	l, err := r.root()
	if err != nil {
		return nil, err
	}
	return features(w, l, k)
}

// features returns the spectrum of WᵀLLᵀW; nil stands for the identity L. It solves the eigenproblem of (LᵀW)(LᵀW)ᵀ:
// an eigenvector u of the eigenvalue λ gives y = Lu/√λ.
func features(w, l *mat.Dense, k int) (*Features, error) {
	x := w
	if l != nil {
		x = new(mat.Dense)
		x.Mul(l.T(), w)
	}
	values, u, err := backend.EigenSym(outer(x), true)
	if err != nil {
		return nil, err
	}
	n, rank := len(values), len(positive(values))
	if k = min(k, rank); k == 0 {
		return nil, ErrZero
	}
	f := &Features{}
	for i := range rank {
		f.Values = append(f.Values, values[n-1-i])
	}
	c, d := w.Dims()
	f.Vectors, f.Filters = mat.NewDense(k, d, nil), mat.NewDense(k, c, nil)
	for i := range k {
		y := mat.NewVecDense(c, nil)
		if l == nil {
			y.CopyVec(u.ColView(n - 1 - i))
		} else {
			y.MulVec(l, u.ColView(n-1-i))
		}
		y.ScaleVec(1/math.Sqrt(f.Values[i]), y)
		v := mat.NewVecDense(d, nil)
		v.MulVec(w.T(), y)
		sign := signOfLargest(v)
		for j := range d {
			f.Vectors.Set(i, j, sign*v.AtVec(j))
		}
		for j := range c {
			f.Filters.Set(i, j, sign*y.AtVec(j))
		}
	}
	return f, nil
}

// Projections holds the responses of a layer's eigenvectors v to images: vᵀh for the patches h that the layer reads.
type Projections struct {
	Images, Height, Width int
	// Values has a row for every patch, in the order (image, row, column), and a column for every combination of filters.
	Values *mat.Dense

	conv backend.ConvShape
}

// Patch returns the centre of the patch at a row and a column of the output, and its height and width, as shares of the
// height and the width of what the convolution reads.
func (p Projections) Patch(row, column int) (y, x, height, width float64) {
	s := p.conv
	high, wide := float64(s.DilateH*(s.KH-1)+1), float64(s.DilateW*(s.KW-1)+1)
	y = (float64(row*s.StrideH-s.PadH) + high/2) / float64(s.H)
	x = (float64(column*s.StrideW-s.PadW) + wide/2) / float64(s.W)
	return y, x, high / float64(s.H), wide / float64(s.W)
}

// Project returns yᵀWh for the rows y of every matrix of combinations of filters, and the patches h that a convolution
// of a verification's result r reads in the images px, (image, row, column, channel) and normalised. A linear layer
// that reads the features of pixels counts as a convolution.
func Project(ctx context.Context, net *models.Network, r LayerResult, px []float32, y ...*mat.Dense) ([]Projections, error) {
	z, err := filterPatches(ctx, net, r, px)
	if err != nil {
		return nil, err
	}
	var all []Projections
	for _, combinations := range y {
		p := Projections{Images: z.images, Height: z.height, Width: z.width, Values: new(mat.Dense), conv: z.conv}
		p.Values.Mul(z.rows, combinations.T())
		all = append(all, p)
	}
	return all, nil
}

// PrincipalAngles returns the angles between the spans of the rows of a and b, which are orthonormal, in radians and
// ascending.
func PrincipalAngles(a, b *mat.Dense) ([]float64, error) {
	var ab mat.Dense
	ab.Mul(a, b.T())
	var svd mat.SVD
	if !svd.Factorize(&ab, mat.SVDNone) {
		return nil, backend.ErrEigen
	}
	angles := svd.Values(nil)
	for i, cosine := range angles {
		angles[i] = math.Acos(min(cosine, 1))
	}
	return angles, nil
}

// RandomAngles returns the principal angles between the spans of k random directions and of k others in n dimensions,
// k ≤ n, in radians and ascending: the means over draws. They are the null of [PrincipalAngles].
func RandomAngles(k, n, draws int, rng *rand.Rand) ([]float64, error) {
	means := make([]float64, k)
	first := mat.NewDense(k, n, nil)
	for i := range k {
		first.Set(i, i, 1)
	}
	for range draws {
		other, err := RandomFrame(k, n, rng)
		if err != nil {
			return nil, err
		}
		angles, err := PrincipalAngles(first, other)
		if err != nil {
			return nil, err
		}
		floats.AddScaled(means, 1/float64(draws), angles)
	}
	return means, nil
}

// signOfLargest returns the sign of the element that is largest in absolute value.
func signOfLargest(v *mat.VecDense) float64 {
	top := 0.
	for i := range v.Len() {
		if x := v.AtVec(i); math.Abs(x) > math.Abs(top)*(1+1e-9) {
			top = x
		}
	}
	return math.Copysign(1, top)
}

// CNFM returns WᵀW, d×d, for the filters W of a layer, c×d.
func CNFM(w *mat.Dense) *mat.SymDense { return backend.Gram(w) }

// AGOP returns WᵀSW, d×d: the mean over images of the sum over positions and outputs of ggᵀ (cnfa, eq. 2). W,
// c×d, must be the filters of the layer in the network that was verified. For a layer with groups it is the sum of
// [LayerResult.AGOPBlocks], as [CNFM] is the sum of the blocks W_gᵀW_g.
func (r LayerResult) AGOP(w *mat.Dense) *mat.SymDense { return r.S.Sandwich(w) }

// AGOPBlocks returns W_gᵀS_gW_g, d×d, for every group of the layer; with one group that is [LayerResult.AGOP].
func (r LayerResult) AGOPBlocks(w *mat.Dense) []*mat.SymDense {
	var all []*mat.SymDense
	blocks := r.S.Blocks()
	for i, b := range rowBlocks(w, len(blocks)) {
		all = append(all, blocks[i].Sandwich(b))
	}
	return all
}
