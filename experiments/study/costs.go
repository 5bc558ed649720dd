package study

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/cost/measured"
	"github.com/ansatz-lab/ansatz/experiments/input"
)

// CostAt returns the cost of one seed at a scale, zero if it is unknown.
func (e *Experiment) CostAt(scale Scale) cost.Resources {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return cost.Resources{}
	}
	return e.Cost(spec)
}

// Cost returns the time and memory of a run with one seed, zero if they are unknown. For the settings of a scale that was
// measured it is the measurement. For other settings it is the measurement at scale small times the ratio of the two costs
// that the models of package cost predict for the jobs of a [DryRun]. (Scale smoke is no basis: most of its time is fixed.)
// If small was never measured, and on a GPU, it is the prediction alone.
func (e *Experiment) Cost(spec Spec) cost.Resources {
	if device := input.DeviceName(""); device != "" {
		return Predicted(device, spec)
	}
	table, err := measured.Costs() // has no error: a test reads the table
	id := e.Source().ID
	_, hash, err2 := e.Hash(spec)
	if err != nil || err2 != nil {
		return cost.Resources{}
	}
	if c, known := table[measured.Key{ID: id, Scale: string(e.ScaleOf(hash))}]; known {
		return c
	}
	small, there := e.Source().Specs[Small]
	if c, known := table[measured.Key{ID: id, Scale: string(Small)}]; known && there {
		return scaledCost(c, small, spec)
	}
	return Predicted("", spec)
}

// scaledCost scales c, the cost of the settings like, to those of spec, by the ratio of their predicted costs. It is
// zero if either prediction is unknown.
func scaledCost(c cost.Resources, like, spec Spec) cost.Resources {
	a, b := Predicted("", like), Predicted("", spec)
	if a.Seconds == 0 || b.Seconds == 0 {
		return cost.Resources{}
	}
	return cost.Resources{Seconds: c.Seconds * b.Seconds / a.Seconds, Bytes: c.Bytes * b.Bytes / a.Bytes}
}

// Predicted returns what the models of package cost predict for the jobs of a run on a GPU or, if device is "", on a thread of a
// processor. It is zero if that is unknown; the memory is unknown on a GPU.
func Predicted(device string, s Spec) (takes cost.Resources) {
	switch jobs, err := DryRun(s); {
	case err != nil:
	case device != "":
		takes.Seconds, _ = cost.OnGPU(device, jobs...) // 0 on error
	default:
		takes, _ = cost.Of(jobs...) // zero on error
	}
	return takes
}
