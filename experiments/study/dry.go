package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// A dry run finds out what a run costs: [Spec.Run] takes the same path through its tasks, networks
// and machines, but whatever would take long adds a job with the sizes that it has, and computes
// nothing. The fits of a [Setting] do so themselves; other functions ask [Setting.Dry]. In a dry
// run data are opened as outlines, which have their sizes alone (see [linalg.Outline]).
type dryRun struct {
	jobs    []cost.Job
	reading cost.Reading // of data that no job has been added for yet
	began   time.Time
}

// longestDryRun is after what time the report of a progress ends a dry run: its spec computes, as it
// does not ask whether it should.
const longestDryRun = 5 * time.Second

// endLate ends a dry run that has taken too long.
func (d *dryRun) endLate() {
	if d != nil && time.Since(d.began) > longestDryRun {
		panic(fmt.Sprintf("it takes more than %v", longestDryRun))
	}
}

// DryRun returns the jobs of a run of the spec, without doing them. It is an error if the settings
// are faulty.
func DryRun(spec Spec) (jobs []cost.Job, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			jobs, err = nil, fmt.Errorf("the dry run of %T ended: %v", spec, fault)
		}
	}()
	return dryRunJobs(spec)
}

// Worker is a [Spec] that lists its jobs itself. It goes once every spec runs dry.
type Worker interface {
	Jobs() ([]cost.Job, error)
}

// dryRunJobs is [DryRun] without its recovery from panics.
func dryRunJobs(spec Spec) ([]cost.Job, error) {
	if w, is := spec.(Worker); is {
		return w.Jobs()
	}
	dry := &dryRun{began: time.Now()}
	_, err := spec.Run(context.Background(), Setting{dry: dry})
	return dry.jobs, err
}

// Dry reports whether this is a dry run, in which nothing is computed and results are zero or nil.
func (in Setting) Dry() bool { return in.dry != nil }

// AddJob adds a job to those of a dry run, unless err is not nil, and returns err. In other runs it
// must not be called, as jobs are not needed there.
func (in Setting) AddJob(job cost.Job, err error) error { return in.AddJobs([]cost.Job{job}, err) }

// AddJobs is [Setting.AddJob] for several jobs.
func (in Setting) AddJobs(jobs []cost.Job, err error) error {
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if withData, reads := cost.WithReading(j, in.dry.reading); reads {
			j, in.dry.reading = withData, cost.Reading{}
		}
		in.dry.jobs = append(in.dry.jobs, j)
	}
	return nil
}

// AddReading says in a dry run that data are opened. They count for the next job that is added.
func (in Setting) AddReading(r cost.Reading) {
	in.dry.reading.Opened += r.Opened
	in.dry.reading.Scaled += r.Scaled
}

// Score returns the scores of a kernel machine's predictions for examples. In a dry run they count
// for the fit before.
func (in Setting) Score(ctx context.Context, m *rfm.Model, e rfm.Examples) (rfm.Scores, error) {
	if !in.Dry() {
		return m.Score(ctx, e.X, e.Y)
	}
	for i := len(in.dry.jobs) - 1; i >= 0; i-- {
		if fit, is := in.dry.jobs[i].(cost.Machine); is {
			fit.Tested += float64(linalg.RowCount(e.X)) / fit.Regressions
			in.dry.jobs[i] = fit
			break
		}
	}
	return rfm.Scores{}, nil
}

// A dry run of faulty settings ends too: it refuses more features, and shows fewer iterations.
const (
	mostDryFeatures   = 1 << 24
	mostDryIterations = 1000
)

// dryFit adds the job of fitting a machine to examples of some features, shows Each the iterations
// without results, and returns an empty model.
func (in Setting) dryFit(m rfm.Machine, e rfm.Examples, features int) (*rfm.Model, error) {
	n := linalg.RowCount(e.X)
	_, outputs := e.Y.Dims()
	job := cost.Machine{Inputs: float64(features), Outputs: float64(outputs), Regressions: float64(m.Iterations + 1)}
	if m.Validation != nil {
		job.Tested = float64(linalg.RowCount(m.Validation.X))
	} else if m.Select == rfm.Best {
		held := int(math.Round(cmp.Or(m.Holdout, rfm.DefaultHoldout) * float64(n)))
		n, job.Tested = n-held, float64(held)
	}
	job.Examples = float64(n)
	if m.Diagonal {
		job.Diagonal = 1
	}
	if m.Iterations > 0 {
		if job.Sample = float64(n); m.Sample > 0 {
			job.Sample = float64(min(m.Sample, n))
		}
	}
	if features > mostDryFeatures {
		return nil, input.Errorf("%d features: want at most %d", features, mostDryFeatures)
	}
	if err := in.AddJob(job, nil); err != nil || m.Each == nil {
		return new(rfm.Model), err
	}
	for k := 0; k <= m.Iterations; k++ {
		if k == mostDryIterations {
			k = max(k, m.Iterations)
		}
		it := &rfm.Iteration{Index: k, Metric: rfm.Identity(features), Validation: new(rfm.Scores),
			Alpha: mat.NewDense(1, outputs, nil)}
		if err := m.Each(it); err != nil {
			return nil, err
		}
	}
	return new(rfm.Model), nil
}

// dryDescent adds the jobs of learning M by gradient descent: the steps, each of which multiplies
// all pairs of examples and centres, and the regressions between them.
func (in Setting) dryDescent(net rfm.HyperBF, e rfm.Examples) error {
	n, d := float64(linalg.RowCount(e.X)), float64(linalg.ColumnCount(e.X))
	outputs := float64(linalg.ColumnCount(e.Y))
	products := n*d + d*d
	steps := float64(net.Iterations * cmp.Or(net.Steps, rfm.DefaultSteps))
	return in.AddJobs([]cost.Job{
		cost.Machine{Examples: n, Inputs: d, Outputs: outputs, Regressions: float64(1 + net.Iterations)},
		cost.Training{
			Net:   cost.Net{Layers: 2, Linear: products, Parameters: products, Values: n + d},
			Batch: n, Steps: steps, Images: steps * n,
		},
	}, nil)
}
