package main

import (
	"context"
	"os"
	"os/signal"
)

// stopSignal is the cause of a context that a signal ended.
type stopSignal struct{ os.Signal }

// Error returns the name of the signal.
func (s stopSignal) Error() string { return s.String() }

// Is reports whether target is [context.Canceled]: work that ends with the cause of its context was interrupted.
func (s stopSignal) Is(target error) bool { return target == context.Canceled }

// withSignals returns a context that ends with the first signal to save and stop. Later ones change nothing.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals...)
	go func() {
		select {
		case s := <-signals:
			cancel(stopSignal{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
