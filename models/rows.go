package models

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Rows implements [Batches] for examples in memory. Pixels holds them one after another, Size values each.
// They have Labels, or Targets with the same number of values for every example.
type Rows struct {
	Pixels  []float32
	Size    int
	Labels  []int
	Targets []float32
	// Batch is the number of examples of a batch; 0 is all examples. The last batch of an epoch may have fewer.
	Batch int
	// Seed determines the random order of the examples in every epoch. InOrder keeps their original order.
	Seed    uint64
	InOrder bool
}

// Len returns the number of examples.
func (r *Rows) Len() int { return len(r.Pixels) / r.Size }

// BatchSize returns the number of examples of every batch but the last.
func (r *Rows) BatchSize() int {
	if n := r.Len(); r.Batch == 0 || r.Batch > n {
		return n
	}
	return r.Batch
}

// Steps implements [Batches].
func (r *Rows) Steps() int { return 1 + (r.Len()-1)/r.BatchSize() }

// Epoch implements [Batches].
func (r *Rows) Epoch(_ context.Context, epoch, from int) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		batch := r.BatchSize()
		var b Batch
		for rows := range slices.Chunk(r.order(epoch)[min(from*batch, r.Len()):], batch) {
			r.read(&b, rows)
			if !yield(b, nil) {
				return
			}
		}
	}
}

// order returns the order of the examples in an epoch.
func (r *Rows) order(epoch int) []int {
	if !r.InOrder {
		return Stream(r.Seed, fmt.Sprintf("order of epoch %d", epoch)).Perm(r.Len())
	}
	all := make([]int, r.Len())
	for i := range all {
		all[i] = i
	}
	return all
}

// read sets a batch to the given examples.
func (r *Rows) read(b *Batch, rows []int) {
	outputs := len(r.Targets) / r.Len()
	b.Pixels, b.Labels, b.Targets = b.Pixels[:0], b.Labels[:0], b.Targets[:0]
	for _, i := range rows {
		b.Pixels = append(b.Pixels, r.Pixels[i*r.Size:(i+1)*r.Size]...)
		b.Targets = append(b.Targets, r.Targets[i*outputs:(i+1)*outputs]...)
		if r.Labels != nil {
			b.Labels = append(b.Labels, r.Labels[i])
		}
	}
}
