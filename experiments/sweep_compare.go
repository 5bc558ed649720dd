package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// SweepSpec is what is compared on every set of images.
type SweepSpec struct {
	Machines LadderSpec   `json:"machines" toml:"machines"`
	Net      SweepNetwork `json:"net" toml:"net"`
	// PaperMode chooses ridges, iterations and epochs on the test images, as the
	// paper and its code do; nothing is held out then.
	PaperMode bool `json:"paper_mode" toml:"paper_mode"`
}

// sweepAbout says what every comparison does.
const sweepAbout = "CNTK of three convolutions 3×3 (no padding, no biases, flattened); ConvRFM, which learns the metric M of the patches of its first layer; Deep ConvRFM, whose next layer reads 64 filters N(0, M) of the layer before, through ReLU, with a kernel of a convolution less; " +
	"and the network of three convolutions, ReLUs and a linear layer, trained by Adam. " +
	"Kernels are divided by their largest training entry, M by its Frobenius norm. " +
	"Ridge, iteration and epoch are chosen on further validation images, iteration 0, which has learned nothing, among them; test images choose nothing, unless paper_mode is set, as it is at scale paper. Every seed learns from images of its own. "

const paperModeNote = "Ridge, iteration and epoch were chosen on the test images, as published (paper_mode): the test accuracies are of the best of many."

// compared is what came of one set of images.
type compared struct {
	*ladder
	net *sweptNetwork
}

// compare fits the machines and the network; watch is that of climb.
func (s SweepSpec) compare(ctx context.Context, in Setting, e *sweepSet, watch bool) (*compared, error) {
	if s.PaperMode {
		e.validation = e.test
	}
	l, err := keep(in, "machines, "+e.key(), []any{s, watch}, func() (*ladder, error) { return s.Machines.climb(ctx, in, e, watch) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	n, err := s.Net.train(ctx, in, s.Machines.Depth, e)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	return &compared{l, n}, nil
}

// accuracies are the test accuracies of the machines, and of the network last.
func (c *compared) accuracies() []float64 {
	var all []float64
	for _, r := range c.Rungs {
		all = append(all, r.Test.Accuracy)
	}
	return append(all, c.net.Test)
}

// at is the test accuracy of the machine of so many layers.
func (c *compared) at(layers int) float64 { return c.Rungs[layers].Test.Accuracy }

// comparedNames are the names of the machines of up to so many layers, and of
// the network.
func comparedNames(layers int) []string {
	var all []string
	for k := range layers + 1 {
		all = append(all, rungName(k))
	}
	return append(all, "CNN")
}

// comparedColumns are those of comparedRows.
func comparedColumns(first string) []report.Column {
	return append([]report.Column{{Name: first}, {Name: "machine"}}, numericColumns("", "iteration", "log₁₀ ridge", "training", "validation", "test")[1:]...)
}

// rows is a line for every machine under a name for all.
func (c *compared) rows(name string) [][]report.Cell {
	var rows [][]report.Cell
	for _, r := range c.Rungs {
		rows = append(rows, []report.Cell{
			{Text: name}, {Text: rungName(r.Layers)}, {Value: float64(r.Iteration), Text: fmt.Sprintf("%.1f", float64(r.Iteration))},
			logRidge(r.Ridge), percentCell(r.Training.Accuracy), percentCell(r.Valid.Accuracy), percentCell(r.Test.Accuracy),
		})
	}
	n := c.net
	return append(rows, []report.Cell{
		{Text: name}, {Text: "CNN"}, {Value: float64(n.Epoch), Text: fmt.Sprintf("%.1f", float64(n.Epoch))},
		numberCell(nil, ""), percentCell(n.Training), percentCell(n.Validation), percentCell(n.Test),
	})
}

// logRidge is a ridge on the scale on which it is chosen; one of 0 has no place
// there.
func logRidge(ridge float64) report.Cell {
	if ridge == 0 {
		return numberCell(nil, "")
	}
	return definedCell(math.Log10(ridge), "%.1f")
}
