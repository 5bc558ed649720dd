package cnfa

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// gathered is the cotangents' moments of the chosen layers.
type gathered struct {
	layers            []*moments
	labelled, correct int
	backend           string
	batch             int
}

// groupResult is what a worker found in one group of images.
type groupResult struct {
	images            int
	moments           []graph.Moment
	labelled, correct int
}

// gather shares the groups of images among workers, each on a device with one
// thread of its own, and adds up what they find in the order of the groups: the
// sums are the same to the bit for any number of workers.
func gather(ctx context.Context, net *models.Network, set Images, layers []models.LayerInfo, o Options) (*gathered, error) {
	g := &gathered{}
	for _, l := range layers {
		m, err := newMoments(l.Filters, l.PatchSize(), func() *mat.Dense { return net.Filters(l.Name) })
		if err != nil {
			return nil, err
		}
		g.layers = append(g.layers, m)
	}
	count := min(o.Threads, o.Groups)
	workers := make([]*worker, 0, count)
	defer func() {
		for _, w := range workers {
			w.device.Close()
		}
	}()
	for range count {
		w, err := newWorker(net, layers, o)
		if err != nil {
			return nil, err
		}
		workers = append(workers, w)
	}
	g.backend, g.batch = workers[0].device.Name(), workers[0].batch
	if err := g.fits(workers, layers, o, net.Classes); err != nil {
		return nil, err
	}
	return g, g.run(ctx, workers, set, o, net.Classes)
}

// MemoryError says that a verification would take more memory than it may.
type MemoryError struct{ Need, Limit int64 }

func (e *MemoryError) Error() string {
	return fmt.Sprintf("this would take about %.1f GB, there are %.1f GB: take fewer threads (--threads 1), fewer layers (--layers), fewer groups (--groups 5) or probes (--outputs probes:16)",
		float64(e.Need)/1e9, float64(e.Limit)/1e9)
}

// fits estimates the memory that a run takes besides the network's own.
func (g *gathered) fits(workers []*worker, layers []models.LayerInfo, o Options, classes int) error {
	if o.Memory == 0 {
		return nil
	}
	perGroup := (o.Images + o.Groups - 1) / o.Groups * graph.Outputs{Probes: o.Probes}.Passes(classes)
	need, largest := int64(0), int64(0)
	for _, w := range workers {
		need += w.moments.ValueBytes() + w.moments.SumBytes()
	}
	for i, l := range layers {
		need += g.layers[i].bytes(o.Groups, perGroup*l.Positions)
		c, d := int64(l.Filters), int64(l.PatchSize())
		largest = max(largest, 8*(3*c*d+6*c*c)) // W, W₀ and what they are multiplied to
	}
	if need += largest; need > o.Memory {
		return &MemoryError{Need: need, Limit: o.Memory}
	}
	return nil
}

// run has the workers go through the groups.
func (g *gathered) run(ctx context.Context, workers []*worker, set Images, o Options, classes int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		done    int
		next    int // the next group to be added
		waiting = map[int]*groupResult{}
		passes  = graph.Outputs{Probes: o.Probes}.Passes(classes)
	)
	finish := func(k int, r *groupResult) {
		mu.Lock()
		defer mu.Unlock()
		waiting[k] = r
		for ; waiting[next] != nil; next++ {
			g.add(waiting[next])
			delete(waiting, next)
		}
	}
	advance := func(images int) {
		mu.Lock()
		defer mu.Unlock()
		done += images
		o.report(Progress{"gradients", done * passes, o.Images * passes})
	}
	for i, w := range workers {
		wg.Go(func() {
			for k := i; k < o.Groups; k += len(workers) {
				r, err := w.group(ctx, set, k, advance)
				if err != nil {
					cancel(err)
					return
				}
				finish(k, r)
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

// worker computes the moments of groups of images.
type worker struct {
	o       Options
	device  *backend.Device
	f       *graph.Function
	moments *graph.Moments
	probes  *rand.PCG
	pixels  []float32
	labels  []int
	batch   int
}

// MemoryPerWorker bounds the memory that a worker takes for the values of a
// batch, where a batch of one image does not take more. It does not depend on
// how many workers there are, and so neither do batches and their probes.
const MemoryPerWorker = 512 << 20

// cacheImages is the largest number of images at a time: with more, what passes
// between the ops of a small network does not stay in the cache.
const cacheImages = 32

func newWorker(net *models.Network, layers []models.LayerInfo, o Options) (*worker, error) {
	d, err := backend.Open(backend.Options{Backend: o.Backend, Threads: 1})
	if err != nil {
		return nil, err
	}
	w := &worker{o: o, device: d, probes: rand.NewPCG(0, 0)}
	if err := w.prepare(net, layers); err != nil {
		d.Close()
		return nil, err
	}
	return w, nil
}

// prepare compiles the backward pass, for one image first to see what that
// takes.
func (w *worker) prepare(net *models.Network, layers []models.LayerInfo) error {
	w.batch = (w.o.Images + w.o.Groups - 1) / w.o.Groups // of the largest group
	if w.o.Batch > 0 {
		w.batch = min(w.batch, w.o.Batch)
	} else {
		if err := w.compile(net, layers, 1); err != nil {
			return err
		}
		fits := MemoryPerWorker / max(w.moments.ValueBytes(), 1)
		w.batch = max(1, min(w.batch, cacheImages, int(fits)))
	}
	size := net.Input.Channels * net.Input.Height * net.Input.Width
	w.pixels, w.labels = make([]float32, w.batch*size), make([]int, w.batch)
	return w.compile(net, layers, w.batch)
}

func (w *worker) compile(net *models.Network, layers []models.LayerInfo, batch int) error {
	var err error
	if w.f, err = net.Function(w.device, batch, w.o.Precision); err != nil {
		return err
	}
	w.moments, err = w.f.Moments(preActivations(w.f, layers), graph.Outputs{Probes: w.o.Probes, Rand: rand.New(w.probes)})
	return err
}

// preActivations returns the nodes of the chosen layers.
func preActivations(f *graph.Function, layers []models.LayerInfo) []*graph.Node {
	byName := map[string]*graph.Node{}
	for _, l := range f.Layers {
		byName[l.Name] = l.Pre
	}
	nodes := make([]*graph.Node, len(layers))
	for i, l := range layers {
		nodes[i] = byName[l.Name]
	}
	return nodes
}

// group adds up the moments of the k-th group of images.
func (w *worker) group(ctx context.Context, set Images, k int, advance func(int)) (*groupResult, error) {
	lo, hi := k*w.o.Images/w.o.Groups, (k+1)*w.o.Images/w.o.Groups
	w.probes.Seed(w.o.Seed, uint64(k))
	r := &groupResult{images: hi - lo}
	for at := lo; at < hi; at += w.batch {
		n := min(w.batch, hi-at)
		if err := w.load(ctx, set, at, n); err != nil {
			return nil, err
		}
		bad := -1
		err := w.moments.Batch(ctx, n, func(logits *tensor.Dense) { bad = r.count(logits, w.labels[:n]) })
		if err != nil {
			return nil, err
		}
		if bad >= 0 {
			return nil, fmt.Errorf("cnfa: the outputs of the network for image %d are not finite: are its weights and --normalise right?", at+bad)
		}
		advance(n)
	}
	r.moments = w.moments.Take()
	return r, nil
}

// load reads n images and writes them to the function's input.
func (w *worker) load(ctx context.Context, set Images, at, n int) error {
	px := w.pixels[:len(w.pixels)/w.batch*n]
	if err := set.Load(ctx, at, at+n, px, w.labels[:n]); err != nil {
		return err
	}
	switch x := w.f.Data(w.f.Inputs()[0]).Data().(type) {
	case []float32:
		copy(x, px)
	case []float64:
		for i, v := range px {
			x[i] = float64(v)
		}
	}
	return nil
}

// count compares the largest logits with the labels. It returns the first image
// whose logits are not all finite, or -1.
func (r *groupResult) count(logits *tensor.Dense, labels []int) (bad int) {
	classes := logits.Shape()[1]
	at := reader(logits)
	for i, label := range labels {
		best := 0
		for j := range classes {
			v := at(i*classes + j)
			if v-v != 0 {
				return i
			}
			if v > at(i*classes+best) {
				best = j
			}
		}
		if label >= 0 {
			r.labelled++
		}
		if label == best {
			r.correct++
		}
	}
	return -1
}

// reader reads the elements of t, whatever their precision.
func reader(t *tensor.Dense) func(i int) float64 {
	if x, ok := t.Data().([]float64); ok {
		return func(i int) float64 { return x[i] }
	}
	x := t.Float32s()
	return func(i int) float64 { return float64(x[i]) }
}
