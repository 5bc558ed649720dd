package theory

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data/patches"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// checkEnergyForms checks the closed forms of Theorems 4.2 and A.3.
func (t *theory) checkEnergyForms() error {
	l, set, err := t.openEnergyTask()
	if err != nil {
		return err
	}
	if err := t.checkRegulariser(l); err != nil {
		return err
	}
	c, err := patches.FindComponents(t.ctx, set, energyPatch, 0)
	if err != nil {
		return err
	}
	u := mat.NewDense(len(c.Vectors), len(c.Vectors), nil)
	for i, v := range c.Vectors {
		u.SetCol(i, v)
	}
	if err := t.checkEnergyProfiles(l, u); err != nil {
		return err
	}
	if err := t.checkEnergyBasis(l, u); err != nil {
		return err
	}
	t.checkBinomial()
	return nil
}

// checkRegulariser checks that Λ of Theorem 4.2 exists.
func (t *theory) checkRegulariser(l *linearTask) error {
	y, worst := l.targets(), 0.
	for _, g := range []energy.Descent{{Rate: .1, Width: 64, Steps: 5000},
		{Rate: .9 * l.closed.MaxRate(1), Width: 1, Steps: 7}, {Rate: 1e-3, Width: 1, Steps: 1}} {
		w, err := l.closed.Descend(y, nil, g)
		if err != nil {
			return err
		}
		lambda, err := l.closed.Regulariser(g)
		if err != nil {
			return err
		}
		var left, right mat.VecDense
		left.MulVec(addSymmetric(backend.Gram(l.k), lambda), mat.NewVecDense(len(w), w))
		right.MulVec(l.k.T(), mat.NewVecDense(len(y), y))
		worst = math.Max(worst, linalg.RelativeError(&left, &right))
	}
	t.addPrinted(study.Statement{Paper: "energy", Name: "Theorem 4.2, Λ",
		Says:    "(KᵀK + Λ)μ = Kᵀy with Λ = λ(1 − ηλ)ᵗ/(1 − (1 − ηλ)ᵗ) on the eigenvectors of KᵀK",
		Measure: "largest relative error",
		Note: "Exact, for a singular KᵀK too. Λ depends on all of KᵀK, not on its eigenvalues alone, and has " +
			"negative ones where 1 < ηλ < 2 and t is odd."}, worst, Exact)
	return nil
}

// addSymmetric returns a + b.
func addSymmetric(a, b mat.Symmetric) *mat.SymDense {
	s := mat.NewSymDense(a.SymmetricDim(), nil)
	s.AddSym(a, b)
	return s
}

// checkEnergyProfiles checks eq. 8 at increasing widths.
func (t *theory) checkEnergyProfiles(l *linearTask, u *mat.Dense) error {
	y := l.targets()
	d, _ := u.Dims()
	printed, correct := make([]float64, len(t.Widths)), 0.
	for i, width := range t.Widths {
		g := energy.Descent{Rate: .1 * float64(width), Width: width, Steps: 50}
		learned, err := l.closed.Descend(y, nil, g)
		if err != nil {
			return err
		}
		for draw := range t.Draws {
			w0 := linalg.Gaussian(models.Stream(t.seed, fmt.Sprintf("theory/energy/profile/%d/%d", width, draw)), width,
				d, filterSD)
			w, err := l.closed.Filters(y, w0, g)
			if err != nil {
				return err
			}
			energies := setups.SquaredColumns(linalg.Product(w, u))
			mean, _ := energy.SquaredProfile(w, u)
			_, before := energy.SquaredProfile(w0, u)
			right, claimed := make([]float64, d), make([]float64, d)
			along := linalg.Product(mat.NewDense(1, d, learned), u).RawRowView(0)
			for k := range d {
				energies[k] /= float64(width)
				right[k], claimed[k] = mean[k]+before[k], along[k]*along[k]+filterSD*filterSD
			}
			printed[i] += linalg.RelativeDistance(energies, claimed) / float64(t.Draws)
			correct = math.Max(correct, linalg.RelativeDistance(energies, right))
		}
	}
	last := len(printed) - 1
	s := study.Statement{Paper: "energy", Name: "Theorems 4.2 and A.3, eq. 8",
		Says:    "the squared profile over m is w̃² + σ²",
		Measure: fmt.Sprintf("relative error of one draw at width %d, mean over draws,", t.Widths[0]),
		Note: "Of finitely many filters neither the mean is 0 nor the covariance σ²I. (Eq. 1 has no 1/m, and its " +
			"root.)"}
	t.addPrinted(s, printed[0], Exact)
	s.Says, s.Measure, s.Note = "the squared profile over m is w̃² + σ² up to O(m^−½)",
		fmt.Sprintf("error %.2g at width %d; slope", printed[last], t.Widths[last]),
		"The randomness of the initial filters is neglected."
	t.addPutRight(s, slope(t.Widths, printed), AsInverseRoot)
	t.addCurve("energy, eq. 8", printed)
	s.Says, s.Measure = "the squared profile over m is ⟨w̄, p⟩² + pᵀC₀p, w̄ the mean filter at step t and C₀ the "+
		"covariance of the first", "largest relative error"
	s.Note = "Exact for every draw."
	t.addPutRight(s, correct, Exact)
	return nil
}

// checkEnergyBasis checks what the proof of Theorem A.3 says about average patches in the basis of
// principal components.
func (t *theory) checkEnergyBasis(l *linearTask, u *mat.Dense) error {
	diagonalIn := func(basis *mat.Dense) float64 {
		var c mat.SymDense
		stat.CovarianceMatrix(&c, linalg.Product(l.k, basis), nil)
		off := mat.NewSymDense(c.SymmetricDim(), nil)
		off.CopySym(&c)
		for i := range off.SymmetricDim() {
			off.SetSym(i, i, 0)
		}
		return mat.Norm(off, 2) / mat.Norm(&c, 2)
	}
	var c mat.SymDense
	stat.CovarianceMatrix(&c, l.k, nil)
	var eig mat.EigenSym
	if !eig.Factorize(&c, true) {
		return fmt.Errorf("the eigenvectors of the average patches were not found")
	}
	var own mat.Dense
	eig.VectorsTo(&own)
	s := study.Statement{Paper: "energy", Name: "Theorem A.3, basis",
		Says:    "in the basis of the patches' principal components the average patches' covariance Σ̂ is diagonal",
		Measure: "size of the entries off the diagonal, relative to Σ̂",
		Note:    "The rows of K are average patches, whose covariance has other eigenvectors than that of the patches."}
	t.addPrinted(s, diagonalIn(u), Exact)
	s.Says, s.Note = "in the basis of the average patches' own principal components their covariance Σ̂ is "+
		"diagonal", ""
	t.addPutRight(s, diagonalIn(&own), Exact)

	n := float64(len(l.labels))
	mean := make([]float64, len(l.k.RawRowView(0)))
	for j := range mean {
		mean[j] = stat.Mean(mat.Col(nil, j, l.k), nil)
	}
	second := addSymmetric(linalg.Scaled((n-1)/n, &c), linalg.OuterProduct(mean))
	s.Name, s.Says, s.Measure, s.Note = "Theorem A.3, second moment",
		"K̄ᵀK̄ = Σ̂ + μ̂μ̂ᵀ with the empirical variances and mean", "relative error",
		"A factor N is missing. With it in the loss, as in Theorem A.4, it is gone."
	t.addPrinted(s, linalg.RelativeError(second, backend.Gram(l.k)), Exact)
	s.Says, s.Note = "K̄ᵀK̄ = N(Σ̂ + μ̂μ̂ᵀ)", ""
	t.addPutRight(s, linalg.RelativeError(linalg.Scaled(n, second), backend.Gram(l.k)), Exact)
	return nil
}
