package study

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/cost/measured"
)

// costAt returns what a run with one seed takes at a scale.
func (e *Experiment) costAt(scale Scale) cost.Resources {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return cost.Resources{}
	}
	return e.Cost(spec)
}

// Cost returns what a run with one seed takes with some settings: what was measured if they are the settings of a
// scale, and otherwise what was measured at scale small, scaled as the jobs of a [DryRun] grow. (Scale smoke is no
// basis for an estimate: most of its time does not grow.) Of an experiment that was never measured it is what the jobs
// take. The zero value means that it is not known.
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

// scaledCost returns what the settings in spec take if the settings in like take c. It returns
// the zero value if the jobs of either are not known.
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

// predicted returns what the jobs of a run take by the models of package cost, and whether that
// is known; if not it is zero.
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
