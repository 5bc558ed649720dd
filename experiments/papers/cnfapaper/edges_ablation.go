package cnfapaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// The parts of the ablation: the first machine's first iteration, and the machine that reads standardised
// pixels.
const (
	firstIteration = "first_iteration"
	standardised   = "standardised"
)

// ablationChecks returns the checks that an ablation adds to an experiment whose first machine learns a
// dataset of the paper.
func ablationChecks(dataset string) []study.Claim {
	checks := []study.Claim{
		coherenceSDs.Of(standardised).Check("The eigenvectors of CNTK-ConvRFM are edges on "+
			"standardised pixels too.", aboveNull),
		coherenceSDs.Of(firstIteration).Check("The eigenvectors of CNTK-ConvRFM are edges after the "+
			"first iteration already.", aboveNull),
		control(photographEdgesOverIdentity.Of(standardised), "On standardised pixels too, CNTK-ConvRFM's M extracts "+
			"more of the edges of photographs than the norm of the patches does."),
		control(photographEdgesOverIdentity.Of(firstIteration), "After the first iteration already, CNTK-ConvRFM's M "+
			"extracts more of the edges of photographs than the norm of the patches does."),
	}
	for k := range checks {
		checks[k] = checks[k].On(dataset)
	}
	return checks
}

// ablate fits the machine of f again to pixels without their mean and standard deviation, and compares
// the iterations of both.
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
	return record.TableOf("ablation", "What M learned by iteration, from pixels as they are and from pixels "+
		"without their mean and standard deviation.", rows,
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
