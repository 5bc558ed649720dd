package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// TestStopSignalIsInterruption checks that work that returns the cause of its context, a signal, counts as interrupted,
// like work that returns the context's error.
func TestStopSignalIsInterruption(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopSignal{syscall.SIGTERM})
	var text bytes.Buffer
	code := study.ReportError(&text, fmt.Errorf("comparing: %w", context.Cause(ctx)))
	if code != exitFailed || text.String() != "Interrupted: nothing was written.\n" {
		t.Errorf("exit code %d, %q", code, text.String())
	}
	if errors.Is(stopSignal{syscall.SIGTERM}, context.DeadlineExceeded) {
		t.Error("it is a deadline")
	}
}

// TestTrainWithoutStderr checks that a training ends as usual if stderr cannot be written.
func TestTrainWithoutStderr(t *testing.T) {
	var out bytes.Buffer
	args := []string{"train", "--arch", "mlp:4", "--data", "glyphs", "--train", "50", "--test", "10", "--epochs", "1", "--out",
		t.TempDir()}
	if code := run(t.Context(), args, streams{&out, fullDevice{}}); code != exitDone {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}
