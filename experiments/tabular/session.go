package tabular

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
)

// plannedTable is a table of the run, with its sizes or the error of reading it.
type plannedTable struct {
	Member
	record Dataset
	digest string
	cost   float64 // roughly that of a fit, in any unit
}

// tableJob runs a method on a table.
type tableJob struct {
	table  *plannedTable
	method *method
	result *Result // nil until it is done
}

// session is the state of one run of a benchmark.
type session struct {
	*Benchmark
	run    Run
	folder *folder
	tables []*plannedTable
	jobs   []*tableJob // in the order of the record
	memory int64       // bytes that a fit may take
	mu     sync.Mutex  // guards what workers report
	done   int
	work   float64 // cost of all jobs that this run has to do
	worked float64 // cost of the part that is done
	failed error   // why results or checkpoints could not be saved
	// others are results of other programs, and missing says how missing scores are treated.
	others   []Others
	missing  MissingRule
	versions []string // the versions of the program that made the results
}

// addVersion records that a version of the program made some results.
func (s *session) addVersion(version string) {
	if !slices.Contains(s.versions, version) {
		s.versions = append(s.versions, version)
	}
}

// readTables reads every table for its size and digest, and plans the jobs. A table is read again
// for each of its jobs, so that memory never holds all of them. It returns an input error if it can use none.
func (s *session) readTables(ctx context.Context) error {
	var refused error
	for i, m := range s.Members {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, about := &plannedTable{Member: m, record: Dataset{Name: m.Name}}, ""
		if set, err := m.Load(s.Spec); err != nil {
			p.record.Error = err.Error()
			if refused == nil {
				refused = input.Errorf("no table of the benchmark can be used: %s: %w", m.Name, err)
			}
		} else {
			p.describe(set)
			about = set.about
			for _, name := range s.Spec.Methods {
				s.jobs = append(s.jobs, &tableJob{table: p, method: findMethod(name)})
			}
		}
		s.tables = append(s.tables, p)
		s.report(Progress{Stage: "reading", Done: i + 1, Total: len(s.Members), Dataset: m.Name, About: about})
	}
	if len(s.jobs) == 0 {
		return refused
	}
	return nil
}

// describe records the sizes and the digest of the table.
func (p *plannedTable) describe(s *Set) {
	n, d := float64(len(s.rows)), float64(s.features)
	p.record.Rows, p.record.TableRows, p.record.Features = len(s.rows), s.table.Rows, s.features
	p.record.Classes, p.record.Measure, p.record.SHA256 = s.classes(), s.Measure(), s.digest
	p.record.Target, p.digest = s.encode.Target, s.digest
	if p.own {
		p.record.Target = s.Labels.Target
	}
	p.cost = n * n * (n + d*float64(max(s.classes(), 1)))
}

// loadResults reads the results of an earlier run from the folder, and returns the jobs without one.
func (s *session) loadResults() (left []*tableJob, err error) {
	for _, j := range s.jobs {
		found, err := s.folder.loadResult(j.table, j.method.name, s.Spec)
		if err != nil {
			return nil, err
		}
		if found != nil {
			j.result = &found.Result
			s.addVersion(cmp.Or(found.Version, "an earlier version"))
		}
		if j.result == nil {
			left = append(left, j)
			s.work += s.cost(j)
		} else {
			s.done++
			s.run.Checkpoints.MarkResumed(s.folder.dir)
		}
	}
	return left, nil
}

// runRemaining runs the jobs that have no result in the folder, in parallel, the most expensive first.
func (s *session) runRemaining(ctx context.Context) error {
	if err := s.folder.create(s.Spec); err != nil {
		return err
	}
	left, err := s.loadResults()
	if err != nil {
		return err
	}
	defer backend.OneBLASThread()()
	slices.SortStableFunc(left, func(a, b *tableJob) int { return cmp.Compare(s.cost(b), s.cost(a)) })
	workers := min(cmp.Or(s.Spec.Threads, runtime.GOMAXPROCS(0)), max(len(left), 1))
	s.memory = record.AvailableMemory() / int64(workers)
	queue := make(chan *tableJob, len(left))
	for _, j := range left {
		queue <- j
	}
	close(queue)
	s.report(s.progress())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				switch r, err := s.runJob(ctx, j); {
				case err != nil:
					s.endWithError(err, stop)
				case r != nil:
					s.addResult(j, r, stop)
				}
			}
		})
	}
	wg.Wait()
	if s.failed != nil {
		return s.failed
	}
	return ctx.Err()
}

// cost estimates the cost of a job.
func (s *session) cost(j *tableJob) float64 {
	configs := s.Spec.Configs
	if s.Spec.Protocol == UciProtocol {
		configs = len(j.method.uciGrid(s.Spec, j.table.record.Rows, true))
	}
	return j.table.cost * float64(configs*(1+j.method.iterations(s.Spec)))
}

// runJob runs a method on a table. It returns nil if it was interrupted. A failure on the table is a
// result; the error says that a checkpoint could not be written.
func (s *session) runJob(ctx context.Context, j *tableJob) (*Result, error) {
	start := time.Now()
	r := &Result{Method: j.method.name}
	set, err := j.table.Load(s.Spec)
	if err == nil && set.digest != j.table.digest {
		err = input.Errorf("the table changed while the benchmark ran")
	}
	if err == nil {
		err = s.fitTable(ctx, set, j, r)
	}
	if unsaved := (*checkpoint.SaveError)(nil); errors.As(err, &unsaved) {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		r.Error = err.Error()
	}
	if memory := (*rfm.MemoryError)(nil); errors.As(err, &memory) {
		r.Error += "; give fewer --threads, which share the memory, or --rows"
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// endWithError stops all workers and records the error.
func (s *session) endWithError(err error, stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = errors.Join(s.failed, err)
	stop()
}

// fitTable runs the protocol and adds its folds to the result.
func (s *session) fitTable(ctx context.Context, set *Set, j *tableJob, r *Result) error {
	f := &fitter{spec: s.Spec, set: set, method: j.method, memory: s.memory, checkpoints: s.run.Checkpoints,
		fitted: func(share float64) { s.addFitted(share * s.cost(j)) }}
	protocol := f.runUCI
	if s.Spec.Protocol == GrinsztajnProtocol {
		protocol = f.runGrinsztajn
	}
	folds, err := protocol(ctx)
	r.Fits, r.Notes = f.fits, set.notes
	if err != nil {
		return err
	}
	r.setFolds(folds)
	return nil
}

// addResult saves a result and reports it.
func (s *session) addResult(j *tableJob, r *Result, stop func()) {
	if err := s.folder.saveResult(j.table, r, s.Spec); err != nil {
		s.endWithError(err, stop)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j.result = r
	s.addVersion(record.Version())
	s.done++
	p := s.progress()
	p.Dataset, p.Ended = j.table.Name, r
	s.report(p)
}

// addFitted adds the cost of a fit to the work that is done.
func (s *session) addFitted(cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worked += cost
	s.report(s.progress())
}

// progress returns the state of the fits.
func (s *session) progress() Progress {
	p := Progress{Stage: "fitting", Done: s.done, Total: len(s.jobs)}
	if s.work > 0 {
		p.Work = min(s.worked/s.work, 1)
	}
	return p
}

func (s *session) report(p Progress) {
	if s.run.Progress != nil {
		s.run.Progress(p)
	}
}
