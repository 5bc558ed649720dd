package study

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Worker is a [Spec] that knows of which jobs a run consists, one after another: from
// what it takes at one scale it is estimated what it takes with other settings.
type Worker interface {
	Jobs() ([]cost.Job, error)
}

// costAt is what a run takes at a scale.
func (e *Experiment) costAt(scale Scale) workload.Cost {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return workload.Cost{}
	}
	return e.Cost(spec)
}

// Cost is what a run with some settings takes: as measured for those of a scale, or
// from what was measured at scale small, by how time and memory of the jobs grow. What
// scale smoke takes says nothing of larger ones: it is mostly what does not grow.
func (e *Experiment) Cost(spec Spec) workload.Cost {
	measured, err := MeasuredCosts()
	if err != nil {
		return workload.Cost{} // a test reads the table
	}
	id := e.Source().ID
	_, hash, err := e.Hash(spec)
	if err != nil {
		return workload.Cost{}
	}
	if c, known := measured[CostKey{id, e.ScaleOf(hash)}]; known {
		return c
	}
	small, there := e.Source().Specs[Small]
	if c, known := measured[CostKey{id, Small}]; known && there {
		return scaledCost(c, small, spec)
	}
	return workload.Cost{}
}

// scaledCost is what settings take, where others take c. There is no knowing of one of the
// two without the other.
func scaledCost(c workload.Cost, like, spec Spec) workload.Cost {
	a, known := predicted(like)
	b, alsoKnown := predicted(spec)
	if !known || !alsoKnown {
		return workload.Cost{}
	}
	out := workload.Cost{Seconds: c.Seconds * b.Seconds / a.Seconds}
	if c.Bytes > 0 {
		out.Bytes = c.Bytes * b.Bytes / a.Bytes
	}
	return out
}

// predicted is what the jobs of a run with some settings take, by models of jobs
// alone; false where that is not known.
func predicted(s Spec) (workload.Cost, bool) {
	w, is := s.(Worker)
	if !is {
		return workload.Cost{}, false
	}
	jobs, err := w.Jobs()
	if err != nil {
		return workload.Cost{}, false
	}
	c := workload.CostOf(jobs...)
	return c, c.Seconds > 0 && c.Bytes > 0
}
