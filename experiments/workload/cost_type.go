package workload

import "math"

// Cost is what a run with one seed takes on one thread. What is 0 is not known.
type Cost struct {
	Seconds float64
	Bytes   float64 // the largest that the process is
}

// SortKey is the time of so many seeds, infinite where it is not known.
func (c Cost) SortKey(seeds int) float64 {
	if c.Seconds == 0 {
		return math.Inf(1)
	}
	return c.Seconds * float64(seeds)
}

// ProcessBytes is what the program takes without data.
const ProcessBytes = 64 << 20
