package data

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
)

// Pipeline makes the mini-batches of a dataset, epoch after epoch, while training consumes them: it reads, augments and
// normalises images.
//
// The order of an epoch and every random choice depend only on the seed, the number of the epoch and the position in
// it. They do not depend on the number of workers, nor on the batch from which an epoch is resumed.
//
// It is safe for concurrent use while its fields do not change.
type Pipeline struct {
	// Dataset is the set to read. It must not be nil.
	Dataset Dataset

	// Normalisation is applied to every image, after its augmentation.
	Normalisation Normalisation

	// Augmentation changes every image at random; the zero value does not.
	Augmentation Augmentation

	// Batch is the number of images of a batch. The last batch of an epoch may have fewer, as in PyTorch's DataLoader.
	Batch int

	// Sequential keeps the order of the set, for evaluation. Otherwise each epoch has its own random order.
	Sequential bool

	// Block is for sets that do not fit into memory and are slow to read in random order. If it is above 0, that many
	// consecutive images form a block, the blocks come in random order, and the images of 16 blocks at a time are
	// shuffled: a disk reads long runs, and a batch has images from 16 places. If the set is sorted by class, a batch
	// then has few classes: use small blocks. With 0, all images are shuffled, which is more random and takes 8 bytes
	// per image.
	Block int

	// Seed determines the orders and the augmentations.
	Seed uint64

	// Workers is the number of goroutines that make batches, each a whole batch at a time. 0 means GOMAXPROCS if images
	// are decoded ([Decodes]), else half of that: one on two cores, which keeps up with training.
	Workers int

	// Ahead is the number of batches made in advance; 0 means two per worker. The pipeline keeps at most Ahead+1 batches
	// in memory, and runs at most that many workers.
	Ahead int
}

// Batch holds images and their labels.
type Batch struct {
	Index  int       // of the batch in its epoch, from 0
	Pixels []float32 // in image, row, column, channel order
	Labels []int     // by image, -1 for an image without one
}

// Steps returns the number of batches of an epoch. The pipeline must have passed Check.
func (p *Pipeline) Steps() int { return 1 + (p.Dataset.Len()-1)/p.Batch }

// Check returns an error unless the pipeline can make batches: the set must have images,
// Batch be at least 1, no field be negative, and normalisation and augmentation fit.
func (p *Pipeline) Check() error {
	switch {
	case p.Dataset.Len() == 0:
		return fmt.Errorf("data: batches of %s: it has no images", p.Dataset.Name())
	case p.Batch < 1:
		return fmt.Errorf("data: batches of %d images: expected at least 1", p.Batch)
	case p.Workers < 0 || p.Ahead < 0 || p.Block < 0:
		return fmt.Errorf("data: batches by %d workers, %d ahead, in blocks of %d: expected at least 0",
			p.Workers, p.Ahead, p.Block)
	}
	if err := p.Normalisation.Check(p.Dataset.Shape().Channels); err != nil {
		return err
	}
	return p.Augmentation.Check(p.Dataset.Shape())
}

// Epoch returns the batches from ≤ k < Steps() of an epoch, in order. A batch is valid until the loop requests the next.
//
// The first error ends the epoch: an error of Check, a negative epoch, a from outside [0, Steps()], an image that cannot
// be read, which the error names, or the cause of ctx being done. When the loop ends, in whatever way, all workers have
// ended too.
func (p *Pipeline) Epoch(ctx context.Context, epoch, from int) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		if err := p.checkEpoch(epoch, from); err != nil {
			yield(Batch{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		r := newRelay(p, epoch, from)
		r.start(ctx)
		defer r.wait()
		defer cancel()
		for k := from; k < p.Steps(); k++ {
			b, err := r.receive(ctx, k)
			if !yield(b, err) || err != nil {
				return
			}
			r.giveBack(k)
		}
	}
}

func (p *Pipeline) checkEpoch(epoch, from int) error {
	if err := p.Check(); err != nil {
		return err
	}
	if n := p.Steps(); epoch < 0 || from < 0 || from > n {
		return fmt.Errorf("data: batch %d of epoch %d: expected batches 0 to %d of epochs from 0", from, epoch, n)
	}
	return nil
}

// workers returns the number of goroutines that make batches.
func (p *Pipeline) workers() int {
	if p.Workers > 0 {
		return p.Workers
	}
	if Decodes(p.Dataset) {
		return runtime.GOMAXPROCS(0)
	}
	return max(1, runtime.GOMAXPROCS(0)/2)
}

// ahead returns the number of batches made in advance.
func (p *Pipeline) ahead() int {
	if p.Ahead > 0 {
		return p.Ahead
	}
	return 2 * p.workers()
}

// A plan determines the images of an epoch's batches and their augmentations.
type plan struct {
	*Pipeline
	newOrder func() order
	stream   string // the random stream of the augmentations
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

// A maker makes batches by a plan. It is not safe for concurrent use.
type maker struct {
	*plan
	order
	reader *reader
	pcg    *rand.PCG
	rng    *rand.Rand // draws from pcg
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

// view draws the view of the image at a position.
func (m *maker) view(position int) view {
	if m.Augmentation == (Augmentation{}) {
		return view{}
	}
	seedStream(m.pcg, m.Seed, m.stream, uint64(position))
	return m.Augmentation.view(m.rng)
}

// resize makes b batch k, with n images of that many pixels.
func (b *Batch) resize(k, n, pixels int) {
	b.Index = k
	if cap(b.Labels) < n {
		b.Pixels, b.Labels = make([]float32, n*pixels), make([]int, n)
	}
	b.Pixels, b.Labels = b.Pixels[:n*pixels], b.Labels[:n]
}
