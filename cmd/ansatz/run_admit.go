package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// askAbove is the time in seconds above which a command asks before it runs.
const askAbove = 3600

// admit logs the estimated cost of a plan. It returns a usage error if the plan does not fit into memory,
// or if it takes long and the user does not confirm it.
func (a *app) admit(ctx context.Context, p *study.Plan, f runFlags, threads int) error {
	available := record.AvailableMemory()
	if f.memoryGiven {
		available = int64(f.memory * (1 << 30))
	}
	if err := p.CheckMemory(f.jobs, threads, available); err != nil {
		return err
	}
	e := p.Estimate(f.jobs, threads)
	if !(e.Seconds > askAbove || e.Unsure) || f.yes {
		a.logf("%v.", e)
		return nil
	}
	if progress.IsTerminal(a.err) && progress.IsTerminal(os.Stdin) {
		if confirm(ctx, os.Stdin, a.err, fmt.Sprintf("%v. Run it? [y/N] ", e)) {
			return nil
		}
		return usageError{fmt.Errorf("nothing was run")}
	}
	return usageError{fmt.Errorf("%v: --yes runs it", e)}
}

// confirm asks a question and says whether the answer is yes.
func confirm(ctx context.Context, in io.Reader, out io.Writer, question string) bool {
	fmt.Fprint(out, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n') // an error leaves the line empty, which is no yes
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return false
	case line := <-answer:
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes"
	}
}
