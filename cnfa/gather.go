package cnfa

import (
	"context"
	"fmt"
	"sync"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// gatherer computes the moments of the cotangents at the chosen layers of a network, as often as needed. It
// prepares its devices, programs and their memory once.
type gatherer struct {
	net      *models.Network
	layers   []models.LayerInfo
	heads    bool // attention heads are measured too
	o        Options
	groups   span // the groups of images to compute
	workers  []*worker
	labelled bool          // some image has a label
	drawing  chan struct{} // holds an element for each draw of a null that is being made
}

// span is the groups from ≤ k < to.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// gathered holds the moments of the cotangents at the chosen layers.
type gathered struct {
	layers            []*measuredLayer
	labelled, correct int
}

// groupResult holds the moments and counts of one group of images.
type groupResult struct {
	images            int
	moments           []moment.Moment
	loss              []LossMoments // of every layer, if statements need them
	folded            []folded      // of every layer: what is kept of the moments
	labelled, correct int
}

// newGatherer prepares workers for some of the groups, each on a separate device with
// one thread. With heads, it collects the moments of attention heads too.
func newGatherer(net *models.Network, o Options, groups span, heads bool) (*gatherer, error) {
	g := &gatherer{net: net, o: o, groups: groups, heads: heads}
	if g.layers = o.Chosen(net); len(g.layers) == 0 {
		return nil, fmt.Errorf("cnfa: no layer of %s matches %v", net.Arch.Name, o.Layers)
	}
	workers := min(backend.Workers(o.Backend, o.Threads), groups.len())
	if err := g.fits(int64(workers) * g.leastSumBytes()); err != nil {
		return nil, err
	}
	for range workers {
		w, err := newWorker(net, g.layers, o)
		if err != nil {
			g.close()
			return nil, err
		}
		g.workers = append(g.workers, w)
	}
	need := int64(0)
	for _, w := range g.workers {
		batches := int64((o.largestGroup() + w.batch - 1) / w.batch)
		need += w.moments.ValueBytes() + w.moments.SumBytes(batches)
		if w.loss != nil {
			need += w.loss.bytes(batches)
		}
	}
	if err := g.fits(need); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// close frees the workers, their devices and their memory.
func (g *gatherer) close() {
	for _, w := range g.workers {
		w.device.Close()
	}
	g.workers = nil
}

// gather divides the groups of images among the workers, and adds up their results in the order of the groups,
// so that the sums are the same to the bit for any number of workers.
func (g *gatherer) gather(ctx context.Context, set Images) (*gathered, error) {
	sums, err := g.sums(ctx)
	if err != nil {
		return nil, err
	}
	return sums, g.run(ctx, set, sums.fold, func(_ int, r *groupResult) error {
		sums.add(r)
		return nil
	})
}

// sums returns empty sums for all layers.
func (g *gatherer) sums(ctx context.Context) (*gathered, error) {
	sums := &gathered{layers: make([]*measuredLayer, len(g.layers))}
	return sums, parallel.Run(ctx, g.o.Threads, len(g.layers), nil,
		func(int) (func(context.Context, int) error, error) {
			return func(_ context.Context, i int) (err error) {
				sums.layers[i], err = g.emptySums(g.layers[i])
				return err
			}, nil
		})
}

// emptySums returns empty sums for a layer.
func (g *gatherer) emptySums(l models.LayerInfo) (*measuredLayer, error) {
	m, n := newMeasuredLayer(l, g.heads, g.o.Precision, func() *mat.Dense { return g.net.Filters(l.Name) }), g.o.needs()
	if n == (needs{}) {
		return m, nil
	}
	w := g.net.Filters(l.Name)
	w0, err := g.initial(w, l)
	if err != nil {
		return nil, err
	}
	m.others = newStatementSums(l, n, g.o, m.whole, w, w0)
	return m, nil
}

// inOrder passes on the results of groups in the order of the groups.
type inOrder struct {
	next    int // the next group to be added
	waiting map[int]*groupResult
	add     func(k int, r *groupResult) error
}

// accept takes the result of group k, and passes on all results that are next in order.
func (o *inOrder) accept(k int, r *groupResult) error {
	o.waiting[k] = r
	for ; o.waiting[o.next] != nil; o.next++ {
		if err := o.add(o.next, o.waiting[o.next]); err != nil {
			return err
		}
		delete(o.waiting, o.next)
	}
	return nil
}

// run makes the workers compute all groups. It calls fold with every result, concurrently, and then add with the results
// in the order of the groups, from one goroutine at a time.
func (g *gatherer) run(ctx context.Context, set Images, fold func(r *groupResult),
	add func(k int, r *groupResult) error) error {
	defer backend.OneBLASThread()() // the sums are the same to the bit for any number of threads
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
		return order.accept(k, r)
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
					fold(r)
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

// fold replaces the moments of a result by the part that is kept, see [measuredLayer.fold].
func (g *gathered) fold(r *groupResult) {
	for i, m := range r.moments {
		var loss LossMoments
		if r.loss != nil {
			loss, r.loss[i] = r.loss[i], loss
		}
		r.folded = append(r.folded, g.layers[i].fold(Group{r.images, m}, loss))
		r.moments[i] = moment.Moment{}
	}
}

// add adds a result that was folded.
func (g *gathered) add(r *groupResult) {
	g.labelled += r.labelled
	g.correct += r.correct
	shared := sharedInputs{}
	for i, all := range r.folded {
		g.layers[i].add(all, shared)
	}
}

// MemoryError says that a verification needs more memory than [Options.Memory], both in bytes.
type MemoryError struct{ Need, Limit int64 }

// Error names both sizes, and the options that reduce the need.
func (e *MemoryError) Error() string {
	return fmt.Sprintf(
		"this would take about %s of memory, the limit is %s: use fewer threads (--threads 1), fewer layers "+
			"(--layers), fewer groups (--groups 5) or probes (--outputs probes:16)",
		words.Bytes(e.Need), words.Bytes(e.Limit))
}

// InputError returns true: the request exceeds the memory.
func (e *MemoryError) InputError() bool { return true }

// leastSumBytes returns a lower bound on the memory of a worker's sums, before there is a worker. It counts the layers with
// so many vectors per image that their moments are held as matrices, in the graph's precision and in float64.
func (g *gatherer) leastSumBytes() (sum int64) {
	passes := graph.Outputs{Probes: g.o.Probes}.Passes(g.net.Classes)
	for _, l := range g.layers {
		if c := int64(l.BlockFilters()); l.Blocks() > 1 || 2*int64(l.Positions)*int64(passes) > c {
			sum += (8 + 4) * int64(l.Blocks()) * c * c
		}
	}
	return sum
}

// fits returns a [*MemoryError] if a run would need more than [Options.Memory] in addition to the network; workers is the
// memory of the workers.
func (g *gatherer) fits(workers int64) error {
	o := g.o
	if o.Memory == 0 {
		return nil
	}
	perGroup := o.largestGroup() * graph.Outputs{Probes: o.Probes}.Passes(g.net.Classes)
	need, largest := workers, int64(0)
	for _, l := range g.layers {
		b, c, d := int64(l.Blocks()), int64(l.BlockFilters()), int64(l.PatchSize())
		need += b * momentBytes(c, d, int64(g.groups.len()), int64(perGroup*l.Positions))
		if g.heads {
			need += headBytes(l, int64(g.groups.len()))
		}
		need += o.needs().bytes(l, o)
		largest = max(largest, b*8*(3*c*d+6*c*c)) // W, W₀ and their products
	}
	if need += largest * int64(o.Threads); need > o.Memory {
		return &MemoryError{Need: need, Limit: o.Memory}
	}
	return nil
}

// headBytes returns an upper bound on the memory of the moments of a layer's heads.
func headBytes(l models.LayerInfo, groups int64) int64 {
	if l.Heads == 0 {
		return 0
	}
	c, h := int64(l.Filters), int64(l.Heads)
	n := c / h
	if l.HeadColumns {
		n = min(c, int64(l.PatchSize())/h)
	}
	return 8 * h * (groups + 1) * n * n
}

// momentBytes returns the memory of the moments of a block with c filters on patches of d elements, for groups
// with the given number of vectors.
func momentBytes(c, d, groups, vectors int64) int64 {
	if few := vectors * c; few < c*c/2 {
		return 8 * groups * few
	}
	r := min(c, d)
	return 8 * (groups*r*r + c*c)
}
