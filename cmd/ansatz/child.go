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

// killAfter is how long a process that is told to stop may take to do it.
const killAfter = 10 * time.Second

// runChild runs this program with other arguments, and returns the end of what it
// wrote to stderr. If ctx ends, it is told SIGTERM, and killed if that does not help.
// It stays in the process group of this one, so that what stops the group stops it;
// if this process is killed, it ends by its lifeline.
func runChild(ctx context.Context, args []string) (*tail, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, self, args...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = killAfter
	said := &tail{}
	c.Stderr = said
	theirs, ours, err := giveLifeline(c)
	if err != nil {
		return said, err
	}
	defer ours.Close()
	err = c.Start()
	theirs.Close()
	if err != nil {
		return said, err
	}
	return said, c.Wait()
}

// exitCode is that of a child that ended with one; ok is false if it did not.
func exitCode(err error) (code int, ok bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() < 0 {
		return 0, false
	}
	return exit.ExitCode(), true
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

// message is the error that a process ended with; of one that died it is the last
// line.
func (t *tail) message() string {
	text := strings.TrimSpace(string(t.text))
	if _, after, is := strings.Cut(text, "Error: "); is {
		return after
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
