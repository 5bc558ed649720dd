package setups

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// SweepSpec is the machines and the network to compare on every dataset.
type SweepSpec struct {
	Machines MachinesSpec `json:"machines" toml:"machines"`
	Net      SweepNetwork `json:"net" toml:"net"`
	// SGD is the same network with another training (Appendix B); without epochs it is left out.
	SGD SweepNetwork `json:"sgd" toml:"sgd"`
	// PaperMode chooses ridges, iterations and epochs on the test images, as the paper and its code do. Then nothing
	// is held out.
	PaperMode bool `json:"paper_mode" toml:"paper_mode"`
}

// SweepAbout describes the machines and the network, and how they are chosen.
var SweepAbout = study.About{
	Done: "The CNTK, ConvRFM, Deep ConvRFM and a network learn the same images.",
	Deviations: []string{
		"At scale paper (paper_mode) ridge, iteration and epoch are chosen on test images, as in the published " +
			"code. Otherwise they are chosen on further validation images, iteration 0, which has learned " +
			"nothing, included, and test images choose nothing.",
	},
	Conventions: []string{
		"The CNTK has three convolutions 3×3 (no padding, no biases, flattened). ConvRFM learns the metric M of " +
			"the patches of its first layer. Each further layer of Deep ConvRFM reads 64 filters drawn from N(0, " +
			"M) of the layer before, through ReLU, with a kernel of one convolution less.",
		"The network has three convolutions, ReLUs and a linear layer. It is trained by Adam for the squared " +
			"error on the pixels that the machines read, and a second time by SGD with a learning rate of .1, as " +
			"in Appendix B.",
		"Kernels are divided by their largest training entry, M by its Frobenius norm. An iteration is an update " +
			"of M; the 5 rounds of the published code are the kernel without features and 4 updates. An AGOP is " +
			"that of 20 training images drawn at random at scale small, and of 100 at scale paper; that of the " +
			"published code is of the first 20. Every seed learns from different images.",
	},
}

// PaperModeNote tells readers that choices were made on test images.
const PaperModeNote = "Ridge, iteration and epoch were chosen on the test images, as published (paper_mode): the " +
	"test accuracies are of the best of many."

// SweepResult holds the machines and the networks fitted to one dataset.
type SweepResult struct {
	*FittedMachines
	Net *NetworkAccuracies // trained by Adam
	SGD *NetworkAccuracies // nil if there is none
}

// Compare fits the machines and the networks; for watch see [MachinesSpec.Fit].
func (s SweepSpec) Compare(ctx context.Context, in study.Setting, e *SweepExamples, watch bool) (*SweepResult, error) {
	if s.PaperMode {
		e.Validation = e.Test
	}
	l, err := study.Keep(in, "machines, "+e.key(), []any{s, watch},
		func() (*FittedMachines, error) { return s.Machines.Fit(ctx, in, e, watch) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	r := &SweepResult{FittedMachines: l}
	if r.Net, err = s.Net.Train(ctx, in, s.Machines.Depth, e); err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	if s.SGD.Epochs > 0 {
		if r.SGD, err = s.SGD.Train(ctx, in, s.Machines.Depth, e); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return r, nil
}

// Notes says which networks diverged on images of a name.
func (c *SweepResult) Notes(images string) []string {
	var all []string
	for _, n := range []struct {
		name string
		*NetworkAccuracies
	}{{netName, c.Net}, {sgdName, c.SGD}} {
		if n.NetworkAccuracies == nil || !n.Diverged {
			continue
		}
		shown := "it has no accuracies"
		if n.Epoch > 0 {
			shown = fmt.Sprintf("epoch %d, the best before, is shown", n.Epoch)
		}
		all = append(all, fmt.Sprintf("%s: the training of the %s diverged; %s.", images, n.name, shown))
	}
	return all
}

// Names returns the names of what was compared: the machines, then the networks.
func (s SweepSpec) Names() []string {
	var all []string
	for k := range s.Machines.Layers + 1 {
		all = append(all, machineName(k))
	}
	all = append(all, netName)
	if s.SGD.Epochs > 0 {
		all = append(all, sgdName)
	}
	return all
}

// The names of the networks.
const (
	netName = "CNN"
	sgdName = "CNN, SGD"
)

// Accuracies returns the test accuracies in the order of [SweepSpec.Names].
func (c *SweepResult) Accuracies() []float64 {
	var all []float64
	for _, r := range c.Machines {
		all = append(all, r.Test.Accuracy)
	}
	all = append(all, c.Net.Test)
	if c.SGD != nil {
		all = append(all, c.SGD.Test)
	}
	return all
}

// TestAccuracy returns the test accuracy of the machine with a number of layers that learn features.
func (c *SweepResult) TestAccuracy(layers int) float64 { return c.Machines[layers].Test.Accuracy }

// SweepRow is a machine or a network in a table of sweeps.
type SweepRow struct {
	Images                     string // their name, or their noise
	Machine                    string
	Iteration                  int     // the chosen iteration; for a network the epoch
	Ridge                      float64 // NaN for a network
	Training, Validation, Test float64 // accuracies
}

// Rows returns a row for every machine, and one for every network, under a name of the images.
func (c *SweepResult) Rows(images string) []SweepRow {
	var rows []SweepRow
	for _, m := range c.Machines {
		rows = append(rows, SweepRow{images, machineName(m.Layers), m.Iteration, m.Ridge, m.Training.Accuracy,
			m.Valid.Accuracy, m.Test.Accuracy})
	}
	addNetwork := func(name string, n *NetworkAccuracies) {
		rows = append(rows, SweepRow{images, name, n.Epoch, math.NaN(), n.Training, n.Validation, n.Test})
	}
	addNetwork(netName, c.Net)
	if c.SGD != nil {
		addNetwork(sgdName, c.SGD)
	}
	return rows
}

// SweepTable returns a table of rows. First is the name of its first column, which has the names of the images. A
// ridge of 0 is shown as a dash, since it has no place on a logarithmic scale.
func SweepTable(name, caption, first string, rows []SweepRow) report.Table {
	return record.TableOf(name, caption, rows,
		record.TextField(first, func(r SweepRow) string { return r.Images }),
		record.TextField("machine", func(r SweepRow) string { return r.Machine }),
		record.NumberField("iteration", "%.1f", func(r SweepRow) float64 { return float64(r.Iteration) }),
		record.NumberField("log₁₀ ridge", "%.1f", func(r SweepRow) float64 { return math.Log10(r.Ridge) }),
		record.PercentField("training", func(r SweepRow) float64 { return r.Training }),
		record.PercentField("validation", func(r SweepRow) float64 { return r.Validation }),
		record.PercentField("test", func(r SweepRow) float64 { return r.Test }))
}
