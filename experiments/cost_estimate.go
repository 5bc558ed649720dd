package experiments

import "math"

// Worker is a [Spec] that knows how its work grows: from what it takes at one
// scale it is estimated what it takes with other settings.
type Worker interface {
	// Work is proportional to the time of a run.
	Work() float64
}

// Sized is a [Spec] that knows how its memory grows.
type Sized interface {
	// Bytes is proportional to the largest arrays of a run.
	Bytes() float64
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
// from what was measured at scale small, by how work and memory grow. What scale
// smoke takes says nothing of larger ones: it is mostly what does not grow.
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

// scaled is what settings take, where others take c.
func (c Cost) scaled(like, spec Spec) Cost {
	var out Cost
	if r := ratio(like, spec, func(w Worker) float64 { return w.Work() }); r > 0 {
		out.Seconds = c.Seconds * r
	}
	if r := ratio(like, spec, func(s Sized) float64 { return s.Bytes() }); r > 0 && c.Bytes > 0 {
		out.Bytes = processBytes + math.Max(0, c.Bytes-processBytes)*r
	}
	return out
}

// ratio is by how much more a spec has of something, 0 if that is not known.
func ratio[T any](like, spec Spec, of func(T) float64) float64 {
	a, known := like.(T)
	b, alsoKnown := spec.(T)
	if !known || !alsoKnown {
		return 0
	}
	if r := of(b) / of(a); r > 0 && !math.IsInf(r, 1) {
		return r
	}
	return 0
}

// Speedup is by how much several threads make a run faster: work on small arrays
// has little of it, on large ones nearly all. Measured here on two cores it was
// 1.2 to 1.9.
func Speedup(threads int) float64 { return math.Pow(float64(max(1, threads)), .7) }
