package experiments

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// Worker is a [Spec] that knows of which jobs a run consists, one after another: from
// what it takes at one scale it is estimated what it takes with other settings.
type Worker interface {
	Jobs() ([]need.Job, error)
}

// processBytes is what the program takes without data.
const processBytes = 64 << 20

// costAt is what a run takes at a scale.
func (e *Experiment) costAt(scale Scale) Cost {
	spec, err := e.SpecAt(scale)
	if err != nil {
		return Cost{}
	}
	return e.cost(spec)
}

// cost is what a run with some settings takes: as measured for those of a scale, or
// from what was measured at scale small, by how time and memory of the jobs grow. What
// scale smoke takes says nothing of larger ones: it is mostly what does not grow.
func (e *Experiment) cost(spec Spec) Cost {
	measured, err := measuredCosts()
	if err != nil {
		return Cost{} // a test reads the table
	}
	id := e.source().ID
	_, hash, err := e.hash(spec)
	if err != nil {
		return Cost{}
	}
	if c, known := measured[costKey{id, e.scaleOf(hash)}]; known {
		return c
	}
	small, there := e.source().Specs[Small]
	if c, known := measured[costKey{id, Small}]; known && there {
		return c.scaled(small, spec)
	}
	return Cost{}
}

// scaled is what settings take, where others take c. There is no knowing of one of the
// two without the other.
func (c Cost) scaled(like, spec Spec) Cost {
	a, known := predicted(like)
	b, alsoKnown := predicted(spec)
	if !known || !alsoKnown {
		return Cost{}
	}
	out := Cost{Seconds: c.Seconds * b.Seconds / a.Seconds}
	if c.Bytes > 0 {
		out.Bytes = c.Bytes * b.Bytes / a.Bytes
	}
	return out
}

// predicted is what the jobs of a run with some settings take, by models of jobs
// alone; false where that is not known.
func predicted(s Spec) (Cost, bool) {
	w, is := s.(Worker)
	if !is {
		return Cost{}, false
	}
	jobs, err := w.Jobs()
	if err != nil {
		return Cost{}, false
	}
	c := costOf(jobs...)
	return c, c.Seconds > 0 && c.Bytes > 0
}

// Speedup is by how much several threads make a run faster: work on small arrays
// has little of it, on large ones nearly all. Measured here on two cores it was
// 1.2 to 1.9.
func Speedup(threads int) float64 { return math.Pow(float64(max(1, threads)), .7) }
