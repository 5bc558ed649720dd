package kernelmachine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Fitter is what ansatz rfm fits: one machine, a tree of them, or the best of a search.
type Fitter interface {
	// Plan describes the examples and the fit; "" if there is nothing to say.
	Plan() string
	// WriteSplit writes which rows of a table are for what, as [examples.Set.WriteParts] does.
	WriteSplit(w io.Writer) error
	// Run fits and tests. Progress may be nil.
	Run(ctx context.Context, progress func(stage string, done, total int)) (Fitted, error)
}

// Fitted is the record of a fit, with the fitted model.
type Fitted interface {
	Summary() string
	Tables() []*report.Table
	// Save writes the record with its report, and the model, into a folder, and returns the path of the report.
	Save(dir string) (string, error)
	SaveMetric(path string) error
	SaveModel(dir string) error
}

// NewFitter opens the examples that the spec names, for a search if it gives a number of trials, for a tree if it gives
// the rows of a leaf. Its errors are input errors.
func NewFitter(ctx context.Context, s RFMSpec) (Fitter, error) {
	if s.Search.Trials > 0 {
		return newSearch(ctx, s)
	}
	if s.Leaf > 0 {
		return newTree(ctx, s)
	}
	r, err := NewRFM(ctx, s)
	return oneMachine{r}, err
}

// oneMachine is a recursive feature machine as a [Fitter].
type oneMachine struct{ *RFM }

func (m oneMachine) Plan() string { return strings.Join(m.examples.ProfileLines(), "\n") }

func (m oneMachine) Run(ctx context.Context, progress func(stage string, done, total int)) (Fitted, error) {
	f, err := m.RFM.Run(ctx, func(p rfm.Progress) {
		if progress != nil {
			progress(fmt.Sprintf("iteration %d, %s", p.Iteration, p.Stage), p.Done, p.Total)
		}
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// WriteSplit implements [Fitter].
func (r *RFM) WriteSplit(w io.Writer) error {
	return r.examples.WriteParts(w, r.machine.HeldRows(linalg.RowCount(r.examples.Train.X)))
}

// WriteSplit implements [Fitter].
func (t *TreeFitter) WriteSplit(w io.Writer) error {
	return t.examples.WriteParts(w, t.machine.HeldRows(linalg.RowCount(t.examples.Train.X)))
}

// SaveFitted writes the metric and the model of a fit to the given paths. It skips those that are "".
func SaveFitted(f Fitted, metric, model string) error {
	var err error
	if metric != "" {
		err = f.SaveMetric(metric)
	}
	if model != "" {
		err = errors.Join(err, record.WriteModel(model, f.SaveModel))
	}
	return err
}
