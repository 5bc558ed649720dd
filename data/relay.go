package data

import (
	"context"
	"sync"
)

// A relay hands the batches of an epoch from workers to one taker, in order.
// Its slots are used in turn: the batch k after the first goes through slot k
// modulo their number.
type relay struct {
	plan  *plan
	first int // batch
	slots []slot
	jobs  chan int // the batches whose slots are free
	team  sync.WaitGroup
}

// A slot holds a batch. Its worker makes the batch and then says that it is
// ready.
type slot struct {
	batch Batch
	err   error
	ready chan struct{} // of one element
}

func newRelay(p *Pipeline, epoch, first int) *relay {
	// One slot more, for the batch that the taker has.
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

// receive returns batch k, or the error in making it.
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

// giveBack frees the slot of batch k for the one that comes next to it.
func (r *relay) giveBack(k int) {
	if next := k + len(r.slots); next < r.plan.Steps() {
		r.jobs <- next
	}
}
