package setups

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// MachinesSpec is a sequence of convolutional kernel machines with more and more layers that learn features: none is
// the CNTK, one is ConvRFM, and more are Deep ConvRFM. All are stages of one fit (cnfa, Algorithms 1 and 2), since
// every layer is learned before the next.
type MachinesSpec struct {
	Depth      int       `json:"depth" toml:"depth"`   // convolutions of the kernel, and of the network
	Layers     int       `json:"layers" toml:"layers"` // the largest number that learn features
	Patch      int       `json:"patch" toml:"patch"`
	Filters    int       `json:"filters" toml:"filters"` // of a layer of a Deep ConvRFM
	Iterations int       `json:"iterations" toml:"iterations"`
	Ridges     []float64 `json:"ridges" toml:"ridges"`
	Sample     int       `json:"sample" toml:"sample"` // training images in the AGOP; 0 is all
	Whole      bool      `json:"whole" toml:"whole"`   // multiply patches by M instead of M^½
	Linear     bool      `json:"linear" toml:"linear"` // features without ReLU, as in the published code
}

// check returns an error for a spec without layers, iterations or ridges.
func (s MachinesSpec) check() error {
	if s.Layers < 1 || s.Iterations < 1 || len(s.Ridges) == 0 {
		return input.Errorf("%d layers, %d iterations and %d ridges: want at least 1 of each", s.Layers, s.Iterations,
			len(s.Ridges))
	}
	return nil
}

// machine returns the machine with all layers.
func (s MachinesSpec) machine() rfm.ConvMachine {
	return rfm.ConvMachine{
		Kernel: rfm.CNTK{Layers: s.Depth}, Patch: s.Patch, Ridges: s.Ridges, Iterations: s.Iterations,
		Task:   rfm.Classification,
		Layers: s.Layers, Filters: s.Filters, Linear: s.Linear, Whole: s.Whole, Scale: rfm.ScaleFrobenius,
		KernelScale: true,
		Sample:      s.Sample,
	}
}

// FittedMachine is one of the machines, with its scores.
type FittedMachine struct {
	Layers    int // that learn features
	Iteration int // of its last layer, chosen on the validation images
	Ridge     float64
	Training  rfm.Scores
	Valid     rfm.Scores
	Test      rfm.Scores
}

// machineName returns the name of the machine that learns features in a number of layers.
func machineName(layers int) string {
	switch layers {
	case 0:
		return "CNTK"
	case 1:
		return "ConvRFM"
	}
	return fmt.Sprintf("Deep ConvRFM, %d layers", layers)
}

// FittedMachines is the machines of a spec, fitted to images.
type FittedMachines struct {
	Machines []FittedMachine
	// First has the test scores of all iterations of the first layer, if they were requested.
	First []rfm.Scores
}

// Fit fits the machines. With watch, all iterations of the first layer are scored on the test
// images, which choose nothing.
func (s MachinesSpec) Fit(ctx context.Context, in study.Setting, e *SweepExamples,
	watch bool) (*FittedMachines, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	c := &machineCollector{in: in, spec: s, set: e, watch: watch, out: &FittedMachines{}}
	m := s.machine()
	if in.Dry() {
		return c.out, s.addJobs(in, m, e, watch)
	}
	m.Validation = &e.Validation
	m.Each = func(it *rfm.ConvIteration) error { return c.addIteration(ctx, it) }
	_, err := in.FitConv(ctx, e.name, m, e.Train)
	return c.out, err
}

// addJobs adds the jobs of the fit to a dry run. Every layer is tested once; the first is also tested before it learns
// features or, with watch, after every iteration.
func (s MachinesSpec) addJobs(in study.Setting, m rfm.ConvMachine, e *SweepExamples, watch bool) error {
	p, err := patchMachineSize(m, e.shape(), linalg.RowCount(e.Train.Y), linalg.RowCount(e.Validation.Y),
		len(e.Classes))
	if err != nil {
		return err
	}
	p.Tested, p.EveryLayer, p.Again = linalg.RowCount(e.Test.Y), true, 1
	if watch {
		p.Again = m.Iterations
	}
	return in.AddJobs(p.Jobs(), nil)
}

// machineCollector collects the machines from the iterations of a fit.
type machineCollector struct {
	in    study.Setting
	spec  MachinesSpec
	set   *SweepExamples
	watch bool               // all iterations of the first layer are tested
	best  *rfm.ConvIteration // of the layer that is being learned
	out   *FittedMachines
}

// addIteration keeps an iteration if it is the best of its layer. After the last one it adds the machine of the best and
// releases it, so that the layer's features can be freed.
func (c *machineCollector) addIteration(ctx context.Context, it *rfm.ConvIteration) error {
	if c.watch && it.Layer == 0 {
		test, err := c.test(ctx, it)
		if err != nil {
			return err
		}
		c.out.First = append(c.out.First, test)
	}
	if it.Layer == 0 && it.Index == 0 {
		if err := c.addMachine(ctx, 0, it); err != nil {
			return err
		}
	}
	if it.Index == 0 || it.Validation.Better(*c.best.Validation) {
		c.best = it
	}
	if it.Index < c.spec.Iterations {
		return nil
	}
	best := c.best
	c.best = nil
	return c.addMachine(ctx, it.Layer+1, best)
}

// addMachine adds the machine with a number of layers from an iteration.
func (c *machineCollector) addMachine(ctx context.Context, layers int, it *rfm.ConvIteration) error {
	r := FittedMachine{Layers: layers, Iteration: it.Index, Ridge: it.Ridge, Training: it.Train, Valid: *it.Validation}
	var err error
	if it.Layer == 0 && it.Index < len(c.out.First) {
		r.Test = c.out.First[it.Index]
	} else {
		r.Test, err = c.test(ctx, it)
	}
	c.out.Machines = append(c.out.Machines, r)
	return err
}

// test scores an iteration on the test images.
func (c *machineCollector) test(ctx context.Context, it *rfm.ConvIteration) (rfm.Scores, error) {
	name := fmt.Sprintf("test of layer %d, iteration %d, %s", it.Layer, it.Index, c.set.key())
	return study.Keep(c.in, name, c.spec,
		func() (rfm.Scores, error) { return it.Model().Score(ctx, c.set.Test.X, c.set.Test.Y) })
}
