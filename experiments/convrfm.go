package experiments

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvRFM is a convolutional recursive feature machine that has its examples.
type ConvRFM struct {
	spec     ConvRFMSpec
	machine  rfm.ConvMachine
	examples *imageExamples
	conv     ConvRFMConventions
}

// NewConvRFM opens what the spec names. All its errors are the input's.
func NewConvRFM(ctx context.Context, s ConvRFMSpec) (*ConvRFM, error) {
	m, err := s.machine()
	if err != nil {
		return nil, err
	}
	divide, err := s.divides()
	if err != nil {
		return nil, err
	}
	e, err := openImageExamples(ctx, s.ExamplesSpec, divide, s.Validation)
	if err != nil {
		return nil, err
	}
	switch {
	case divide:
		m.Validation = &e.validation
	case s.PaperMode && e.test.Y == nil:
		return nil, badInput("--paper-mode chooses on the test images, and %s has none: give --test-data", s.Data)
	case s.PaperMode:
		m.Validation = &e.test
	}
	m.Task, m.Memory = e.task, availableMemory()
	c := &ConvRFM{spec: s, machine: m, examples: e}
	c.describe()
	return c, checkReach(m, e)
}

// checkReach refuses images that are smaller than what the convolutions reach.
func checkReach(m rfm.ConvMachine, e *imageExamples) error {
	if m.Pad {
		return nil
	}
	least := m.Kernel.Depth()*(m.Patch-1) + 1
	if got := *e.shape; min(got.Height, got.Width) < least {
		return badInput("images of %v are too small for %d convolutions of %d×%d pixels, which need %d×%d: take a smaller --depth or --patch, larger images (--size), or --pad",
			got, m.Kernel.Depth(), m.Patch, m.Patch, least, least)
	}
	return nil
}

// Run fits and tests. Progress may be nil.
func (c *ConvRFM) Run(ctx context.Context, progress func(rfm.ConvProgress)) (*ConvRFMFit, error) {
	m := c.machine
	m.Progress = progress
	out := c.newFit()
	m.Each = func(it *rfm.ConvIteration) error { return out.add(ctx, it, progress) }
	start := time.Now()
	model, err := Setting{}.fitConv(ctx, "", m, c.examples.train)
	var memory *rfm.MemoryError
	if errors.As(err, &memory) {
		return nil, badInput("%w: take %s", err, c.whatFits(memory.Limit))
	}
	if err != nil {
		return nil, err
	}
	out.Seconds = time.Since(start).Seconds()
	out.finish(model)
	return out, nil
}

// whatFits names flags with which the machine would take no more than so many
// bytes.
func (c *ConvRFM) whatFits(limit int64) string {
	m, x := c.machine, c.examples.train.X
	_, outputs := c.examples.train.Y.Dims()
	flags := "fewer training images (--train)"
	n := sort.Search(x.Len(), func(k int) bool { return m.Bytes(x.Slice(0, k+1), outputs) > limit })
	if n > 0 {
		flags = fmt.Sprintf("at most --train %d", n)
	}
	if m.Layers > 1 {
		flags += ", fewer --filters"
	}
	return flags + ", smaller images (--size) or fewer --threads"
}
