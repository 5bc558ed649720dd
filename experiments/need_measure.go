package experiments

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// A pointRun is a job that is measured, for the models of package need.
type pointRun struct {
	name string // what it is, for a reader
	// open prepares what is not measured, and returns what is.
	open func(ctx context.Context, dir string) (pointWork, error)
}

// pointWork does a job on one thread, and says which it was.
type pointWork func(ctx context.Context) (need.Job, error)

// simply is work that needs no preparation.
func simply(name string, work func(ctx context.Context, dir string) (need.Job, error)) pointRun {
	return pointRun{name, func(_ context.Context, dir string) (pointWork, error) {
		return func(ctx context.Context) (need.Job, error) { return work(ctx, dir) }, nil
	}}
}

// pointRuns are all that is measured.
func pointRuns() []pointRun {
	return slices.Concat(trainingPoints(), verificationPoints(), machinePoints(), patchPoints(), tangentPoints(), tablePoints())
}

// MeasureNeeds measures what jobs take that the models of package need are fitted to,
// one after another on one thread, and writes the table of all: of those that are in
// the table already, what was found then. Dir is the data folder. Progress is told
// what comes next.
func MeasureNeeds(ctx context.Context, w io.Writer, dir string, progress func(name string, done, total int)) error {
	known, err := need.Measured()
	if err != nil {
		return err
	}
	var all []need.Point
	var failed error // after which what was found is written
	runs := pointRuns()
	for i, r := range runs {
		if at := slices.IndexFunc(known, func(p need.Point) bool { return p.Name == r.name }); at >= 0 {
			all = append(all, known[at])
			continue
		}
		progress(r.name, i, len(runs))
		p, err := r.measure(ctx, dir)
		if err != nil {
			failed = fmt.Errorf("%s: %w", r.name, err)
			break
		}
		all = append(all, p)
	}
	err = need.WritePoints(w, []string{
		"What jobs take on one thread: seconds, and the largest that the process is. The models of package need are fitted to two thirds of them.",
		fmt.Sprintf("Measured last on %d processors, %s/%s, %s, by ansatz estimates --jobs (make needs).", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, backendName("")),
	}, all)
	return errors.Join(failed, err)
}

// Jobs of less than leastMeasured seconds are done again, up to mostTimes, and the
// fastest is taken.
const (
	leastMeasured = 2.
	mostTimes     = 5
)

func (r pointRun) measure(ctx context.Context, dir string) (need.Point, error) {
	p := need.Point{Name: r.name}
	total := 0.
	for times := 0; times < mostTimes && total < leastMeasured; times++ {
		work, err := r.open(ctx, dir)
		if err != nil {
			return p, err
		}
		u, err := usage(func() error {
			p.Job, err = work(ctx)
			return err
		})
		if err != nil {
			return p, err
		}
		if seconds := max(u.oneThread(1), leastSeconds); p.Seconds == 0 || seconds < p.Seconds {
			p.Seconds = seconds
		}
		total += u.Seconds
		p.Bytes = max(p.Bytes, float64(u.Peak))
	}
	return p, nil
}
