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
	"github.com/ansatz-lab/ansatz/rfm"
)

// Planned is a table of the run: what was found out when it was read.
type Planned struct {
	Member
	record Dataset
	digest string
	cost   float64 // of a fit, about
}

// tableJob is a method on a table.
type tableJob struct {
	table  *Planned
	method *tabularMethod
	result *Result // nil until it is done
}

// Session is one run of a benchmark.
type Session struct {
	*Tabular
	run    Run
	Folder *Folder
	Tables []*Planned
	jobs   []*tableJob // in the order of the record
	memory int64       // bytes that a fit may take
	mu     sync.Mutex  // guards what workers report
	done   int
	work   float64 // the cost of all jobs that this run has to do
	worked float64 // of what is done of it
	failed error   // to write records
}

// ReadTables reads every table once: for its size and its digest. They are read again
// when their turn comes, so that not all are in memory.
func (s *Session) ReadTables(ctx context.Context) error {
	for i, m := range s.Members {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &Planned{Member: m, record: Dataset{Name: m.Name}}
		if set, err := m.Load(s.Spec); err != nil {
			p.record.Error = err.Error()
		} else {
			p.describe(set)
			for _, name := range s.Spec.Methods {
				s.jobs = append(s.jobs, &tableJob{table: p, method: findMethod(name)})
			}
		}
		s.Tables = append(s.Tables, p)
		s.report(Progress{Stage: "reading", Done: i + 1, Total: len(s.Members), Dataset: m.Name})
	}
	return nil
}

// describe notes what a table is.
func (p *Planned) describe(s *Set) {
	n, d := float64(len(s.rows)), float64(s.features)
	p.record.Rows, p.record.TableRows, p.record.Features = len(s.rows), s.table.Rows, s.features
	p.record.Classes, p.record.Measure, p.record.SHA256 = s.classes(), s.Measure(), s.digest
	p.digest = s.digest
	p.cost = n * n * (n + d*float64(max(s.classes(), 1)))
}

// loadResults reads the results of an earlier run from the folder.
func (s *Session) loadResults() error {
	for _, j := range s.jobs {
		var err error
		if j.result, err = s.Folder.loadResult(j.table, j.method.name); err != nil {
			return err
		}
		if j.result != nil {
			s.done++
			s.run.Fits.MarkResumed(s.Folder.dir)
		}
	}
	return nil
}

// runAll runs the remaining jobs, the most expensive first.
func (s *Session) runAll(ctx context.Context) error {
	var left []*tableJob
	for _, j := range s.jobs {
		if j.result == nil {
			left = append(left, j)
		}
	}
	slices.SortStableFunc(left, func(a, b *tableJob) int { return cmp.Compare(s.cost(b), s.cost(a)) })
	workers := min(cmp.Or(s.Spec.Threads, runtime.GOMAXPROCS(0)), max(len(left), 1))
	s.memory = record.AvailableMemory() / int64(workers)
	queue := make(chan *tableJob, len(left))
	for _, j := range left {
		queue <- j
	}
	close(queue)
	for _, j := range left {
		s.work += s.cost(j)
	}
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

// cost returns an estimate of what a job takes.
func (s *Session) cost(j *tableJob) float64 {
	if s.Spec.Protocol == GrinsztajnProtocol {
		return j.table.cost * float64(s.Spec.Configs) * float64(1+s.iterations(j))
	}
	return j.table.cost * float64(len(j.method.uciGrid(j.table.record.Rows, true))*(1+s.iterations(j)))
}

func (s *Session) iterations(j *tableJob) int {
	return (&fitter{spec: s.Spec, method: j.method}).iterations()
}

// runJob runs a method on a table; nil if it was interrupted. That it fails on the table is
// a result, that what it found could not be kept is an error.
func (s *Session) runJob(ctx context.Context, j *tableJob) (*Result, error) {
	start := time.Now()
	r := &Result{Method: j.method.name}
	set, err := j.table.Load(s.Spec)
	if err == nil && set.digest != j.table.digest {
		err = input.Errorf("the table changed while the benchmark ran")
	}
	if err == nil {
		err = s.fitTable(ctx, set, j, r)
	}
	if lost := (*checkpoint.SaveError)(nil); errors.As(err, &lost) {
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

// endWithError ends the run.
func (s *Session) endWithError(err error, stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = errors.Join(s.failed, err)
	stop()
}

// fitTable runs the protocol and notes what came of it.
func (s *Session) fitTable(ctx context.Context, set *Set, j *tableJob, r *Result) error {
	f := &fitter{in: s.run.Fits, spec: s.Spec, set: set, method: j.method, memory: s.memory,
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
	r.add(folds)
	return nil
}

// addResult saves a result and reports it.
func (s *Session) addResult(j *tableJob, r *Result, stop func()) {
	err := s.Folder.saveResult(j.table, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = errors.Join(s.failed, err)
		stop()
		return
	}
	j.result = r
	s.done++
	p := s.progress()
	p.Dataset, p.Ended = j.table.Name, r
	s.report(p)
}

// addFitted adds to the work that is done.
func (s *Session) addFitted(cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worked += cost
	s.report(s.progress())
}

// progress returns how far the fits are.
func (s *Session) progress() Progress {
	p := Progress{Stage: "fitting", Done: s.done, Total: len(s.jobs)}
	if s.work > 0 {
		p.Work = min(s.worked/s.work, 1)
	}
	return p
}

func (s *Session) report(p Progress) {
	if s.run.Progress != nil {
		s.run.Progress(p)
	}
}
