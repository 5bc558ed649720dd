package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ansatz-lab/ansatz/experiments"
)

// killAfter is how long a job that is told to stop may take to do it.
const killAfter = 10 * time.Second

// job makes a seed in a process of its own. It stays in the process group of this
// one, so that what stops the group stops it.
func (w *runWork) job(ctx context.Context, s experiments.PlannedSeed) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, w.jobArgs(s)...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = killAfter
	said := &tail{}
	c.Stderr = said
	err = c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &exit):
		return err
	case exit.ExitCode() == exitResume:
		return &experiments.InterruptedError{Checkpoint: w.out}
	case exit.ExitCode() == exitUsage:
		return &experiments.InputError{Err: errors.New(said.message())}
	case said.message() == "":
		return exit // it was killed
	}
	return errors.New(said.message())
}

// jobArgs are the arguments of such a process.
func (w *runWork) jobArgs(s experiments.PlannedSeed) []string {
	args := []string{
		"run", s.Run.Experiment.ID, "--only-seeds", "--scale", string(s.Run.Scale), "--seed", strconv.FormatUint(s.Seed, 10), "--seeds", "1",
		"--threads", strconv.Itoa(max(1, w.threads/w.flags.jobs)), "--out", w.out, "--quiet",
	}
	if w.flags.spec != "" {
		args = append(args, "--spec", w.flags.spec)
	}
	if w.dataDir != "" {
		args = append(args, "--data-dir", w.dataDir)
	}
	return args
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const tailBytes = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

// message is the error that a job ended with; of a job that died it is the last
// line.
func (t *tail) message() string {
	text := strings.TrimSpace(string(t.text))
	if _, after, is := strings.Cut(text, "Error: "); is {
		return after
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
