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

// A dry run finds out what a run costs. [Spec.Run] takes the same path through its tasks, networks and machines, but
// every long computation is replaced by adding a job of the same size. The fits of a [Setting] do so themselves; other
// functions ask [Setting.Dry]. Datasets are opened as outlines, which have sizes but no values (see [linalg.Outline]).
type dryRun struct {
	jobs    []cost.Job
	reading cost.Reading // of data that no job has been added for yet
	began   time.Time
}

// longestDryRun limits a dry run: the first progress report after it ends the run, since its spec computes without
// asking [Setting.Dry].
const longestDryRun = 5 * time.Second

// endLate ends a dry run that has taken too long.
func (d *dryRun) endLate() {
	if d != nil && time.Since(d.began) > longestDryRun {
		panic(fmt.Sprintf("it takes more than %v", longestDryRun))
	}
}

// DryRun returns the jobs of a run of the spec, without doing them. It is an error if the settings are faulty.
func DryRun(spec Spec) (jobs []cost.Job, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			jobs, err = nil, fmt.Errorf("the dry run of %T ended: %v", spec, fault)
		}
	}()
	return dryRunJobs(spec)
}

// dryRunJobs is [DryRun] without its recovery from panics.
func dryRunJobs(spec Spec) ([]cost.Job, error) {
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

// AddReading records that a dry run opens data. Their cost is added to the next job.
func (in Setting) AddReading(r cost.Reading) {
	in.dry.reading.Opened += r.Opened
	in.dry.reading.Scaled += r.Scaled
}

// Score scores a kernel machine's predictions for examples. In a dry run it adds the examples to the last fit's job instead.
func (in Setting) Score(ctx context.Context, m *rfm.Model, e rfm.Examples) (rfm.Scores, error) {
	if !in.Dry() {
		return m.Score(ctx, e.X, e.Y)
	}
	changeLast(in.dry.jobs, func(fit cost.Machine) cost.Machine {
		fit.Tested += float64(linalg.RowCount(e.X)) / fit.Regressions
		return fit
	})
	return rfm.Scores{}, nil
}

// AddTested records that a dry run tests a network on that many examples in all. It adds them to the last training's job.
func (in Setting) AddTested(examples float64) {
	changeLast(in.dry.jobs, func(training cost.Training) cost.Training {
		training.Tested += examples
		return training
	})
}

// changeLast applies change to the last job of type J.
func changeLast[J cost.Job](jobs []cost.Job, change func(J) J) {
	for i := len(jobs) - 1; i >= 0; i-- {
		if j, is := jobs[i].(J); is {
			jobs[i] = change(j)
			return
		}
	}
}

// With faulty settings, a dry run must end too: it refuses more features than this, and shows fewer iterations.
const (
	mostDryFeatures   = 1 << 24
	mostDryIterations = 1000
)

// dryFit adds the job of fitting a machine to examples with a number of features, calls m.Each with an empty result
// for each iteration, and returns an empty model.
func (in Setting) dryFit(m rfm.Machine, e rfm.Examples, features int) (*rfm.Model, error) {
	job := fitJob(m, e, features)
	if m.Iterations > 0 {
		if job.Sample = job.Examples; m.Sample > 0 {
			job.Sample = min(float64(m.Sample), job.Examples)
		}
	}
	return new(rfm.Model), in.addFit(m, job)
}

// dryDescent is dryFit for learning M by gradient descent. It adds one job for the regressions, without AGOPs, and one
// for the steps between them, each of which multiplies all pairs of examples and centres.
func (in Setting) dryDescent(net rfm.HyperBF, e rfm.Examples) (*rfm.Model, error) {
	fit := fitJob(net.Machine, e, linalg.ColumnCount(e.X))
	n, d := fit.Examples, fit.Inputs
	products := n*d + d*d
	steps := float64(net.Iterations * cmp.Or(net.Steps, rfm.DefaultSteps))
	if err := in.addFit(net.Machine, fit); err != nil {
		return nil, err
	}
	return new(rfm.Model), in.AddJob(cost.Training{
		Net:   cost.Net{Layers: 2, Linear: products, Parameters: products, Values: n + d},
		Batch: n, Steps: steps, Images: steps * n,
	}, nil)
}

// fitJob returns the job of a machine's regressions and of their validation.
func fitJob(m rfm.Machine, e rfm.Examples, features int) cost.Machine {
	n := linalg.RowCount(e.X)
	job := cost.Machine{Inputs: float64(features), Outputs: float64(linalg.ColumnCount(e.Y)),
		Regressions: float64(m.Iterations + 1)}
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
	return job
}

// addFit adds a job, and calls m.Each with an empty result for each iteration.
func (in Setting) addFit(m rfm.Machine, job cost.Machine) error {
	if job.Inputs > mostDryFeatures {
		return input.Errorf("%v features: want at most %d", job.Inputs, mostDryFeatures)
	}
	if err := in.AddJob(job, nil); err != nil || m.Each == nil {
		return err
	}
	metric, last := rfm.Identity(int(job.Inputs)), min(m.Iterations, mostDryIterations)
	for k := 0; k <= last; k++ {
		it := &rfm.Iteration{Index: k, Metric: metric, Validation: new(rfm.Scores),
			Alpha: mat.NewDense(1, int(job.Outputs), nil)}
		if k == last {
			it.Index = m.Iterations
		}
		if err := m.Each(it); err != nil {
			return err
		}
	}
	return nil
}
