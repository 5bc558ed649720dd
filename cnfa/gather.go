package cnfa

import (
	"context"
	"fmt"
	"sync"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// gatherer takes the cotangents' moments of chosen layers of a network, as often
// as it is asked to: its devices, programs and their memory are there once.
type gatherer struct {
	net     *models.Network
	layers  []models.LayerInfo
	o       Options
	groups  span // of images, that are gathered
	workers []*worker
}

// span is the groups from ≤ k < to.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// gathered is the cotangents' moments of the chosen layers.
type gathered struct {
	layers            []*moments
	labelled, correct int
}

// groupResult is what a worker found in one group of images.
type groupResult struct {
	images            int
	moments           []graph.Moment
	labelled, correct int
}

// newGatherer prepares workers for some of the groups, each on a device with one
// thread of its own.
func newGatherer(net *models.Network, o Options, groups span) (*gatherer, error) {
	g := &gatherer{net: net, o: o, groups: groups}
	if g.layers = o.choose(net); len(g.layers) == 0 {
		return nil, fmt.Errorf("cnfa: no layer of %s matches %v", net.Arch.Name, o.Layers)
	}
	for range min(o.Threads, groups.len()) {
		w, err := newWorker(net, g.layers, o)
		if err != nil {
			g.close()
			return nil, err
		}
		g.workers = append(g.workers, w)
	}
	if err := g.fits(); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (g *gatherer) close() {
	for _, w := range g.workers {
		w.device.Close()
	}
}

// gather shares the groups of images among the workers and adds up what they
// find in the order of the groups: the sums are the same to the bit for any
// number of workers.
func (g *gatherer) gather(ctx context.Context, set Images) (*gathered, error) {
	sums, err := g.sums()
	if err != nil {
		return nil, err
	}
	return sums, g.run(ctx, set, func(_ int, r *groupResult) error {
		sums.add(r)
		return nil
	})
}

// sums prepares those of all layers.
func (g *gatherer) sums() (*gathered, error) {
	sums := new(gathered)
	for _, l := range g.layers {
		m, err := newMoments(l.Filters, l.PatchSize(), func() *mat.Dense { return g.net.Filters(l.Name) })
		if err != nil {
			return nil, err
		}
		sums.layers = append(sums.layers, m)
	}
	return sums, nil
}

// inOrder hands on what was found in groups in their order.
type inOrder struct {
	next    int // the next group to be added
	waiting map[int]*groupResult
	add     func(k int, r *groupResult) error
}

// take takes up a group, and hands on those whose turn it is.
func (o *inOrder) take(k int, r *groupResult) error {
	o.waiting[k] = r
	for ; o.waiting[o.next] != nil; o.next++ {
		if err := o.add(o.next, o.waiting[o.next]); err != nil {
			return err
		}
		delete(o.waiting, o.next)
	}
	return nil
}

// run has the workers go through the groups, and add called with each in their
// order, by one goroutine at a time.
func (g *gatherer) run(ctx context.Context, set Images, add func(k int, r *groupResult) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		done   int
		order  = inOrder{g.groups.from, map[int]*groupResult{}, add}
		passes = graph.Outputs{Probes: g.o.Probes}.Passes(g.net.Classes)
		images = g.o.groupStart(g.groups.to) - g.o.groupStart(g.groups.from)
	)
	finish := func(k int, r *groupResult) error {
		mu.Lock()
		defer mu.Unlock()
		return order.take(k, r)
	}
	advance := func(n int) {
		mu.Lock()
		defer mu.Unlock()
		done += n
		g.o.report(Progress{"gradients", done * passes, images * passes})
	}
	for i, w := range g.workers {
		wg.Go(func() {
			w.update(g.net)
			for k := g.groups.from + i; k < g.groups.to; k += len(g.workers) {
				r, err := w.group(ctx, set, k, advance)
				if err == nil {
					err = finish(k, r)
				}
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (g *gathered) add(r *groupResult) {
	g.labelled += r.labelled
	g.correct += r.correct
	for i, m := range r.moments {
		g.layers[i].add(Group{r.images, m})
	}
}
