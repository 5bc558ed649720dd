package main

import (
	"context"
	"errors"
	"os"
	"time"
)

// lifelineVariable is the number of a file that is the reading end of a pipe whose
// other end the process holds that started this one. Nothing is ever written to it:
// it ends when that process does, in whatever way.
const lifelineVariable = "ANSATZ_LIFELINE"

var errOrphan = errors.New("the process that started this one ended")

// withLifeline is a context that ends when the process does that started this one,
// if that gave it a lifeline. What does not stop then is ended.
func withLifeline(parent context.Context) context.Context {
	line := lifeline(os.Getenv(lifelineVariable))
	_ = os.Unsetenv(lifelineVariable) // it is not for processes that this one starts
	if line == nil {
		return parent
	}
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		_, _ = line.Read(make([]byte, 1)) // until it ends
		cancel(errOrphan)
		time.Sleep(killAfter)
		os.Exit(exitResume)
	}()
	return ctx
}
