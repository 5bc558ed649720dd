package backend

import "sync"

// parallel splits 0 ≤ i < n into one range a thread, each a multiple of grain
// except the last, and runs f on them at the same time. The ranges depend on
// nothing but the arguments, so that what is summed within one is summed in
// the same order every time.
func parallel(threads, n, grain int, f func(part, lo, hi int)) {
	size := (n + threads - 1) / threads
	size = (size + grain - 1) / grain * grain
	if size >= n {
		f(0, 0, n)
		return
	}
	var wg sync.WaitGroup
	part := 0
	for lo := 0; lo < n; lo += size {
		wg.Add(1)
		go func(part, lo, hi int) {
			defer wg.Done()
			f(part, lo, hi)
		}(part, lo, min(lo+size, n))
		part++
	}
	wg.Wait()
}
