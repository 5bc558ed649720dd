package data

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// A plan is which images the batches of an epoch have, and how each is seen.
type plan struct {
	*Pipeline
	newOrder func() order
	stream   string // of the augmentations
}

func newPlan(p *Pipeline, epoch int) *plan {
	l := &plan{Pipeline: p, stream: fmt.Sprintf("pipeline/augmentation/epoch %d", epoch)}
	switch {
	case p.Sequential:
		l.newOrder = func() order { return inOrder{} }
	case p.Block > 0:
		b := newBlocks(p.Dataset.Len(), p.Block, p.Seed, epoch)
		l.newOrder = func() order { return b.newOrder() }
	default:
		pcg := rand.NewPCG(0, 0)
		seedStream(pcg, p.Seed, "pipeline/order", uint64(epoch))
		whole := wholeOrder(rand.New(pcg).Perm(p.Dataset.Len()))
		l.newOrder = func() order { return whole }
	}
	return l
}

// A maker makes batches to a plan. It is not safe for concurrent use.
type maker struct {
	*plan
	order
	reader *reader
	pcg    *rand.PCG
	rng    *rand.Rand // of pcg
}

func newMaker(l *plan) *maker {
	pcg := rand.NewPCG(0, 0)
	return &maker{plan: l, order: l.newOrder(), reader: newReader(l.Dataset, l.Normalisation), pcg: pcg,
		rng: rand.New(pcg)}
}

// fill makes batch k in the memory of b. It stops when ctx is done.
func (m *maker) fill(ctx context.Context, k int, b *Batch) error {
	lo, hi := k*m.Batch, min((k+1)*m.Batch, m.Dataset.Len())
	pixels := m.Dataset.Shape().Pixels()
	b.resize(k, hi-lo, pixels)
	for at := range b.Labels {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		i, v := m.image(lo+at), m.view(lo+at)
		var err error
		if b.Labels[at], err = m.reader.read(i, v, b.Pixels[at*pixels:][:pixels]); err != nil {
			return fmt.Errorf("data: image %d of %s: %w", i, m.Dataset.Name(), err)
		}
	}
	return nil
}

// view returns how the image at a position is seen.
func (m *maker) view(position int) view {
	if m.Augmentation == (Augmentation{}) {
		return view{}
	}
	seedStream(m.pcg, m.Seed, m.stream, uint64(position))
	return m.Augmentation.view(m.rng)
}

// resize makes b batch k, of n images.
func (b *Batch) resize(k, n, pixels int) {
	b.Index = k
	if cap(b.Labels) < n {
		b.Pixels, b.Labels = make([]float32, n*pixels), make([]int, n)
	}
	b.Pixels, b.Labels = b.Pixels[:n*pixels], b.Labels[:n]
}
