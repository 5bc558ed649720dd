//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// stopSignals are the signals that interrupt the program. Slurm sends SIGUSR1 before the time of a task is
// over. A closed terminal sends SIGHUP, which interrupts too unless it is ignored, as under nohup.
var stopSignals = func() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}()

// withTimeOver returns a context that has ended because the time of a task is about to end.
func withTimeOver(parent context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	cancel(stopSignal{syscall.SIGUSR1})
	return ctx
}

// timeOver says whether a context ended because the time of a task is about to end.
func timeOver(ctx context.Context) bool {
	var s stopSignal
	return errors.As(context.Cause(ctx), &s) && s.Signal == syscall.SIGUSR1
}
