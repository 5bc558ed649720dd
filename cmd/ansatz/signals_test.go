package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// TestStopSignalIsInterruption checks that work that returns the cause of its context, a signal, counts as interrupted,
// like work that returns the context's error.
func TestStopSignalIsInterruption(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopSignal{syscall.SIGTERM})
	var text bytes.Buffer
	code := study.ReportError(&text, fmt.Errorf("comparing: %w", context.Cause(ctx)))
	if code != exitFailed || text.String() != "Interrupted: there is no checkpoint to go on from.\n" {
		t.Errorf("exit code %d, %q", code, text.String())
	}
	if errors.Is(stopSignal{syscall.SIGTERM}, context.DeadlineExceeded) {
		t.Error("it is a deadline")
	}
}

// stubborn is the value of [asCommand] for a process that goes on after the first signal.
const stubborn = "stubborn"

// TestSecondInterrupt checks that another Ctrl-C ends a command that does not stop, but not at once.
func TestSecondInterrupt(t *testing.T) {
	c, errs := process(t)
	c.Env = append(c.Env, asCommand+"="+stubborn)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	for done := false; !done; {
		_ = c.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			done = true
		case <-time.After(200 * time.Millisecond):
		}
	}
	if took := time.Since(start); took < 2*time.Second || c.ProcessState.ExitCode() != exitFailed {
		t.Errorf("exit %d after %v: %s", c.ProcessState.ExitCode(), took, errs)
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
