// Package isolate runs parts of the program that may crash, such as C libraries that read other people's files, in
// separate processes, so that a crash is an error and does not end the program.
//
// # Where to begin
//
// A package calls [Serve] in an init function with the work of the other process, and [Start] to start that process.
// They exchange data through its standard input and output, in any format.
package isolate

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// variable is the environment variable that names the part that a process must run.
const variable = "ANSATZ_PART"

// Serve does nothing unless [Start] started this process for the part of that name. Then it runs serve on standard
// input and output, and ends the process. serve must return at the end of its input.
func Serve(part string, serve func(in io.Reader, out io.Writer) error) {
	if os.Getenv(variable) != part {
		return
	}
	// The parent process gets the terminal's and the scheduler's signals too. When it ends, this process's input ends.
	signal.Ignore()
	limitMemory(memoryLimit)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// memoryLimit is the number of bytes by which the memory of a part may grow.
const memoryLimit = 4 << 30

// Process is a running part. It ends when it is closed or garbage collected.
type Process struct {
	in, out *os.File
	end     *ending
}

// ending says how a process ended, once over is closed.
type ending struct {
	over   chan struct{}
	err    error
	stderr head
}

// Start starts this program again to run the part of that name, which one of its packages serves.
func Start(part string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("isolate: %w", err)
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("isolate: %w", err)
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("isolate: %w", err)
	}
	defer theirOut.Close()
	p := &Process{in: in, out: out, end: &ending{over: make(chan struct{})}}
	c := exec.Command(self)
	c.Env = append(os.Environ(), variable+"="+part)
	c.Stdin, c.Stdout, c.Stderr = theirIn, theirOut, &p.end.stderr
	if err := c.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("isolate: %w", err)
	}
	// The goroutine must not refer to p, so that an unreachable p is collected. Its pipes then close, and the process ends.
	go func(end *ending) {
		end.err = c.Wait()
		close(end.over)
	}(p.end)
	return p, nil
}

// Write writes to the input of the process.
func (p *Process) Write(b []byte) (int, error) { return p.in.Write(b) }

// Read reads from the output of the process.
func (p *Process) Read(b []byte) (int, error) { return p.out.Read(b) }

// Close ends the process and waits until it has ended. If the process crashed, the error says how, with the first line
// of its standard error.
func (p *Process) Close() error {
	p.in.Close()
	p.out.Close()
	<-p.end.over
	if p.end.err == nil {
		return nil
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(p.end.stderr)), "\n")
	if line == "" {
		return fmt.Errorf("the process that read it ended: %w", p.end.err)
	}
	return fmt.Errorf("the process that read it ended: %w: %s", p.end.err, line)
}

// head keeps the first headBytes that are written to it.
type head []byte

const headBytes = 1 << 10

func (h *head) Write(b []byte) (int, error) {
	*h = append(*h, b[:min(len(b), headBytes-len(*h))]...)
	return len(b), nil
}
