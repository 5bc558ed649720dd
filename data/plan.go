package data

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// A plan is which images the batches of an epoch have, and how each is seen.
type plan struct {
	*Pipeline
	order  []int  // the images by position; nil for that of the set
	stream string // of the augmentations
}

func newPlan(p *Pipeline, epoch int) *plan {
	l := &plan{Pipeline: p, stream: fmt.Sprintf("pipeline/augmentation/epoch %d", epoch)}
	if !p.Sequential {
		pcg := rand.NewPCG(0, 0)
		seedStream(pcg, p.Seed, "pipeline/order", uint64(epoch))
		l.order = rand.New(pcg).Perm(p.Dataset.Len())
	}
	return l
}

// image returns the image at a position of the epoch.
func (l *plan) image(position int) int {
	if l.order == nil {
		return position
	}
	return l.order[position]
}

// A maker makes batches to a plan. It is not safe for concurrent use.
type maker struct {
	*plan
	reader *reader
	pcg    *rand.PCG
	rng    *rand.Rand // of pcg
}

func newMaker(l *plan) *maker {
	pcg := rand.NewPCG(0, 0)
	return &maker{plan: l, reader: newReader(l.Dataset, l.Normalisation), pcg: pcg, rng: rand.New(pcg)}
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
