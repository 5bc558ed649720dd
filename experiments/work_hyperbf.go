package experiments

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Jobs implements [Worker]. Of every set they are a recursive feature machine and the
// network that learns by the AGOP, with all settings, and two that learn by descent,
// with all settings and rates, and two AGOPs each.
func (s *HyperTableSpec) Jobs() ([]need.Job, error) {
	settings := len(s.Bandwidths) * len(s.Ridges)
	descents := 2 * settings * len(s.Rates)
	return jobsOf(s.Sets, func(t ImageTask) ([]need.Job, error) {
		set, err := sizeOfSet(t.Data, t.Size)
		if err != nil {
			return nil, err
		}
		set = set.of(t.Classes)
		images := ofImages(s.Train, set.train)
		held := int(rfm.DefaultHoldout * float64(images))
		m := machineSize{
			train: images - held, tested: held + ofImages(s.Test, set.tested), inputs: pixelsIn(set.shape), outputs: set.classes, iterations: s.Iterations,
		}
		agops := m
		agops.iterations, agops.tested = 2, 0
		return slices.Concat(
			slices.Repeat([]need.Job{m.job()}, 2*settings),
			slices.Repeat([]need.Job{m.regressions(1 + s.Steps/rfm.DefaultSteps), m.descent(s.Steps)}, descents),
			[]need.Job{agops.job(), agops.job()},
		), nil
	})
}

// regressions are the machine with so many metrics that descent found.
func (m machineSize) regressions(n int) need.Job {
	j := m.job()
	j.Regressions, j.Sample = float64(n), 0
	return j
}

// descent is full-batch steps on the centres and the metric of a machine. It is
// approximated by a network of as many multiplications an example: with its metric,
// and with every centre.
func (m machineSize) descent(steps int) need.Job {
	n, d := float64(m.train), float64(m.inputs)
	products := n*d + d*d
	net := need.Net{Layers: 2, Linear: products, Parameters: products, Values: n + d}
	return stepsOf(net, m.train, float64(steps))
}
