package backend

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// worker runs functions one after another, turning panics into errors.
type worker interface {
	do(f func() error) error
	close()
}

// caller is a worker that runs functions where they are called.
type caller struct{ mu sync.Mutex }

func (c *caller) do(f func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return protect(f)
}

func (c *caller) close() {}

// thread is a worker on one operating system thread. OpenMP keeps a team of
// threads for every thread that calls it, so that calling it from whichever
// thread Go happens to be on would start a new team each time.
type thread struct{ jobs chan job }

type job struct {
	run  func() error
	done chan error
}

func newThread(prepare func()) *thread {
	t := &thread{jobs: make(chan job)}
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		prepare()
		for j := range t.jobs {
			j.done <- protect(j.run)
		}
	}()
	return t
}

func (t *thread) do(f func() error) error {
	done := make(chan error, 1)
	t.jobs <- job{f, done}
	return <-done
}

func (t *thread) close() { close(t.jobs) }

// protect turns a panic of f into an error.
func protect(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	return f()
}

// PanicError is a panic that happened inside an engine: a mistake of this
// program, not of its input.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("backend: internal error: %v", e.Value) }
