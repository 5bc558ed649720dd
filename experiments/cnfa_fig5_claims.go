package experiments

import (
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// claim sets the values of the claims.
func (t NoiseTask) claim(c *compared, classes int, o *Outcome) {
	v := o.Values
	v[t.Name+"_convrfm_gain"] = c.at(1) - c.at(0)
	for k := 2; k < len(c.Rungs); k++ {
		v[fmt.Sprintf("%s_deep%d_gain", t.Name, k)] = c.at(k) - c.at(k-1)
	}
	v[t.Name+"_net_gain"] = c.net.Test - c.at(0)
	v[t.Name+"_iterations_gain"] = c.First[len(c.First)-1].Accuracy - c.First[0].Accuracy
	for i, name := range comparedNames(len(c.Rungs) - 1) {
		name = strings.NewReplacer(" ", "_", ",", "").Replace(strings.ToLower(name))
		v[fmt.Sprintf("%s_accuracy_%s", t.Name, name)] = c.accuracies()[i]
	}
	t.iterations(c, classes, o)
}

// iterations shows ConvRFM iteration by iteration, with the squared errors as the
// published notebook has them, summed over the outputs of an image.
func (t NoiseTask) iterations(c *compared, classes int, o *Outcome) {
	accuracy := report.Series{Label: "test", X: places(len(c.First))}
	table := report.Table{
		Name:    t.Name + "-iterations",
		Caption: fmt.Sprintf("%s: ConvRFM at noise %d, iteration by iteration: test accuracy in percent, and squared error of an image.", t.Name, claimedNoise),
		Columns: numericColumns("iteration", "accuracy", "squared error"),
	}
	for i, s := range c.First {
		squared := s.MSE * float64(classes)
		accuracy.Y = append(accuracy.Y, s.Accuracy)
		table.Rows = append(table.Rows, []report.Cell{{Text: fmt.Sprint(i)}, percentCell(s.Accuracy), numberCell(&squared, "%.4f")})
	}
	o.Tables = append(o.Tables, table)
	o.Charts = append(o.Charts, Chart{
		Name: t.Name + "-iterations", Title: fmt.Sprintf("ConvRFM at noise %d, iteration by iteration: %s", claimedNoise, t.Name),
		XLabel: "iteration", YLabel: "accuracy", Series: []report.Series{accuracy},
	})
}
