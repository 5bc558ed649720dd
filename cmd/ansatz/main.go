// Command ansatz verifies the neural feature ansatz: in a trained network WᵀW of each layer's filters is proportional
// to the average gradient outer product (AGOP) at the patches that the layer reads.
package main

import (
	"context"
	"os"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/internal/memory"
)

func main() {
	memory.UseCollector()
	if err := memory.UseLimit(); err != nil {
		os.Exit(study.ReportError(os.Stderr, err))
	}
	memory.UseHugePages()
	ctx, stop := withSignals(withLifeline(context.Background()))
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
