package study

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/cost/measured"
)

// costAt returns the cost of one seed at a scale, zero if it is unknown.
func (e *Experiment) costAt(scale Scale) cost.Resources {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return cost.Resources{}
	}
	return e.Cost(spec)
}

// Cost returns the time and memory of a run with one seed. For the settings of a scale that was measured it is the
// measurement. For other settings it is the measurement at scale small times the ratio of the two costs that the
// models of package cost predict for the jobs of a [DryRun]. (Scale smoke is no basis: most of its time is fixed.) If
// small was never measured, it is the prediction alone; zero means unknown.
func (e *Experiment) Cost(spec Spec) cost.Resources {
	table, err := measured.Costs()
	if err != nil {
		return cost.Resources{} // cannot happen: a test reads the table
	}
	id := e.Source().ID
	_, hash, err := e.Hash(spec)
	if err != nil {
		return cost.Resources{}
	}
	if c, known := table[measured.Key{ID: id, Scale: string(e.ScaleOf(hash))}]; known {
		return c
	}
	small, there := e.Source().Specs[Small]
	if c, known := table[measured.Key{ID: id, Scale: string(Small)}]; known && there {
		return scaledCost(c, small, spec)
	}
	takes, _ := predicted(spec)
	return takes
}

// scaledCost scales c, the cost of the settings like, to those of spec, by the ratio of their predicted costs. It is
// zero if either prediction is unknown.
func scaledCost(c cost.Resources, like, spec Spec) cost.Resources {
	a, known := predicted(like)
	b, alsoKnown := predicted(spec)
	if !known || !alsoKnown {
		return cost.Resources{}
	}
	out := cost.Resources{Seconds: c.Seconds * b.Seconds / a.Seconds}
	if c.Bytes > 0 {
		out.Bytes = c.Bytes * b.Bytes / a.Bytes
	}
	return out
}

// predicted returns what the models of package cost predict for the jobs of a run. If that fails, it returns zero and
// false.
func predicted(s Spec) (takes cost.Resources, known bool) {
	jobs, err := DryRun(s)
	if err != nil {
		return cost.Resources{}, false
	}
	takes, err = cost.Of(jobs...)
	if err != nil || !(takes.Seconds > 0) || !(takes.Bytes > 0) {
		return cost.Resources{}, false
	}
	return takes, true
}
