package rfm

import (
	"math"
	"testing"
)

// pairs returns zeros for all pairs of n positions.
func pairs(n int) vectors {
	out, all := make(vectors, n), make([]float64, n*n)
	for p := range out {
		out[p] = all[p*n : (p+1)*n]
	}
	return out
}

// dual returns 2E[φ(a)φ(b)] and 2E[φ′(a)φ′(b)] for φ = ReLU and Gaussian a and b with the given variances and the angle
// between them.
func dual(xx, zz, angle float64) (k1, k0 float64) {
	if xx*zz == 0 {
		return 0, 0
	}
	return math.Sqrt(xx*zz) * (math.Sin(angle) + (math.Pi-angle)*math.Cos(angle)) / math.Pi, (math.Pi - angle) / math.Pi
}

// products returns the inner products of all pairs, and the angles between them.
func products(u, v vectors) (dots, angles vectors) {
	dots, angles = pairs(len(u)), pairs(len(u))
	for p, x := range u {
		for q, z := range v {
			dots[p][q], angles[p][q] = inner(x, z), angleBetween(x, z)
		}
	}
	return dots, angles
}

// angleBetween returns the angle between two vectors by W. Kahan's formula, which is exact for small angles too. The
// angle of a vector of zeros does not matter.
func angleBetween(x, z []float64) float64 {
	less, more, a, b := 0., 0., length(z), length(x)
	for i := range x {
		d, s := a*x[i]-b*z[i], a*x[i]+b*z[i]
		less, more = less+d*d, more+s*s
	}
	return 2 * math.Atan2(math.Sqrt(less), math.Sqrt(more))
}

// anglesOf returns the angles that belong to covariances. In float64 a covariance does not tell an angle below 1e-7
// from 0.
func anglesOf(sigma vectors, xx, zz []float64) vectors {
	out := pairs(len(xx))
	for p := range xx {
		for q := range zz {
			cosine := math.Max(-1, sigma[p][q]/math.Sqrt(xx[p]*zz[q]))
			if cosine > 1-4e-15 {
				cosine = 1
			}
			out[p][q] = math.Acos(cosine)
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

// TestDualActivations compares the formulas of the naive kernels with the integrals that they solve, taken over the
// angle of a pair of Gaussians. The integral over the radius is a factor: 2 for the product of ReLUs, 1 for the product
// of their derivatives.
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
