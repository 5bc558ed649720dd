package search

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/rfm"
)

// Search tries settings by cross-validation.
type Search struct {
	Settings []Settings
	// Machine gives everything besides the settings: the task, the most iterations, the seed and so on.
	Machine  rfm.Machine
	Examples *examples.Set
	Folds    [][]int // of the training examples, see [Folds]
	// Threads is how many trials are made at a time, each on one thread; 0 is the number of cores. It changes no result.
	Threads int
	// Time, if not 0, ends the search: unfinished trials are dropped then, but the first is always finished.
	Time time.Duration
	// Memory, if not 0, is the number of bytes that all machines which are fitted at a time may take.
	Memory int64
	// Keep holds the trials of an earlier search of the same kind; nil keeps none.
	Keep *Folder
	// Progress, if not nil, is called with the trials that have ended, by one goroutine at a time.
	Progress func(done []Trial)

	mu    sync.Mutex
	views map[view]func() (examples.Fold, error)
}

// view is a fold with a transform of the features.
type view struct {
	fold      int
	transform string
}

// fold returns a fold with a transform. It is computed once.
func (s *Search) fold(k int, transform string) (examples.Fold, error) {
	s.mu.Lock()
	if s.views == nil {
		s.views = map[view]func() (examples.Fold, error){}
	}
	v := view{k, transform}
	if s.views[v] == nil {
		s.views[v] = sync.OnceValues(func() (examples.Fold, error) {
			return s.Examples.Fold(others(s.Folds, k), s.Folds[k], transform)
		})
	}
	find := s.views[v]
	s.mu.Unlock()
	return find()
}

// Run makes the trials and returns those that ended, failed ones too, in their order. Its error is the error of ctx, or
// says that a trial could not be kept. While it runs, OpenBLAS has one thread in the whole process.
func (s *Search) Run(ctx context.Context) ([]Trial, error) {
	defer backend.OneBLASThread()()
	workers := s.Threads
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = max(1, min(workers, len(s.Settings)))
	s.Machine.Threads = 1
	s.Machine.Memory = s.Memory / int64(workers)
	r := &running{Search: s, found: make([]*Trial, len(s.Settings))}
	ctx, r.stop = context.WithCancel(ctx)
	defer r.stop()
	limited := ctx
	if s.Time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, s.Time)
		defer cancel()
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for number := r.nextTrial(); number >= 0; number = r.nextTrial() {
				if number == 0 {
					r.attempt(ctx, number)
				} else {
					r.attempt(limited, number)
				}
			}
		})
	}
	wg.Wait()
	if r.failed != nil {
		return nil, r.failed
	}
	return r.ended(), ctx.Err()
}

// running is a search whose trials are being made.
type running struct {
	*Search
	mu     sync.Mutex
	next   int
	found  []*Trial
	failed error
	stop   func()
}

// nextTrial returns the number of the next trial, -1 if there is none.
func (r *running) nextTrial() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == len(r.found) {
		return -1
	}
	r.next++
	return r.next - 1
}

// attempt adds a trial to those that ended, kept by an earlier search or made now, unless the context ends.
func (r *running) attempt(ctx context.Context, number int) {
	if ctx.Err() != nil {
		return
	}
	t, kept := r.Keep.load(number, r.Settings[number])
	var err error
	if !kept {
		if t, err = r.makeTrial(ctx, number); err != nil {
			return // the context has ended
		}
		err = r.Keep.save(t)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failed = err
		r.stop()
		return
	}
	r.found[number] = &t
	if r.Progress != nil {
		r.Progress(r.ended())
	}
}

// ended returns the trials that ended.
func (r *running) ended() []Trial {
	var all []Trial
	for _, t := range r.found {
		if t != nil {
			all = append(all, *t)
		}
	}
	return all
}

// InterruptedError reports that a search was stopped, and can continue.
type InterruptedError struct{ Dir string }

// Error says where the trials are, and how to continue.
func (e *InterruptedError) Error() string {
	return "interrupted: the trials that ended are in " + e.Dir + "; run the same command again to go on"
}

// Interrupted returns true: the search can continue.
func (e *InterruptedError) Interrupted() bool { return true }
