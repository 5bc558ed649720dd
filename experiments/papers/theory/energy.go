package theory

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The images for energy's theorems.
const (
	energyImages, energySide, energyPatch = 40, 8, 3
	filterSD                              = .2 // σ of the initial filters
)

// checkEnergyDescent checks energy's statements about gradient descent by training a network.
func (t *theory) checkEnergyDescent() error {
	l, _, err := t.openEnergyTask()
	if err != nil {
		return err
	}
	if err := t.checkEnergyLemmas(l); err != nil {
		return err
	}
	if err := t.checkEnergyGradient(l); err != nil {
		return err
	}
	return t.checkEnergyOptimum(l)
}

// checkEnergyLemmas checks Lemmas A.1 and A.2 and the closed form, at several widths,
// rates and steps.
func (t *theory) checkEnergyLemmas(l *linearTask) error {
	var loss, covariance, filters float64
	y := l.targets()
	for _, width := range []int{1, 8, setups.LinearCNNFilters} {
		w0 := linalg.Gaussian(models.Stream(t.seed, fmt.Sprintf("theory/energy/filters/%d", width)), width,
			energyPatch*energyPatch*l.shape.Channels, filterSD)
		for _, rate := range []float64{.1, .9 * l.closed.MaxRate(width)} {
			s, err := t.newLinearTraining(l, width, rate)
			if err != nil {
				return err
			}
			s.setFilters(w0)
			taken := 0
			for _, steps := range []int{1, 10, 100} {
				if err := s.takeSteps(t, l.labels, steps-taken); err != nil {
					return err
				}
				taken = steps
				w := s.copyFilters()
				want, err := l.closed.Filters(y, w0, energy.Descent{Rate: rate, Width: width, Steps: steps})
				if err != nil {
					return err
				}
				score, err := s.trainer.Evaluate(t.ctx, l.px, l.labels)
				if err != nil {
					return err
				}
				own := l.loss(energy.MeanFilter(w), y)
				filters = math.Max(filters, linalg.RelativeError(w, want))
				loss = math.Max(loss, math.Abs(score.MeanLoss()-own)/own)
				if width > 1 {
					covariance = math.Max(covariance, linalg.RelativeError(rowCovariance(w), rowCovariance(w0)))
				}
			}
		}
	}
	s := study.Statement{Paper: "energy", Name: "Lemma A.1",
		Says:    "a linear CNN is linear regression on the average patches: its loss is ‖Kw̄ − y‖²/N",
		Measure: "largest relative error",
		Note:    "Exact. The lemma has half of it, Lemma A.2 N times it; both are other rates."}
	t.addPrinted(s, loss, Exact)
	s.Name, s.Says, s.Note = "Lemma A.2", "only the mean filter changes: the filters' covariance stays", "Exact."
	t.addPrinted(s, covariance, Exact)
	s.Name, s.Says = "Theorem 4.2, eq. 9",
		"the mean filter is the closed form, at 1, 10 and 100 steps, widths 1, 8, 64, short and long steps"
	s.Note = "Exact, with the paper's η = 2η/(Nm) of the mean over N images and m filters, and (I − ηKᵀK)ᵗw̄₀ added, " +
		"since the mean of m random filters is not 0."
	t.addPrinted(s, filters, Exact)
	return nil
}

// rowCovariance returns the covariance of the rows of w about their mean, divided by their number.
func rowCovariance(w *mat.Dense) *mat.SymDense {
	m, _ := w.Dims()
	mean, off := energy.MeanFilter(w), mat.DenseCopyOf(w)
	for j := range m {
		floats.Sub(off.RawRowView(j), mean)
	}
	return linalg.Scaled(1/float64(m), backend.Gram(off))
}

// checkEnergyGradient checks eq. 5.
func (t *theory) checkEnergyGradient(l *linearTask) error {
	const width, rate = 8, .1
	s, err := t.newLinearTraining(l, width, rate)
	if err != nil {
		return err
	}
	w0 := s.copyFilters()
	if err := s.takeSteps(t, l.labels, 1); err != nil {
		return err
	}
	var gradient mat.Dense
	gradient.Sub(w0, s.copyFilters())
	gradient.Scale(float64(len(l.labels))/rate, &gradient) // of ‖Kw̄ − y‖², N times the network's loss
	var r, g mat.VecDense
	r.MulVec(l.k, mat.NewVecDense(len(w0.RawRowView(0)), energy.MeanFilter(w0)))
	r.SubVec(&r, mat.NewVecDense(len(l.labels), l.targets()))
	g.MulVec(l.k.T(), &r)
	formula := func(factor float64) *mat.Dense {
		out := mat.NewDense(width, g.Len(), nil)
		for j := range width {
			floats.AddScaled(out.RawRowView(j), factor/width, g.RawVector().Data)
		}
		return out
	}
	st := study.Statement{Paper: "energy", Name: "eq. 5",
		Says: "the gradient of ‖Kw̄ − y‖² in every filter is (1/2m)Kᵀ(Kw̄ − y)", Measure: "relative error",
		Note: "The factor is 2/m."}
	t.addPrinted(st, linalg.RelativeError(formula(.5), &gradient), Exact)
	st.Says, st.Note = "the gradient of ‖Kw̄ − y‖² in every filter is (2/m)Kᵀ(Kw̄ − y)",
		"So the mean filter moves by η/m times the gradient in w̄; eq. 7 has η."
	t.addPutRight(st, linalg.RelativeError(formula(2), &gradient), Exact)
	return nil
}

// checkEnergyOptimum checks Theorem 4.1.
func (t *theory) checkEnergyOptimum(l *linearTask) error {
	const width = 16
	y := l.targets()
	best, err := l.closed.Optimum(y)
	if err != nil {
		return err
	}
	// The learning rate is so large that the change in a step exceeds the rounding of the filters.
	s, err := t.newLinearTraining(l, width, 1e4)
	if err != nil {
		return err
	}
	d := len(best)
	w := linalg.Gaussian(models.Stream(t.seed, "theory/energy/optimum"), width, d,
		floats.Norm(best, 2)/math.Sqrt(float64(d)))
	mean := energy.MeanFilter(w)
	for j := range width {
		floats.Sub(w.RawRowView(j), mean)
		floats.Add(w.RawRowView(j), best)
	}
	from := func(start *mat.Dense) (moved float64, err error) {
		s.setFilters(start)
		err = s.takeSteps(t, l.labels, 1)
		var change mat.Dense
		change.Sub(s.copyFilters(), start)
		return mat.Norm(&change, 2), err
	}
	rest, err := from(w)
	if err != nil {
		return err
	}
	zero, err := from(mat.NewDense(width, d, nil))
	if err != nil {
		return err
	}
	st := study.Statement{Paper: "energy", Name: "Theorem 4.1",
		Says: "filters whose mean is (KᵀK)⁻¹Kᵀy have the least loss", Measure: "gradient over that at 0",
		Note: "Exact; where KᵀK is singular, its pseudo-inverse gives one of many."}
	t.addPrinted(st, rest/zero, Exact)
	t.checkOptimalProfile(st, w, best)
	return nil
}

// checkOptimalProfile checks Theorem 4.1's profile for filters w of least loss, whose mean is best.
func (t *theory) checkOptimalProfile(st study.Statement, w *mat.Dense, best []float64) {
	width, d := w.Dims()
	squared, optimum, direct := make([]float64, d), make([]float64, d), make([]float64, d)
	covariance := rowCovariance(w)
	for i := range d {
		optimum[i] = best[i] * best[i]
		squared[i] = optimum[i] + covariance.At(i, i)
		for j := range width {
			direct[i] += w.At(j, i) * w.At(j, i) / float64(width)
		}
	}
	st.Says, st.Measure = "the squared energy profile of the filters of least loss is μ²",
		fmt.Sprintf("relative error of one of them, of width %d,", width)
	st.Note = "Only their mean is fixed: filters of least loss have any covariance C, which adds to the profile. μ² " +
		"is the least of them, that of gradient descent from 0."
	t.addPrinted(st, linalg.RelativeDistance(direct, optimum), Exact)
	st.Says, st.Note = "the squared energy profile of the filters of least loss is m(μ² + diag C), with C their "+
		"covariance", "μ² is that of descent from 0."
	t.addPutRight(st, linalg.RelativeDistance(squared, direct), Exact)
}
