package rfm

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// naiveConv computes convolutional kernels in float64 as Arora et al. 2019
// (section 4) write them: covariances of the pre-activations at every position of
// one image with those at every position of the other, layer by layer. Only the
// readout says which of the pairs count.
type naiveConv struct {
	height, width, channels int
	q, depth                int
	pad                     bool
	root                    *mat.Dense // of the metric; nil for the identity
}

// vectors are patches as a kernel sees them, one for every position.
type vectors [][]float64

// naiveKernels are the kernels of one network: with the flattened and the pooled
// readout, and at its initialisation.
type naiveKernels struct{ cntk, pooled, cnngp float64 }

// patches lists the patches of an image, in the order (channel, row, column).
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

// see takes patches through the root of the metric.
func (a naiveConv) see(patches vectors) vectors {
	if a.root == nil {
		return patches
	}
	out := make(vectors, len(patches))
	for p, h := range patches {
		out[p] = apply(a.root, h)
	}
	return out
}

// sides are the height and the width of a layer's map, from 1 for the first.
func (a naiveConv) sides(layer int) (height, width int) {
	if a.pad {
		return a.height, a.width
	}
	return a.height - layer*(a.q-1), a.width - layer*(a.q-1)
}

// kernels computes the kernels of two images.
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
		after := make(vectors, len(xx))
		tangent := make(vectors, len(xx))
		for p := range xx {
			for q := range zz {
				k1, k0 := dual(xx[p], zz[q], angles[p][q])
				after[p] = append(after[p], k1)
				tangent[p] = append(tangent[p], theta[p][q]*k0)
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

// laplace is the kernel of patches of one layer.
func (a naiveConv) laplace(u, v vectors, bandwidth float64) float64 {
	s := 0.
	for p := range u {
		s += math.Exp(-separation(u[p], v[p])/bandwidth) / float64(len(u))
	}
	return s
}

// dual returns 2E[φ(a)φ(b)] and 2E[φ′(a)φ′(b)] of ReLU for a and b of the given
// variances at an angle.
func dual(xx, zz, angle float64) (k1, k0 float64) {
	if xx*zz == 0 {
		return 0, 0
	}
	return math.Sqrt(xx*zz) * (math.Sin(angle) + (math.Pi-angle)*math.Cos(angle)) / math.Pi, (math.Pi - angle) / math.Pi
}

// products are the inner products of all pairs, and the angles between them.
func products(u, v vectors) (dots, angles vectors) {
	dots, angles = make(vectors, len(u)), make(vectors, len(u))
	for p, x := range u {
		for _, z := range v {
			dots[p] = append(dots[p], inner(x, z))
			angles[p] = append(angles[p], angleBetween(x, z))
		}
	}
	return dots, angles
}

// angleBetween is W. Kahan's formula, which is exact for small angles too; that of
// a vector of zeros does not matter.
func angleBetween(x, z []float64) float64 {
	less, more, a, b := 0., 0., length(z), length(x)
	for i := range x {
		d, s := a*x[i]-b*z[i], a*x[i]+b*z[i]
		less, more = less+d*d, more+s*s
	}
	return 2 * math.Atan2(math.Sqrt(less), math.Sqrt(more))
}

// anglesOf are the angles of covariances. No covariance in float64 tells an angle
// of less than 1e-7 from none.
func anglesOf(sigma vectors, xx, zz []float64) vectors {
	out := make(vectors, len(xx))
	for p := range xx {
		for q := range zz {
			cosine := math.Max(-1, sigma[p][q]/math.Sqrt(xx[p]*zz[q]))
			if cosine > 1-4e-15 {
				cosine = 1
			}
			out[p] = append(out[p], math.Acos(cosine))
		}
	}
	return out
}

func squaredNorms(u vectors) []float64 {
	var out []float64
	for _, x := range u {
		out = append(out, inner(x, x))
	}
	return out
}

// convolve goes from the covariances of activations to those of a layer's
// pre-activations: Σ(p, p′) = Σ over δ of K(p+δ, p′+δ).
func (a naiveConv) convolve(layer int, k vectors) vectors {
	at := a.windows(layer)
	out := make(vectors, len(at))
	for p := range at {
		for q := range at {
			s := 0.
			for i := range at[p] {
				if at[p][i] >= 0 && at[q][i] >= 0 {
					s += k[at[p][i]][at[q][i]]
				}
			}
			out[p] = append(out[p], s)
		}
	}
	return out
}

func (a naiveConv) convolveNorms(layer int, xx []float64) []float64 {
	var out []float64
	for _, window := range a.windows(layer) {
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

// windows lists, for every position of a layer, the positions of the layer before
// that its filter reads; -1 is outside.
func (a naiveConv) windows(layer int) [][]int {
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
	out := make(vectors, len(a))
	for p := range a {
		for q := range a[p] {
			out[p] = append(out[p], a[p][q]+b[p][q])
		}
	}
	return out
}

// TestDualActivations holds the formulas of the naive kernels to the integrals
// that they are of: over the angle of a pair of Gaussians, whose radius gives 2
// for ReLU's product and 1 for its derivative's.
func TestDualActivations(t *testing.T) {
	const steps = 200000
	for _, angle := range []float64{0, .3, math.Pi / 2, 2.5, math.Pi} {
		var k1, k0 float64
		for i := range steps {
			phi := (float64(i) + .5) * 2 * math.Pi / steps
			if a, b := math.Cos(phi), math.Cos(phi-angle); a > 0 && b > 0 {
				k1 += 2 * 2 * a * b / steps
				k0 += 2. / steps
			}
		}
		got1, got0 := dual(4, 9, angle)
		if math.Abs(got1-6*k1) > 1e-4 || math.Abs(got0-k0) > 1e-4 {
			t.Errorf("at an angle of %v: %v and %v, by integration %v and %v", angle, got1, got0, 6*k1, k0)
		}
	}
}
