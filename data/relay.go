package data

import (
	"context"
	"sync"
)

// A relay passes the batches of an epoch from workers to one consumer, in order. It uses
// its slots in turn: batch first+k goes through slot k modulo their number.
type relay struct {
	plan  *plan
	first int // the first batch
	slots []slot
	jobs  chan int // batches to make, whose slots are free
	team  sync.WaitGroup
}

// A slot holds a batch. A worker makes the batch and then signals that it is ready.
type slot struct {
	batch Batch
	err   error
	ready chan struct{} // with a buffer of one
}

func newRelay(p *Pipeline, epoch, first int) *relay {
	// One more slot, for the batch that the consumer has.
	slots := min(p.ahead()+1, p.Steps()-first)
	r := &relay{plan: newPlan(p, epoch), first: first, slots: make([]slot, slots), jobs: make(chan int, slots)}
	for k := range r.slots {
		r.slots[k].ready = make(chan struct{}, 1)
		r.jobs <- first + k
	}
	return r
}

// slot returns the slot of batch k.
func (r *relay) slot(k int) *slot { return &r.slots[(k-r.first)%len(r.slots)] }

// start starts the workers, which end when ctx is done.
func (r *relay) start(ctx context.Context) {
	for range min(r.plan.workers(), len(r.slots)) {
		r.team.Go(func() { r.work(ctx) })
	}
}

// wait waits for the workers to end.
func (r *relay) wait() { r.team.Wait() }

// work makes batches until ctx is done.
func (r *relay) work(ctx context.Context) {
	m := newMaker(r.plan)
	for {
		select {
		case k := <-r.jobs:
			s := r.slot(k)
			s.err = m.fill(ctx, k, &s.batch)
			s.ready <- struct{}{}
		case <-ctx.Done():
			return
		}
	}
}

// receive waits for batch k, and returns it or the error of making it.
func (r *relay) receive(ctx context.Context, k int) (Batch, error) {
	s := r.slot(k)
	select {
	case <-s.ready:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return Batch{}, context.Cause(ctx)
	}
	if s.err != nil {
		return Batch{}, s.err
	}
	return s.batch, nil
}

// giveBack frees the slot of batch k for the next batch that goes through it.
func (r *relay) giveBack(k int) {
	if next := k + len(r.slots); next < r.plan.Steps() {
		r.jobs <- next
	}
}
