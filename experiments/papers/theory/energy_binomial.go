package theory

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// binomialCase is a diagonal Σ̂ = diag(lambda), μ̂ and b = K̄ᵀy of eqs. 10–17 of energy.
type binomialCase struct {
	lambda, mu, b []float64
}

// The learning rate η and the number of steps of the descent.
const (
	binomialRate  = .05
	binomialSteps = 12
)

// checkBinomial checks eqs. 11–17: as printed, for a μ̂ in general position, and then for an
// eigenvector of Σ̂, whose μ̂μ̂ᵀ commutes with Σ̂.
func (t *theory) checkBinomial() {
	rng := models.Stream(t.seed, "theory/energy/binomial")
	const d = 5
	general, special := &binomialCase{}, &binomialCase{}
	for i := range d {
		general.lambda, general.mu, general.b = append(general.lambda, .2+rng.Float64()),
			append(general.mu, rng.NormFloat64()), append(general.b, rng.NormFloat64())
		special.mu = append(special.mu, 0)
		if i == 1 {
			special.mu[i] = 1.3
		}
	}
	special.lambda, special.b = general.lambda, general.b
	s := study.Statement{Paper: "energy", Name: "Theorem A.3, eq. 11",
		Says: "(I − η(Σ̂ + μ̂μ̂ᵀ))ʲ is the binomial sum of eq. 11", Measure: "relative error",
		Note: "Σ̂ and μ̂μ̂ᵀ do not commute unless μ̂ is an eigenvector of Σ̂."}
	t.addPrinted(s, linalg.RelativeError(general.binomial(), general.power()), Exact)
	s.Says, s.Note = "(I − η(Σ̂ + μ̂μ̂ᵀ))ʲ is the binomial sum of eq. 11 if μ̂ is an eigenvector of Σ̂",
		"In general there is no such sum; eq. 9 in the eigenvectors of K̄ᵀK̄ is exact."
	t.addPutRight(s, linalg.RelativeError(special.binomial(), special.power()), Exact)

	want := special.descend()
	s.Name, s.Says = "Theorem A.3, eqs. 14, 15", "w_t = (B − A)μ̂μ̂ᵀK̄ᵀy + AK̄ᵀy, for a μ̂ that commutes"
	s.Note = "‖μ̂‖² is missing under A. Eq. 13 lacks a factor η."
	t.addPrinted(s, linalg.RelativeDistance(special.eq15(1), want), Exact)
	square := floats.Dot(special.mu, special.mu)
	s.Says, s.Note = "w_t = (B − A/‖μ̂‖²)μ̂μ̂ᵀK̄ᵀy + AK̄ᵀy, for a μ̂ that commutes", ""
	t.addPutRight(s, linalg.RelativeDistance(special.eq15(square), want), Exact)
	s.Name, s.Says, s.Note = "Theorem A.3, eqs. 14, 15, any μ̂", "w_t = (B − A/‖μ̂‖²)μ̂μ̂ᵀK̄ᵀy + AK̄ᵀy, for a μ̂ "+
		"in general position",
		"It rests on eq. 11."
	t.addBesides(s,
		linalg.RelativeDistance(general.eq15(floats.Dot(general.mu, general.mu)), general.descend()), Exact)

	s.Name, s.Says = "Theorem A.3, eq. 17", "Λ = (B + (A − B)μ̂μ̂ᵀ)⁻¹ − Σ̂ − μ̂μ̂ᵀ, for a μ̂ that commutes"
	s.Measure, s.Note = "relative error of (K̄ᵀK̄ + Λ)⁻¹K̄ᵀy", "A and B have changed places after eq. 15."
	a, b := special.diagonalsAB()
	t.addPrinted(s, linalg.RelativeDistance(special.solveEq17(b, a, 1), want), Exact)
	s.Says, s.Note = "Λ = (A + (B − A/‖μ̂‖²)μ̂μ̂ᵀ)⁻¹ − Σ̂ − μ̂μ̂ᵀ, for a μ̂ that commutes",
		"For any μ̂: Theorem 4.2, Λ, above."
	t.addPutRight(s, linalg.RelativeDistance(special.solveEq17(a, b, square), want), Exact)
}

// step returns I − η(Σ̂ + μ̂μ̂ᵀ).
func (c *binomialCase) step() *mat.SymDense {
	s := linalg.Scaled(-binomialRate, linalg.OuterProduct(c.mu))
	for i, l := range c.lambda {
		s.SetSym(i, i, s.At(i, i)+1-binomialRate*l)
	}
	return s
}

// power returns the matrix power of [binomialCase.step] whose exponent is the number of steps.
func (c *binomialCase) power() *mat.Dense {
	p, s := identityOf(len(c.mu)), c.step()
	for range binomialSteps {
		p = linalg.Product(p, s)
	}
	return p
}

// descend returns w after the steps of eq. 9.
func (c *binomialCase) descend() []float64 {
	w, s := mat.NewVecDense(len(c.b), nil), c.step()
	for range binomialSteps {
		var next mat.VecDense
		next.MulVec(s, w)
		next.AddScaledVec(&next, binomialRate, mat.NewVecDense(len(c.b), c.b))
		w = &next
	}
	return w.RawVector().Data
}

// binomial returns the right side of eq. 11.
func (c *binomialCase) binomial() *mat.Dense {
	d := len(c.mu)
	out := mat.NewDense(d, d, nil)
	square, choose := floats.Dot(c.mu, c.mu), 1.
	for k := range binomialSteps + 1 {
		for i := range d {
			left := math.Pow(1-binomialRate*c.lambda[i], float64(binomialSteps-k))
			if k == 0 {
				out.Set(i, i, left)
				continue
			}
			for j := range d {
				out.Set(i, j, out.At(i, j)+choose*math.Pow(-binomialRate, float64(k))*
					math.Pow(square, float64(k-1))*left*c.mu[i]*c.mu[j])
			}
		}
		choose *= float64(binomialSteps-k) / float64(k+1)
	}
	return out
}

// diagonalsAB returns the diagonals A and B of eq. 15.
func (c *binomialCase) diagonalsAB() (a, b []float64) {
	square := floats.Dot(c.mu, c.mu)
	for _, l := range c.lambda {
		a = append(a, (1-math.Pow(1-binomialRate*l, binomialSteps))/l)
		b = append(b, (1-math.Pow(1-binomialRate*(l+square), binomialSteps))/(square*(l+square)))
	}
	return a, b
}

// eq15 returns w of eq. 15, with A of its first term divided by divide, which is 1 as printed.
func (c *binomialCase) eq15(divide float64) []float64 {
	a, b := c.diagonalsAB()
	along := floats.Dot(c.mu, c.b)
	var w []float64
	for i := range c.mu {
		w = append(w, (b[i]-a[i]/divide)*c.mu[i]*along+a[i]*c.b[i])
	}
	return w
}

// solveEq17 returns (K̄ᵀK̄ + Λ)⁻¹K̄ᵀy with Λ of eq. 17, where the diagonals a and b replace A and B of the corrected
// equation.
func (c *binomialCase) solveEq17(a, b []float64, divide float64) []float64 {
	d := len(c.mu)
	m := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			m.Set(i, j, (b[i]-a[i]/divide)*c.mu[i]*c.mu[j])
		}
		m.Set(i, i, m.At(i, i)+a[i])
	}
	// K̄ᵀK̄ + Λ is the inverse of m.
	return linalg.Product(m, column(c.b)).RawMatrix().Data
}
