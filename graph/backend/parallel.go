package backend

import (
	"sync"
	"sync/atomic"
)

// team divides work among threads, one call of run at a time.
type team struct {
	f       func(part, lo, hi int)
	size, n int // the length of a part, and of the whole range
	helpers []func()
	wait    sync.WaitGroup
	// panicked is what a helper panicked with, for run to panic with.
	panicked atomic.Pointer[any]
}

// newTeam prepares the helpers: starting one allocates nothing.
func newTeam(threads int) *team {
	t := &team{}
	for i := range threads - 1 {
		t.helpers = append(t.helpers, func() {
			defer func() {
				if p := recover(); p != nil {
					cause := p // p itself would be allocated in every call
					t.panicked.Store(&cause)
				}
				t.wait.Done()
			}()
			t.do(i + 1)
		})
	}
	return t
}

// run splits 0 ≤ i < n into at most one range per thread, each as long as a multiple of grain except the last, and runs f
// on them in parallel. The ranges depend only on n, grain and the number of threads, so that sums within a range are
// always in the same order. It returns the number of ranges.
func (t *team) run(n, grain int, f func(part, lo, hi int)) (parts int) {
	threads := len(t.helpers) + 1
	size := (n + threads - 1) / threads
	size = (size + grain - 1) / grain * grain
	if size >= n {
		f(0, 0, n)
		return 1
	}
	t.f, t.size, t.n = f, size, n
	helpers := t.helpers[:(n-1)/size]
	t.wait.Add(len(helpers))
	for _, help := range helpers {
		go help()
	}
	defer func() {
		t.wait.Wait()
		t.f = nil // so that its captured variables can be freed
		if p := t.panicked.Swap(nil); p != nil {
			panic(*p)
		}
	}()
	t.do(0)
	return len(helpers) + 1
}

func (t *team) do(part int) {
	lo := part * t.size
	t.f(part, lo, min(lo+t.size, t.n))
}
