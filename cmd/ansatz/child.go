package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// killAfter is the time that a process has to stop after SIGTERM.
const killAfter = 10 * time.Second

// runChild runs this program with other arguments and returns the end of its stderr. If ctx ends, the child
// gets SIGTERM and, after killAfter, is killed. It stays in the process group of this process, so that
// signals to the group reach it. If this process is killed, the child ends by its lifeline.
func runChild(ctx context.Context, args []string) (*tail, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, args...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = killAfter
	stderr := &tail{}
	c.Stderr = stderr
	theirs, ours, err := giveLifeline(c)
	if err != nil {
		return stderr, err
	}
	defer ours.Close()
	err = c.Start()
	theirs.Close()
	if err != nil {
		return stderr, err
	}
	return stderr, c.Wait()
}

// exitCode returns the exit code of a child from the error of [runChild]. ok is false if there is none: the child
// did not start, or a signal ended it.
func exitCode(err error) (code int, ok bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() < 0 {
		return 0, false
	}
	return exit.ExitCode(), true
}

// tail keeps the last tailBytes that are written to it.
type tail struct{ text []byte }

const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

// message returns the error message that a process ended with or, without one, its last line.
func (t *tail) message() string {
	text := strings.TrimSpace(string(t.text))
	if _, after, ok := strings.Cut(text, "Error: "); ok {
		return after
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
