// Package isolate runs parts of the program that may crash, such as C libraries that read files of
// others, in processes of their own, so that a crash is an error and not the end of the program.
//
// # Where to begin
//
// A package calls [Serve] in an init function with what the other process does, and [Start] to start
// that process. They exchange what they like through its standard input and output.
package isolate

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// variable is the environment variable that names the part that a process is to run.
const variable = "ANSATZ_PART"

// Serve runs serve on standard input and output and then ends the process, if [Start] started it for
// the part of that name. In every other process it does nothing. serve returns at the end of its input.
func Serve(part string, serve func(in io.Reader, out io.Writer) error) {
	if os.Getenv(variable) != part {
		return
	}
	// The program that started this one gets the terminal's and the scheduler's signals too. When it
	// ends, so does the input.
	signal.Ignore()
	limitMemory(memoryLimit)
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// memoryLimit is how many bytes the memory of a part may grow by.
const memoryLimit = 4 << 30

// Process is a part that runs. It ends when it is closed, or garbage.
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

// Start starts this program again for the part of that name, which one of its packages serves.
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
	// The goroutine does not hold p: the pipes of one that is garbage are closed, and the process ends.
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

// Close ends the process and waits for that. It returns an error if the process crashed, which says
// how, with the first line that it wrote to standard error.
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
