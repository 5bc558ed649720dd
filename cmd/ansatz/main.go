// Command ansatz verifies that trained networks learn the features that the
// average gradient outer product of their own predictor names.
package main

import (
	"context"
	"os"
)

func main() {
	ctx, stop := withSignals(withLifeline(context.Background()))
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
