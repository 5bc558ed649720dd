// Command ansatz verifies the neural feature ansatz: in a trained network WᵀW of each layer's filters is proportional
// to the average gradient outer product (AGOP) at the patches that the layer reads.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/memory"
)

// gcPercent is the default of GOGC: the garbage that may pile up before a collection, in percent of the memory in use.
// Most of it is large arrays of numbers, which cost nothing to collect.
const gcPercent = 40

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if err := memory.UseLimit(); err != nil {
		os.Exit(study.ReportError(os.Stderr, err))
	}
	memory.UseHugePages()
	ctx, stop := withSignals(withLifeline(context.Background()))
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
