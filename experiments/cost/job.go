package cost

import (
	"fmt"
	"math"
)

// Job is a piece of work with terms that its time and memory grow with. Its fields are numbers; a
// point in points.csv has them as JSON.
type Job interface {
	// kind returns the name of the jobs that are fitted together.
	kind() string
	// time and memory return the amount of each term.
	time() terms
	memory() terms
}

// kinds maps a kind to a function that makes an empty job, to read points into.
var kinds = map[string]func() Job{}

// register adds the kind of the jobs J to kinds.
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

// A reader is a job that begins with reading data.
type reader interface {
	Job
	// read returns the job with more data to read.
	read(Reading) Job
}

// WithReading returns the job with data that it reads first, and false if jobs of its kind read no data.
func WithReading(j Job, r Reading) (Job, bool) {
	if j, ok := j.(reader); ok {
		return j.read(r), true
	}
	return j, false
}

// Resources is what work takes on one thread of a machine that does nothing else. The zero
// value stands for unknown resources.
type Resources struct {
	Seconds float64
	Bytes   float64 // the largest size of the process
}

// ProcessBytes is the size of the process before it holds any data.
const ProcessBytes = 64 << 20

// Of returns what jobs take one after another: the sum of their times, and the memory of the
// largest. It is an error, with zero resources, if a job contains a negative or infinite number
// or needs a term that no measured job had.
func Of(jobs ...Job) (Resources, error) {
	var sum Resources
	for _, j := range jobs {
		r, err := estimate(j)
		if err != nil {
			return Resources{}, err
		}
		sum.Seconds, sum.Bytes = sum.Seconds+r.Seconds, max(sum.Bytes, r.Bytes)
	}
	return sum, nil
}

// estimate returns what one job takes.
func estimate(j Job) (Resources, error) {
	m, err := fitted()
	if err != nil {
		return Resources{}, err
	}
	seconds, known := m.seconds.total(j.time())
	bytes, alsoKnown := m.bytes.total(j.memory())
	if !known || !alsoKnown {
		return Resources{}, fmt.Errorf("what a %s takes was not measured", j.kind())
	}
	if bad(seconds) || bad(bytes) {
		return Resources{}, fmt.Errorf("a %s has a number that is negative or not finite: %+v", j.kind(), j)
	}
	return Resources{Seconds: seconds, Bytes: bytes}, nil
}

// bad reports whether v is negative, infinite or not a number.
func bad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) || v < 0 }
