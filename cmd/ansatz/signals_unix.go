//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// stopSignals are the signals that interrupt the program. Slurm sends SIGUSR1 before the time of a task is
// over.
var stopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}

// timeOver says whether a context ended because the time of a task is about to end.
func timeOver(ctx context.Context) bool {
	var s stopSignal
	return errors.As(context.Cause(ctx), &s) && s.Signal == syscall.SIGUSR1
}
