package experiments

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/rfm"
)

// tabularPlanned is a table of the run: what was found out when it was read.
type tabularPlanned struct {
	tabularMember
	record TabularDataset
	digest string
	cost   float64 // of a fit, about
}

// tabularJob is a method on a table.
type tabularJob struct {
	table  *tabularPlanned
	method *tabularMethod
	result *TabularResult // nil until it is done
}

// tabularSession is one run of a benchmark.
type tabularSession struct {
	*Tabular
	run    TabularRun
	folder *tabularFolder
	tables []*tabularPlanned
	jobs   []*tabularJob // in the order of the record
	memory int64         // bytes that a fit may take
	mu     sync.Mutex    // guards what workers report
	done   int
	work   float64 // the cost of all jobs that this run has to do
	worked float64 // of what is done of it
	failed error   // to write records
}

// plan reads every table once: for its size and its digest. They are read again
// when their turn comes, so that not all are in memory.
func (s *tabularSession) plan(ctx context.Context) error {
	for i, m := range s.members {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &tabularPlanned{tabularMember: m, record: TabularDataset{Name: m.name}}
		if set, err := m.load(s.spec); err != nil {
			p.record.Error = err.Error()
		} else {
			p.describe(set)
			for _, name := range s.spec.Methods {
				s.jobs = append(s.jobs, &tabularJob{table: p, method: findTabularMethod(name)})
			}
		}
		s.tables = append(s.tables, p)
		s.report(TabularProgress{Stage: "reading", Done: i + 1, Total: len(s.members), Dataset: m.name})
	}
	return nil
}

// describe notes what a table is.
func (p *tabularPlanned) describe(s *tabularSet) {
	n, d := float64(len(s.rows)), float64(s.features)
	p.record.Rows, p.record.TableRows, p.record.Features = len(s.rows), s.table.Rows, s.features
	p.record.Classes, p.record.Measure, p.record.SHA256 = s.classes(), s.measure(), s.digest
	p.digest = s.digest
	p.cost = n * n * (n + d*float64(max(s.classes(), 1)))
}

// restore takes up what was done before.
func (s *tabularSession) restore() error {
	for _, j := range s.jobs {
		var err error
		if j.result, err = s.folder.load(j.table, j.method.name); err != nil {
			return err
		}
		if j.result != nil {
			s.done++
			s.run.fits.attempt.take(s.folder.dir)
		}
	}
	return nil
}

// doAll does what is left, the most expensive first.
func (s *tabularSession) doAll(ctx context.Context) error {
	var left []*tabularJob
	for _, j := range s.jobs {
		if j.result == nil {
			left = append(left, j)
		}
	}
	slices.SortStableFunc(left, func(a, b *tabularJob) int { return cmp.Compare(s.cost(b), s.cost(a)) })
	workers := min(cmp.Or(s.spec.Threads, runtime.GOMAXPROCS(0)), max(len(left), 1))
	s.memory = availableMemory() / int64(workers)
	queue := make(chan *tabularJob, len(left))
	for _, j := range left {
		queue <- j
	}
	close(queue)
	for _, j := range left {
		s.work += s.cost(j)
	}
	s.report(s.fitting())
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					return
				}
				switch r, err := s.do(ctx, j); {
				case err != nil:
					s.fail(err, stop)
				case r != nil:
					s.ended(j, r, stop)
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

// cost is about what a job takes.
func (s *tabularSession) cost(j *tabularJob) float64 {
	if s.spec.Protocol == grinsztajnProtocol {
		return j.table.cost * float64(s.spec.Configs) * float64(1+s.iterations(j))
	}
	return j.table.cost * float64(len(j.method.uciGrid(j.table.record.Rows, true))*(1+s.iterations(j)))
}

func (s *tabularSession) iterations(j *tabularJob) int {
	return (&tabularFitter{spec: s.spec, method: j.method}).iterations()
}

// do runs a method on a table; nil if it was interrupted. That it fails on the table is
// a result, that what it found could not be kept is an error.
func (s *tabularSession) do(ctx context.Context, j *tabularJob) (*TabularResult, error) {
	start := time.Now()
	r := &TabularResult{Method: j.method.name}
	set, err := j.table.load(s.spec)
	if err == nil && set.digest != j.table.digest {
		err = badInput("the table changed while the benchmark ran")
	}
	if err == nil {
		err = s.fit(ctx, set, j, r)
	}
	if lost := (*keptError)(nil); errors.As(err, &lost) {
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

// fail ends the run.
func (s *tabularSession) fail(err error, stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = errors.Join(s.failed, err)
	stop()
}

// fit runs the protocol and notes what came of it.
func (s *tabularSession) fit(ctx context.Context, set *tabularSet, j *tabularJob, r *TabularResult) error {
	f := &tabularFitter{in: s.run.fits, spec: s.spec, set: set, method: j.method, memory: s.memory, fitted: func(share float64) { s.fitted(share * s.cost(j)) }}
	protocol := f.runUCI
	if s.spec.Protocol == grinsztajnProtocol {
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

// ended keeps a result and tells of it.
func (s *tabularSession) ended(j *tabularJob, r *TabularResult, stop func()) {
	err := s.folder.save(j.table, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = errors.Join(s.failed, err)
		stop()
		return
	}
	j.result = r
	s.done++
	p := s.fitting()
	p.Dataset, p.Ended = j.table.name, r
	s.report(p)
}

// fitted adds up work.
func (s *tabularSession) fitted(cost float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worked += cost
	s.report(s.fitting())
}

// fitting is how far the fits are.
func (s *tabularSession) fitting() TabularProgress {
	p := TabularProgress{Stage: "fitting", Done: s.done, Total: len(s.jobs)}
	if s.work > 0 {
		p.Work = min(s.worked/s.work, 1)
	}
	return p
}

func (s *tabularSession) report(p TabularProgress) {
	if s.run.Progress != nil {
		s.run.Progress(p)
	}
}
