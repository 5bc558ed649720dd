package backend

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// worker runs functions one after another, turning panics into errors.
type worker interface {
	do(f func() error) error
	close()
}

// caller is a worker that runs functions on the caller's goroutine.
type caller struct{ mu sync.Mutex }

func (c *caller) do(f func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return protect(f)
}

func (c *caller) close() {}

// protect turns a panic of f into an error.
func protect(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &PanicError{Value: r, Stack: debug.Stack()}
		}
	}()
	return f()
}

// PanicError is a panic inside an engine: a bug in this program, not an error in its input.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value of the panic. Stack says where it was.
func (e *PanicError) Error() string { return fmt.Sprintf("backend: internal error: %v", e.Value) }
