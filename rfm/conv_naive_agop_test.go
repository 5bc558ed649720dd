package rfm

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// gradient returns the gradient of K(·, v) in the patches of an image, by central differences that each move one
// element of one patch. Where patches coincide, the kernels depend on |h|, which gives the differences an error of
// order h. Extrapolation from h and h/2 removes it. For ReLU kernels the gradient in a patch of zeros is 0.
func (a naiveConv) gradient(k ConvKernel, patches vectors, v vectors, h float64) vectors {
	u := append(vectors(nil), a.transform(patches)...)
	slope := func(p, element int, h float64) float64 {
		at := u[p]
		value := func(h float64) float64 {
			moved := append([]float64(nil), patches[p]...)
			moved[element] += h
			u[p] = a.transform(vectors{moved})[0]
			return a.value(k, u, v)
		}
		defer func() { u[p] = at }()
		return (value(h) - value(-h)) / (2 * h)
	}
	out := make(vectors, len(u))
	for p := range u {
		out[p] = make([]float64, len(patches[p]))
		for i := range out[p] {
			if length(patches[p]) > 0 || !ofReLU(k) {
				out[p][i] = 2*slope(p, i, h/2) - slope(p, i, h)
			}
		}
	}
	return out
}

func ofReLU(k ConvKernel) bool {
	_, laplace := k.(PatchLaplace)
	return !laplace
}

// agop returns the patch-AGOP of f(x) = Σⱼ αⱼK(x, zⱼ) by central differences: the mean over x of ∇f∇fᵀ summed over
// positions and outputs.
func (a naiveConv) agop(k ConvKernel, x, z Images, alpha *mat.Dense, h float64) *mat.SymDense {
	d := a.channels * a.q * a.q
	_, outputs := alpha.Dims()
	sum, centres := mat.NewSymDense(d, nil), a.seeAll(z)
	for i := range x.Len() {
		patches := a.patches(x.Image(i))
		f := make([]*mat.Dense, outputs) // gradients, positions×d
		for c := range f {
			f[c] = mat.NewDense(len(patches), d, nil)
		}
		for j, v := range centres {
			for p, g := range a.gradient(k, patches, v, h) {
				for c := range f {
					row := mat.NewVecDense(d, f[c].RawRowView(p))
					row.AddScaledVec(row, alpha.At(j, c), mat.NewVecDense(d, g))
				}
			}
		}
		for c := range f {
			sum.SymRankK(sum, 1/float64(x.Len()), f[c].T())
		}
	}
	return sum
}

// finite reports whether no element is NaN or infinite.
func finite(m mat.Matrix) bool { return !math.IsNaN(mat.Norm(m, 2)) && !math.IsInf(mat.Norm(m, 2), 0) }
