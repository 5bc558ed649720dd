package cost

import (
	"fmt"
	"math"
)

// Job is a job of which it is known what its time and memory grow with. Its fields
// are numbers, and what the point of a job in points.csv holds.
type Job interface {
	// kind is what jobs are fitted together as.
	kind() string
	// time and memory are how much there is of each term.
	time() terms
	memory() terms
}

// kinds make empty jobs, to read points into.
var kinds = map[string]func() Job{}

func register[J any, P interface {
	*J
	Job
}]() {
	kinds[P(new(J)).kind()] = func() Job { return P(new(J)) }
}

func init() {
	register[Training]()
	register[LinearTraining]()
	register[Verification]()
	register[Comparison]()
	register[Machine]()
	register[PatchMachine]()
	register[PooledMachine]()
	register[LaplacePatches]()
	register[Tangents]()
	register[Table]()
}

// Of is the seconds that a job takes on one thread, and the bytes of the process. An
// error says that one of its numbers is none.
func Of(j Job) (seconds, bytes float64, err error) {
	m, err := fitted()
	if err != nil {
		return 0, 0, err
	}
	seconds, known := m.seconds.of(j.time())
	bytes, alsoKnown := m.bytes.of(j.memory())
	if !known || !alsoKnown {
		return 0, 0, fmt.Errorf("what a %s takes was not measured", j.kind())
	}
	if bad(seconds) || bad(bytes) {
		return 0, 0, fmt.Errorf("a %s with numbers that are none: %+v", j.kind(), j)
	}
	return seconds, bytes, nil
}

func bad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) || v < 0 }
