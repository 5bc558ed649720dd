//go:build native && cgo

package backend

import (
	"runtime"
	"testing"
)

// TestClosedThreadsEnd checks that the threads of closed devices end on a single processor too, where other goroutines that
// hand work to each other can keep them from running.
func TestClosedThreadsEnd(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before := runtime.NumGoroutine()
	for range 200 {
		d, err := Open(Options{Backend: "native", Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if err := d.Do(func() error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		d.Close()
	}
	if left := runtime.NumGoroutine() - before; left > 2 {
		t.Errorf("after 200 devices were closed, %d of their threads are left", left)
	}
}
