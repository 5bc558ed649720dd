package cnfapaper

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// claim sets the values of the claims.
func (t NoiseTask) claim(c *setups.SweepResult, classes int, o *study.Outcome) {
	v := o.Values
	v[t.Name+"_convrfm_gain"] = c.TestAccuracy(1) - c.TestAccuracy(0)
	for k := 2; k < len(c.Machines); k++ {
		v[fmt.Sprintf("%s_deep%d_gain", t.Name, k)] = c.TestAccuracy(k) - c.TestAccuracy(k-1)
	}
	v[t.Name+"_net_gain"] = c.Net.Test - c.TestAccuracy(0)
	v[t.Name+"_iterations_gain"] = c.First[len(c.First)-1].Accuracy - c.First[0].Accuracy
	for i, name := range setups.SweepNames(len(c.Machines) - 1) {
		name = strings.NewReplacer(" ", "_", ",", "").Replace(strings.ToLower(name))
		v[fmt.Sprintf("%s_accuracy_%s", t.Name, name)] = c.Accuracies()[i]
	}
	t.iterations(c, classes, o)
}

// iterations shows ConvRFM iteration by iteration, with the squared errors as the
// published notebook has them, summed over the outputs of an image.
func (t NoiseTask) iterations(c *setups.SweepResult, classes int, o *study.Outcome) {
	accuracy := report.Series{Label: "test", X: study.Places(len(c.First))}
	table := report.Table{
		Name:    t.Name + "-iterations",
		Caption: fmt.Sprintf("%s: ConvRFM at noise %d, iteration by iteration: test accuracy in percent, and squared error of an image.", t.Name, claimedNoise),
		Columns: record.NumericColumns("iteration", "accuracy", "squared error"),
	}
	for i, s := range c.First {
		squared := s.MSE * float64(classes)
		accuracy.Y = append(accuracy.Y, s.Accuracy)
		table.Rows = append(table.Rows, []report.Cell{{Text: fmt.Sprint(i)}, record.PercentCell(s.Accuracy), record.NumberCell(&squared, "%.4f")})
	}
	o.Tables = append(o.Tables, table)
	o.Charts = append(o.Charts, study.Chart{
		Name: t.Name + "-iterations", Title: fmt.Sprintf("ConvRFM at noise %d, iteration by iteration: %s", claimedNoise, t.Name),
		XLabel: "iteration", YLabel: "accuracy", Series: []report.Series{accuracy},
	})
}
