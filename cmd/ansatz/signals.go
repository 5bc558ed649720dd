package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// stopSignal is the cause of a context that a signal ended.
type stopSignal struct{ os.Signal }

// Error returns the name of the signal.
func (s stopSignal) Error() string { return s.String() }

// Is reports whether target is [context.Canceled]: work that ends with the cause of its context was interrupted.
func (s stopSignal) Is(target error) bool { return target == context.Canceled }

// withSignals returns a context that ends with the first signal to save and stop. Later ones change nothing, but a Ctrl-C two
// seconds later ends the process. (Both the terminal and the command that started this one may pass on the first.)
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, stopSignals...)
	go func() {
		select {
		case s := <-signals:
			cancel(stopSignal{s})
		case <-ctx.Done():
			return
		}
		for first := time.Now(); ; {
			if s := <-signals; s == os.Interrupt && time.Since(first) > 2*time.Second {
				fmt.Fprintln(os.Stderr, "Stopped at once: files that were written before are complete.")
				os.Exit(exitFailed)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
