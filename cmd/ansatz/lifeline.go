package main

import (
	"context"
	"errors"
	"os"
	"time"
)

// lifelineVariable is the environment variable with the file descriptor of the lifeline: the reading end of
// a pipe, whose other end the parent process holds. Nothing is ever written to it. Reading it ends when the
// parent does, in whatever way.
const lifelineVariable = "ANSATZ_LIFELINE"

var errOrphan = errors.New("the process that started this one ended")

// withLifeline returns a context that ends when the parent process does, if this process has a lifeline. If
// the process has not stopped killAfter later, it exits.
func withLifeline(parent context.Context) context.Context {
	line := lifeline(os.Getenv(lifelineVariable))
	_ = os.Unsetenv(lifelineVariable) // children get lifelines of their own
	if line == nil {
		return parent
	}
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		_, _ = line.Read(make([]byte, 1)) // until the parent ends
		cancel(errOrphan)
		time.Sleep(killAfter)
		os.Exit(exitResume)
	}()
	return ctx
}
