//go:build linux

package isolate

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// init defines the parts that the tests start.
func init() {
	Serve("echo", func(in io.Reader, out io.Writer) error {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			if err := syscall.Kill(os.Getpid(), s); err != nil {
				return err
			}
		}
		_, err := io.Copy(out, in)
		return err
	})
	Serve("crash", func(io.Reader, io.Writer) error { panic("the part is broken") })
	Serve("fail", func(io.Reader, io.Writer) error { return errors.New("the part has failed") })
	Serve("greedy", func(io.Reader, io.Writer) error {
		all := make([]byte, 3*memoryLimit/2)
		all[0] = 1
		return nil
	})
}

func start(t *testing.T, part string) *Process {
	t.Helper()
	p, err := Start(part)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProcess checks that a part survives signals that the program that started it receives too, that it answers, and
// that it ends when it is closed.
func TestProcess(t *testing.T) {
	p := start(t, "echo")
	answers := bufio.NewReader(p)
	for _, want := range []string{"one\n", "two\n"} {
		if _, err := io.WriteString(p, want); err != nil {
			t.Fatal(err)
		}
		if got, err := answers.ReadString('\n'); err != nil || got != want {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestProcessEnds(t *testing.T) {
	for part, want := range map[string]string{
		"crash": "exit status 2: panic: the part is broken", "fail": "exit status 1: the part has failed",
		"greedy": "exit status 2: runtime: out of memory",
	} {
		p := start(t, part)
		if n, err := io.ReadFull(p, make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%s: read %d, %v", part, n, err)
		}
		if err := p.Close(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", part, err, want)
		}
	}
}
