package table

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/internal/random"
	"gonum.org/v1/gonum/mat"
)

// polynomialVersion names the random streams. Change it whenever a generated row changes.
const polynomialVersion = "polynomial/1"

// maxPolynomialValues bounds the generated inputs: 2 GiB of float64.
const maxPolynomialValues = 1 << 28

// Polynomial is a regression problem whose target has no noise and depends on few directions of the input. It tests
// whether a learner finds these directions.
type Polynomial struct {
	Name    string
	Formula string // of the target y and the distribution of the input, x1 to xd
	Source  string // the figure or the code that defines it
	Note    string // what the source does not say or gets wrong; may be empty

	Features int // d

	// The numbers of rows in the source; Validation is 0 if it has none.
	Train, Validation, Test int

	draw func(seed uint64) drawRow
}

// drawRow draws the input of a row into x and returns its target. It rounds every operation on floats (none is fused), so
// that all machines get the same numbers.
type drawRow func(rng *random.Source, x []float64) (y float64)

// Generate returns n rows, with features x1 to xd and target y. Row i depends only on the seed, on the name of the
// stream, such as "train" or "test", and on i. It returns an error if n is not positive, or the inputs would take more
// than 2 GiB.
func (p *Polynomial) Generate(n int, seed uint64, stream string) (*Set, error) {
	if most := maxPolynomialValues / p.Features; n < 1 || n > most {
		return nil, fmt.Errorf("table: %d rows of the polynomial %s: expected 1 to %d", n, p.Name, most)
	}
	s := &Set{Name: p.Name, X: mat.NewDense(n, p.Features, nil), Y: make([]float64, n), Target: "y"}
	for k := range p.Features {
		s.Features = append(s.Features, fmt.Sprintf("x%d", k+1))
	}
	draw := p.draw(seed)
	rng := random.New(seed, p.stream(stream), 0)
	for i := range n {
		s.Y[i] = draw(rng, s.X.RawRowView(i))
	}
	return s, nil
}

// stream returns the full name of one of the polynomial's random streams.
func (p *Polynomial) stream(what string) string {
	return polynomialVersion + "/" + p.Name + "/rows/" + what
}

// Polynomials returns the polynomials of paper rfm and of its authors' notebooks: rademacher (with [RademacherNoise]),
// hermite, product, switched, tutorial and lowrank.
func Polynomials() []Polynomial {
	return []Polynomial{Rademacher(RademacherNoise), Hermite(), Product(), Switched(), Tutorial(), LowRank()}
}

// Product is the problem of paper rfm, Fig. 14. The target has variance 1/16; the figure gives errors as fractions of it.
// The paper does not give d. Its errors .280, .465 and .574, of the NTK with one to three hidden layers, come out as
// .27, .45 and .56 with d = 40, and as .11, .25 and .36 with d = 30.
func Product() Polynomial {
	return Polynomial{
		Name:     "product",
		Formula:  "y = x1 x2, x ~ N(0, I/4)",
		Source:   "paper rfm, Fig. 14",
		Note:     "the paper does not give d: with 40 its errors of the NTK come out, as parts of the variance of y",
		Features: 40, Train: 1000, Test: 1000,
		draw: gaussian(.5, func(x []float64) float64 { return x[0] * x[1] }),
	}
}

// Switched is the problem of paper rfm, Fig. 10. We read the paper's x ~ ¼N(0,I) as N(0,¼I), which its authors' notebook
// uses for [LowRank].
func Switched() Polynomial {
	return Polynomial{
		Name:     "switched",
		Formula:  "y = x1 x2 1{x4 > 0} + x3 1{x4 < 0}, x ~ N(0, I/4)",
		Source:   "paper rfm, Fig. 10",
		Note:     "the paper prints x ~ ¼N(0, I), and does not give d: 40 is that of product",
		Features: 40, Train: 1000, Validation: 1000, Test: 1000,
		draw: gaussian(.5, func(x []float64) float64 {
			switch {
			case x[3] > 0:
				return x[0] * x[1]
			case x[3] < 0:
				return x[2]
			}
			return 0
		}),
	}
}

// Tutorial is the problem in the notebook RFM_Tutorial.ipynb by the authors of paper rfm.
func Tutorial() Polynomial {
	return Polynomial{
		Name:     "tutorial",
		Formula:  "y = x1 x2, x ~ N(0, I)",
		Source:   "RFM_Tutorial.ipynb of the authors of paper rfm",
		Features: 100, Train: 2000, Test: 2000,
		draw: gaussian(1, func(x []float64) float64 { return x[0] * x[1] }),
	}
}

// LowRank is the problem in the notebook low_rank.ipynb by the authors of paper rfm, which counts features from 0.
func LowRank() Polynomial {
	return Polynomial{
		Name:     "lowrank",
		Formula:  "y = x1 x2 1{x6 > 0}, x ~ N(0, I/4)",
		Source:   "low_rank.ipynb of the authors of paper rfm",
		Features: 20, Train: 4000, Test: 4000,
		draw: gaussian(.5, func(x []float64) float64 {
			if x[5] > 0 {
				return x[0] * x[1]
			}
			return 0
		}),
	}
}

// gaussian returns the draw function of rows whose entries are independent and normal with standard deviation sd, and
// whose target is a function of them.
func gaussian(sd float64, target func(x []float64) float64) func(uint64) drawRow {
	return func(uint64) drawRow {
		return func(rng *random.Source, x []float64) float64 {
			for k := range x {
				x[k] = float64(sd * rng.Normal())
			}
			return target(x)
		}
	}
}

// RademacherNoise is the default standard deviation of the noise of [Rademacher].
const RademacherNoise = .1

// Rademacher is the problem of paper rfm, Fig. 16a: the input is a corner z of a cube plus Gaussian noise of the given
// standard deviation, and the target depends on z alone. It panics if the noise is negative or not a number.
func Rademacher(noise float64) Polynomial {
	if !(noise >= 0) {
		panic(fmt.Sprintf("table: Rademacher with noise of standard deviation %g", noise))
	}
	return Polynomial{
		Name:     "rademacher",
		Formula:  fmt.Sprintf("y = z1 z2, x = z + N(0, %g² I), z uniform on {-1, 1}^d", noise),
		Source:   "paper rfm, Fig. 16a",
		Note:     "the paper adds noise without saying how much",
		Features: 30, Train: 1000, Test: 10000,
		draw: func(uint64) drawRow {
			return func(rng *random.Source, x []float64) float64 {
				y := 1.
				for k := range x {
					z := float64(2*rng.IntN(2) - 1)
					x[k] = z + float64(noise*rng.Normal())
					if k < 2 {
						y *= z
					}
				}
				return y
			}
		},
	}
}

// hermiteFeatures is the dimension of the input of [Hermite].
const hermiteFeatures = 10

// Hermite is the problem of paper rfm, Fig. 16d, with the probabilists' Hermite polynomials He2(t) = t² - 1 and
// He4(t) = t⁴ - 6t² + 3. The target has mean 0 and variance 2! + 4! = 26. Its direction is [HermiteDirection].
func Hermite() Polynomial {
	return Polynomial{
		Name:     "hermite",
		Formula:  "y = He2(uᵀx) + He4(uᵀx), x ~ N(0, I), u one point of the unit sphere",
		Source:   "paper rfm, Fig. 16d",
		Features: hermiteFeatures, Train: 1000, Test: 10000,
		draw: func(seed uint64) drawRow {
			u := HermiteDirection(seed)
			return func(rng *random.Source, x []float64) float64 {
				t := 0.
				for k := range x {
					x[k] = rng.Normal()
					t += float64(u[k] * x[k])
				}
				square := float64(t * t)
				return (square - 1) + float64(square*square) - float64(6*square) + 3
			}
		},
	}
}

// HermiteDirection returns the unit vector u, of 10 entries, that [Hermite] uses for a seed in all streams.
func HermiteDirection(seed uint64) []float64 {
	rng := random.New(seed, polynomialVersion+"/hermite/direction", 0)
	u := make([]float64, hermiteFeatures)
	length := 0.
	for k := range u {
		u[k] = rng.Normal()
		length += float64(u[k] * u[k])
	}
	for k := range u {
		u[k] /= math.Sqrt(length)
	}
	return u
}
