package rfm

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/rfm/columns"
	"github.com/ansatz-lab/ansatz/rfm/crew"
	"gonum.org/v1/gonum/mat"
)

// iteration holds the state of one call of [EigenPro]'s solve. It divides every output by its norm.
type iteration struct {
	EigenPro
	*problem
	*subspace
	product  *crew.Product
	y        *mat.Dense // n×outputs, columns of norm 1 or 0
	norms    []float64  // of the columns of the problem's y
	alpha    *mat.Dense // the solution so far
	fitted   *mat.Dense // Kα at the last measurement
	residual *mat.Dense // y − (K + λI)α
	sums     []float64  // squared norms of its columns
	best     *mat.Dense // the α of the best pass on validation examples; nil before the first
	score    Scores     // of the best pass
	pass     int        // the number of the best pass
	epochs   int
	note     string
	shown    int // of progressSteps
}

// states is about how many matrices n×outputs an iteration holds.
const states = 12

func (e EigenPro) prepare(ctx context.Context, p *problem) (*iteration, error) {
	n, outputs := p.y.Dims()
	it := &iteration{
		EigenPro: e, problem: p, y: mat.DenseCopyOf(p.y), norms: make([]float64, outputs),
		sums:  make([]float64, outputs),
		alpha: mat.NewDense(n, outputs, nil), fitted: mat.NewDense(n, outputs, nil),
		residual: mat.NewDense(n, outputs, nil),
	}
	for k := range it.norms {
		it.norms[k] = mat.Norm(p.y.ColView(k), 2)
	}
	inverse := make([]float64, outputs)
	for k, norm := range it.norms {
		inverse[k] = ratio(1, norm)
	}
	columns.Scale(it.y, inverse)
	it.residual.Copy(it.y)
	var err error
	if it.subspace, err = e.newSubspace(ctx, p); err != nil {
		return nil, err
	}
	it.product, err = p.newProduct(p.kernel, p.points, outputs)
	return it, err
}

// keepIfBest keeps α if it is the best so far on validation examples.
func (it *iteration) keepIfBest() error {
	if !it.EarlyStopping || it.validate == nil {
		return nil
	}
	alpha := mat.DenseCopyOf(it.alpha)
	columns.Scale(alpha, it.norms)
	s, err := it.validate(alpha)
	if err == nil && (it.best == nil || s.Better(it.score)) {
		it.best, it.score, it.pass = mat.DenseCopyOf(it.alpha), s, it.epochs
	}
	return err
}

// restoreBest returns to the α that was best on validation examples, if there are any.
func (it *iteration) restoreBest(ctx context.Context) error {
	if it.best == nil {
		return nil
	}
	it.alpha.Copy(it.best)
	_, err := it.measure(ctx)
	it.note = fmt.Sprintf("of %d passes number %d was the best on validation examples", it.epochs, it.pass)
	return err
}

// measure sets fitted and residual from alpha, in one pass over the examples, and returns the largest
// residual of an output.
func (it *iteration) measure(ctx context.Context) (float64, error) {
	if err := it.product.Times(ctx, it.alpha, it.fitted); err != nil {
		return 0, err
	}
	it.epochs++
	it.setResidual()
	return it.worst()
}

// setResidual sets residual from fitted and alpha.
func (it *iteration) setResidual() {
	n, _ := it.y.Dims()
	for i := range n {
		r, y, f, alpha := it.residual.RawRowView(i), it.y.RawRowView(i), it.fitted.RawRowView(i), it.alpha.RawRowView(i)
		for k := range r {
			r[k] = y[k] - f[k] - it.ridge*alpha[k]
		}
	}
}

// worst returns the largest norm of a column of residual.
func (it *iteration) worst() (float64, error) {
	columns.Dot(it.sums, it.residual, it.residual)
	worst := 0.
	for _, v := range it.sums {
		if notFinite(v) {
			return 0, badInput(
				"the %v kernel of some of the examples is not finite: are their features too large for float32?",
				it.kernel)
		}
		worst = max(worst, v)
	}
	return math.Sqrt(worst), nil
}

// progressSteps is the number of steps in reports of progress, on a logarithmic scale down to the tolerance.
const progressSteps = 1000

// reportProgress reports how near a residual is to the tolerance.
func (it *iteration) reportProgress(residual float64) {
	share := math.Log(residual) / math.Log(it.Tolerance)
	it.shown = max(it.shown, int(progressSteps*min(1, max(0, share))))
	it.report("solve", it.shown, progressSteps)
}

// solved returns the solution with the outputs multiplied by their norms again.
func (it *iteration) solved() *solved {
	left, all := 0., 0.
	for k, norm := range it.norms {
		left = math.Hypot(left, norm*math.Sqrt(it.sums[k]))
		all = math.Hypot(all, norm)
	}
	columns.Scale(it.alpha, it.norms)
	columns.Scale(it.fitted, it.norms)
	s := Solution{Method: "eigenpro", Epochs: it.epochs, Pass: it.pass, Note: it.note}
	if all > 0 {
		s.Residual = left / all
	}
	it.report("solve", progressSteps, progressSteps)
	return &solved{alpha: it.alpha, fitted: it.fitted, Solution: s}
}
