package calibrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// A pointRun is a job to measure, for the models of package cost.
type pointRun struct {
	name string // describes the job to a reader
	// open opens the inputs, and returns the job and its work.
	open func(ctx context.Context, dir string) (cost.Job, pointWork, error)
	// prepare, if not nil, is called before the work, and is not measured.
	prepare pointWork
	check   bool // the job is held out: models are checked on it, not fitted to it
}

// pointWork does a job, on one thread.
type pointWork func(ctx context.Context) error

// MeasureNeeds measures the jobs to which the models of package cost are fitted, one after another, and writes the
// table of all jobs. It does not repeat measurements that the table already has. Dir is the data folder. Measure must
// run [MeasureNeed] in a process of its own. If it fails, MeasureNeeds writes the measurements made so far.
func MeasureNeeds(
	ctx context.Context, w io.Writer, dir string, measure func(name string, done, total int) (*record.Usage, error),
) error {
	known, err := cost.Measured()
	if err != nil {
		return err
	}
	var all []cost.Point
	var failed error // of the first measurement that failed
	runs, err := pointRuns()
	if err != nil {
		return err
	}
	for i, r := range runs {
		p := cost.Point{Name: r.name}
		at := slices.IndexFunc(known, func(p cost.Point) bool { return p.Name == r.name })
		if failed != nil && at < 0 {
			continue // from now on, only known measurements are written
		}
		if at >= 0 {
			p = known[at]
		} else if u, err := measure(r.name, i, len(runs)); err != nil {
			failed = fmt.Errorf("%s: %w", r.name, err)
			continue
		} else {
			p.Seconds, p.Bytes = max(u.OneThread(1), leastSeconds), float64(u.Peak)
		}
		// After an interruption too, the known measurements are written to the table.
		if p.Job, _, err = r.open(context.WithoutCancel(ctx), dir); err != nil {
			return err
		}
		p.Held = r.check
		all = append(all, p)
	}
	err = cost.WritePoints(w, []string{
		"What jobs take on one thread: seconds, and the largest that the process is. The models of package cost are " +
			"fitted to those of use fit, and checked on the others.",
		fmt.Sprintf("Measured last on %d processors, %s/%s, %s, by ansatz estimates --jobs (make needs).",
			runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, input.BackendName("")),
	}, all)
	return errors.Join(failed, err)
}

// MeasureNeed measures the job of that name in this process: both opening and work or, for a job with a preparation,
// the work alone. It sets OpenBLAS to one thread.
func MeasureNeed(ctx context.Context, dir, name string) (*record.Usage, error) {
	runs, err := pointRuns()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(runs, func(r pointRun) bool { return r.name == name })
	if at < 0 {
		return nil, input.Errorf("there is no job %q to measure", name)
	}
	backend.SetBLASThreads(1)
	best := &record.Usage{}
	total := 0.
	for times := 0; times < mostTimes && total < leastMeasured; times++ {
		u, err := runs[at].measureOnce(ctx, dir)
		if err != nil {
			return nil, err
		}
		total += u.Seconds
		peak := best.Peak
		if times == 0 {
			peak = u.Peak // in later runs, garbage adds to the peak
		}
		if times == 0 || u.OneThread(1) < best.OneThread(1) {
			best = &u
		}
		best.Peak = peak
	}
	return best, nil
}

// A job is repeated until all runs have taken leastMeasured seconds, at most mostTimes times. The fastest run counts.
const (
	leastMeasured = 2.5
	mostTimes     = 4
)

// measureOnce runs the job once, and returns its time and memory.
func (r pointRun) measureOnce(ctx context.Context, dir string) (u record.Usage, err error) {
	var work pointWork
	open := func() (err error) {
		_, work, err = r.open(ctx, dir)
		return err
	}
	if r.prepare == nil {
		return record.MeasureUsage(func() error {
			if err := open(); err != nil {
				return err
			}
			return work(ctx)
		})
	}
	if err := open(); err != nil {
		return u, err
	}
	if err := r.prepare(ctx); err != nil {
		return u, err
	}
	return record.MeasureUsage(func() error { return work(ctx) })
}
