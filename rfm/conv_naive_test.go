package rfm

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// naiveConv computes convolutional kernels in float64 as Arora et al. 2019 (section 4) define them: layer by layer, as
// covariances between the pre-activations at all positions of one image and those at all positions of the other. Only
// the readout selects the pairs of positions that count.
type naiveConv struct {
	height, width, channels int
	q, depth                int
	pad                     bool
	root                    *mat.Dense // root of the metric; nil for the identity
	windows                 [][][]int  // the positions that the filters of every later layer read
}

// vectors are patches as a kernel reads them, one for every position.
type vectors [][]float64

// naiveKernels are the kernels of one network: its tangent kernel with a flattened and with a pooled readout, and its
// kernel at initialisation.
type naiveKernels struct{ cntk, pooled, cnngp float64 }

// patches returns the patches of an image, in the order (channel, row, column).
func (a naiveConv) patches(image []float32) vectors {
	margin := 0
	if a.pad {
		margin = a.q / 2
	}
	var out vectors
	for y := -margin; y+a.q <= a.height+margin; y++ {
		for x := -margin; x+a.q <= a.width+margin; x++ {
			var patch []float64
			for c := range a.channels {
				for i := range a.q * a.q {
					v, r, s := 0., y+i/a.q, x+i%a.q
					if r >= 0 && r < a.height && s >= 0 && s < a.width {
						v = float64(image[(r*a.width+s)*a.channels+c])
					}
					patch = append(patch, v)
				}
			}
			out = append(out, patch)
		}
	}
	return out
}

// transform multiplies patches by the root of the metric.
func (a naiveConv) transform(patches vectors) vectors {
	if a.root == nil {
		return patches
	}
	out := make(vectors, len(patches))
	for p, h := range patches {
		out[p] = apply(a.root, h)
	}
	return out
}

// sides returns the height and the width of a layer's map. The first layer is 1.
func (a naiveConv) sides(layer int) (height, width int) {
	if a.pad {
		return a.height, a.width
	}
	return a.height - layer*(a.q-1), a.width - layer*(a.q-1)
}

// kernels returns the kernels of two images.
func (a naiveConv) kernels(u, v vectors) naiveKernels {
	sigma, angles := products(u, v)
	xx, zz := squaredNorms(u), squaredNorms(v)
	theta := sigma
	for layer := 1; ; layer++ {
		if layer > 1 {
			sigma, theta = a.convolve(layer, sigma), a.convolve(layer, theta)
			xx, zz = a.convolveNorms(layer, xx), a.convolveNorms(layer, zz)
			angles = anglesOf(sigma, xx, zz)
			theta = sum(theta, sigma)
		}
		after, tangent := pairs(len(xx)), pairs(len(xx))
		for p := range xx {
			for q := range zz {
				k1, k0 := dual(xx[p], zz[q], angles[p][q])
				after[p][q], tangent[p][q] = k1, theta[p][q]*k0
			}
		}
		sigma, theta = after, tangent
		if layer == a.depth {
			break
		}
	}
	out, c, n := naiveKernels{}, float64(a.channels), float64(len(xx))
	for p := range xx {
		out.cnngp += sigma[p][p] / n
		out.cntk += (sigma[p][p] + theta[p][p]) / (n * c)
		for q := range zz {
			out.pooled += (sigma[p][q] + theta[p][q]) / (n * n * c)
		}
	}
	return out
}

// laplace returns the Laplace kernel of patches, which has one layer.
func (a naiveConv) laplace(u, v vectors, bandwidth float64) float64 {
	s := 0.
	for p := range u {
		s += math.Exp(-separation(u[p], v[p])/bandwidth) / float64(len(u))
	}
	return s
}

// convolve returns the covariances of a layer's pre-activations for covariances of the previous activations: Σ(p, p′) =
// Σ over δ of K(p+δ, p′+δ).
func (a naiveConv) convolve(layer int, k vectors) vectors {
	at := a.windows[layer-2]
	out := pairs(len(at))
	for p := range at {
		for q := range at {
			s := 0.
			for i := range at[p] {
				if at[p][i] >= 0 && at[q][i] >= 0 {
					s += k[at[p][i]][at[q][i]]
				}
			}
			out[p][q] = s
		}
	}
	return out
}

func (a naiveConv) convolveNorms(layer int, xx []float64) []float64 {
	var out []float64
	for _, window := range a.windows[layer-2] {
		s := 0.
		for _, p := range window {
			if p >= 0 {
				s += xx[p]
			}
		}
		out = append(out, s)
	}
	return out
}

// windowsOf returns, for every position of a layer, the positions of the previous layer that its filter reads. −1 is
// outside.
func (a naiveConv) windowsOf(layer int) [][]int {
	height, width := a.sides(layer)
	h, w := a.sides(layer - 1)
	margin := 0
	if a.pad {
		margin = a.q / 2
	}
	var out [][]int
	for y := range height {
		for x := range width {
			var window []int
			for i := range a.q * a.q {
				r, s := y+i/a.q-margin, x+i%a.q-margin
				if r < 0 || r >= h || s < 0 || s >= w {
					window = append(window, -1)
				} else {
					window = append(window, r*w+s)
				}
			}
			out = append(out, window)
		}
	}
	return out
}

func sum(a, b vectors) vectors {
	out := pairs(len(a))
	for p := range a {
		for q := range a[p] {
			out[p][q] = a[p][q] + b[p][q]
		}
	}
	return out
}
