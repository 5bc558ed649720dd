package hyperbfpaper

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Jobs implements [study.Worker]. Of every set they are a recursive feature machine and the
// network that learns by the AGOP, with all settings, and two that learn by descent,
// with all settings and rates, and two AGOPs each.
func (s *HyperTableSpec) Jobs() ([]cost.Job, error) {
	settings := len(s.Bandwidths) * len(s.Ridges)
	descents := 2 * settings * len(s.Rates)
	return train.JobsOf(s.Sets, func(t setups.ImageTask) ([]cost.Job, error) {
		set, err := workload.FindDatasetSize(t.Data, t.Size)
		if err != nil {
			return nil, err
		}
		set = set.Of(t.Classes)
		images := workload.ImagesUsed(s.Train, set.Train)
		held := int(rfm.DefaultHoldout * float64(images))
		m := workload.MachineSize{
			Train: images - held, Tested: held + workload.ImagesUsed(s.Test, set.Tested), Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes, Iterations: s.Iterations,
		}
		agops := m
		agops.Iterations, agops.Tested = 2, 0
		return slices.Concat(
			slices.Repeat([]cost.Job{m.Job()}, 2*settings),
			slices.Repeat([]cost.Job{regressionsSize(m, 1+s.Steps/rfm.DefaultSteps), descentSize(m, s.Steps)}, descents),
			[]cost.Job{agops.Job(), agops.Job()},
		), nil
	})
}

// regressionsSize are the machine with so many metrics that descent found.
func regressionsSize(m workload.MachineSize, n int) cost.Job {
	j := m.Job()
	j.Regressions, j.Sample = float64(n), 0
	return j
}

// descentSize is full-batch steps on the centres and the metric of a machine. It is
// approximated by a network of as many multiplications an example: with its metric,
// and with every centre.
func descentSize(m workload.MachineSize, steps int) cost.Job {
	n, d := float64(m.Train), float64(m.Inputs)
	products := n*d + d*d
	net := cost.Net{Layers: 2, Linear: products, Parameters: products, Values: n + d}
	return workload.StepsOf(net, m.Train, float64(steps))
}
