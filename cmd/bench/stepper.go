package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// stepper is a process that takes training steps. It reads a number of steps from each line, and answers
// with their median time in milliseconds. When its input ends, it prints its largest resident size in bytes.
type stepper struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func newStepper(ctx context.Context, name string, args ...string) (*stepper, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Env, c.Stderr = environment(), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	return &stepper{cmd: c, in: in, out: bufio.NewReader(out)}, nil
}

// step lets the process take n steps and returns their median time in milliseconds.
func (s *stepper) step(n int) (ms float64, err error) {
	if _, err := fmt.Fprintln(s.in, n); err != nil {
		return 0, err
	}
	return s.answer()
}

// memory ends the process and returns its largest resident size in bytes.
func (s *stepper) memory() (float64, error) {
	if err := s.in.Close(); err != nil {
		return 0, err
	}
	return s.answer()
}

func (s *stepper) answer() (v float64, err error) {
	line, err := s.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.cmd.Path, err)
	}
	_, err = fmt.Sscan(line, &v)
	return v, err
}

func (s *stepper) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}
