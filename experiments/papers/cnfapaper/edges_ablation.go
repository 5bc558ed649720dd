package cnfapaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// The two parts of the ablation: the first iteration of the first machine, and the machine that reads standardised
// pixels.
const (
	firstIteration = "first_iteration"
	standardised   = "standardised"
)

// ablationChecks returns the checks that an ablation adds to an experiment whose first machine learns the given
// dataset of the paper.
func ablationChecks(dataset string) []study.Claim {
	var checks []study.Claim
	for _, m := range []struct{ part, machine string }{
		{standardised, "CNTK-ConvRFM, trained on " + dataset + " with standardised pixels,"},
		{firstIteration, "CNTK-ConvRFM, trained on " + dataset + ", after the first iteration"},
	} {
		checks = append(checks,
			coherenceSDs.Of(m.part).Check("The eigenvectors of the M of "+m.machine+" are edges: excess of their "+
				"orientation over the null, in standard deviations of the null.", aboveNull),
			control(photographEdgesOverIdentity.Of(m.part), "The M of "+m.machine+" extracts the edges of photographs "+
				"better than the norm of the patches does: difference of the correlations."))
	}
	for k := range checks {
		checks[k] = checks[k].On(dataset)
	}
	return checks
}

// ablate fits the machine of f again to standardised pixels, and compares the iterations of both.
func (s *EdgesSpec) ablate(
	ctx context.Context, in study.Setting, f *edgeResult, photographs rfm.Images, o *study.Outcome,
) error {
	m := f.EdgeMachine
	m.Name, m.Task.Name, m.Task.Standard = m.Name+", standardised", m.Task.Name+", standardised", true
	again, err := s.fitMachine(ctx, in, m, photographs, o)
	if err != nil || in.Dry() {
		return err
	}
	o.Set(coherenceSDs.Of(standardised), (again.coherence()-again.null.WeightedMean)/again.null.Weighted)
	o.Set(photographEdgesOverIdentity.Of(standardised), again.edges-again.identity)
	first := f.iterations[0]
	o.Set(coherenceSDs.Of(firstIteration), first.sds)
	o.Set(photographEdgesOverIdentity.Of(firstIteration), first.edges-f.identity)
	o.Tables = append(o.Tables, ablationTable(f, again))
	return nil
}

// ablationTable returns a table with a row for each iteration of each machine.
func ablationTable(found ...*edgeResult) report.Table {
	var rows []edgeIteration
	for _, f := range found {
		rows = append(rows, f.iterations...)
	}
	return record.TableOf("ablation", "The features of M by iteration, learned from pixels that are not "+
		"standardised and from standardised ones.", rows,
		record.TextField("machine, iteration", func(i edgeIteration) string {
			return fmt.Sprintf("%s, %.0f", i.machine, i.index)
		}),
		record.PercentField("accuracy", func(i edgeIteration) float64 { return i.accuracy }).
			WithHelp("on the images that choose the iteration"),
		record.PercentField("first eigenvector", func(i edgeIteration) float64 { return i.share }).
			WithHelp("its share of the trace"),
		record.NumberField("one orientation", "%.3f", func(i edgeIteration) float64 { return i.coherence }),
		record.NumberField("above the null", "%+.1f", func(i edgeIteration) float64 { return i.sds }).
			WithHelp("in standard deviations of QMQᵀ with a random rotation Q"),
		record.NumberField("photographs' edges", "%.3f", func(i edgeIteration) float64 { return i.edges }).
			WithHelp("correlation of ‖Mh‖ with the norm of the gradient, mean over the photographs"))
}
