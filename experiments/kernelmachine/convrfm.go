package kernelmachine

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
)

// ConvRFM is a convolutional recursive feature machine that has its examples.
type ConvRFM struct {
	spec     ConvRFMSpec
	machine  rfm.ConvMachine
	examples *examples.ImageSet
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
	e, err := examples.OpenImages(ctx, s.Spec, divide, s.Validation)
	if err != nil {
		return nil, err
	}
	switch {
	case divide:
		m.Validation = &e.Validation
	case s.PaperMode && e.Test.Y == nil:
		return nil, input.Errorf("--paper-mode chooses on the test images, and %s has none: give --test-data", s.Data)
	case s.PaperMode:
		m.Validation = &e.Test
	}
	m.Task, m.Memory = e.Task, record.AvailableMemory()
	c := &ConvRFM{spec: s, machine: m, examples: e}
	c.describe()
	return c, checkReach(m, e)
}

// checkReach refuses images that are smaller than what the convolutions reach.
func checkReach(m rfm.ConvMachine, e *examples.ImageSet) error {
	if m.Pad {
		return nil
	}
	least := m.Kernel.Depth()*(m.Patch-1) + 1
	if got := *e.Shape; min(got.Height, got.Width) < least {
		return input.Errorf("images of %v are too small for %d convolutions of %d×%d pixels, which need %d×%d: take a smaller --depth or --patch, larger images (--size), or --pad",
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
	model, err := study.Setting{}.FitConv(ctx, "", m, c.examples.Train)
	var memory *rfm.MemoryError
	if errors.As(err, &memory) {
		return nil, input.Errorf("%w: take %s", err, c.whatFits(memory.Limit))
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
	m, x := c.machine, c.examples.Train.X
	_, outputs := c.examples.Train.Y.Dims()
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
