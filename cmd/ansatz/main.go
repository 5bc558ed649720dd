// Command ansatz verifies that trained networks learn the features that the
// average gradient outer product of their own predictor names.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/memory"
)

// garbage is how much memory may wait to be collected, as a share of that in use in percent. Most of it is large arrays
// of numbers, which cost nothing to collect.
const garbage = 40

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if err := memory.UseLimit(); err != nil {
		os.Exit(study.ReportError(os.Stderr, err))
	}
	ctx, stop := withSignals(withLifeline(context.Background()))
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
