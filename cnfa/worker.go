package cnfa

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/models"
	"gorgonia.org/tensor"
)

// worker computes the moments of groups of images.
type worker struct {
	o       Options
	device  *backend.Device
	f       *graph.Function
	moments *graph.Moments
	loss    *lossPass // nil unless statements need it
	probes  *rand.PCG
	pixels  []float32
	labels  []int
	batch   int
}

// MemoryPerWorker bounds the memory of a worker for the values of a batch, unless one image alone takes more. It
// does not depend on the number of workers, so that batches do not either.
const MemoryPerWorker = 512 << 20

// CacheImages is the default for the largest number of images at a time: with more, the values between the ops of
// a small network do not stay in the cache.
const CacheImages = 32

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

// prepare compiles the backward pass: first for one image, to measure its memory, and then for a batch. If the input of a
// layer is the same for all images, or its rows may lie in another order than image by image, the batch is one image.
func (w *worker) prepare(net *models.Network, layers []models.LayerInfo) error {
	most := w.o.Batch
	if most == 0 {
		if err := w.compile(net, layers, 1); err != nil {
			return err
		}
		fits := MemoryPerWorker / max(w.moments.ValueBytes(), 1)
		most = max(1, min(CacheImages, int(fits)))
	}
	w.batch = parallel.Evenly(w.o.largestGroup(), most) // a batch that is not full takes as long as a full one
	var err error
	if w.batch > 1 || w.moments == nil {
		w.moments, w.loss = nil, nil // so that their memory can be freed first
		err = w.compile(net, layers, w.batch)
	}
	if errors.Is(err, graph.ErrTogether) {
		w.batch = 1
		err = w.compile(net, layers, 1)
	}
	w.pixels, w.labels = make([]float32, w.batch*net.Input.Size()), make([]int, w.batch)
	return err
}

func (w *worker) compile(net *models.Network, layers []models.LayerInfo, batch int) error {
	var err error
	if w.f, err = net.Function(w.device, batch, w.o.Precision); err != nil {
		return err
	}
	o := graph.Outputs{Probes: w.o.Probes, Rand: rand.New(w.probes)}
	if n := w.o.needs(); n.lossPass() {
		if w.loss, err = newLossPass(w.f, layers, n, w.o.Images%(w.o.Groups*batch) == 0); err != nil {
			return err
		}
		o.Watch = w.loss.watch
	}
	w.moments, err = w.f.MomentsOf(sources(w.f, layers), o)
	return err
}

// sources returns the sources of the moments at the chosen layers.
func sources(f *graph.Function, layers []models.LayerInfo) []graph.Source {
	all := make([]graph.Source, len(layers))
	for i, l := range layers {
		all[i], _ = l.Source(f)
	}
	return all
}

// update copies the network's weights to the function if that does not share them, as in double precision.
func (w *worker) update(net *models.Network) {
	for _, p := range w.f.Params() {
		if x, own := w.f.Data(p).Data().([]float64); own {
			values.CopyTo(x, net.Value(p.Name()))
		}
	}
}

// group adds up the moments of the k-th group of images.
func (w *worker) group(ctx context.Context, set Images, k int, advance func(int)) (*groupResult, error) {
	r, err := w.images(ctx, set, k, advance)
	// The sums are taken after an error too, so that the next group starts from zero.
	m := w.moments.Take()
	var loss []LossMoments
	if w.loss != nil {
		loss = w.loss.take()
	}
	if err != nil {
		return nil, err
	}
	r.moments, r.loss = m, loss
	return r, nil
}

// images computes the moments of the images of a group, batch by batch.
func (w *worker) images(ctx context.Context, set Images, k int, advance func(int)) (*groupResult, error) {
	lo, hi := w.o.groupStart(k), w.o.groupStart(k+1)
	w.probes.Seed(w.o.Seed, uint64(k))
	r := &groupResult{images: hi - lo}
	for at := lo; at < hi; at += w.batch {
		n := min(w.batch, hi-at)
		if err := w.load(ctx, set, at, n); err != nil {
			return nil, err
		}
		if w.loss != nil {
			w.loss.begin(w.labels[:n])
		}
		bad := -1
		err := w.moments.Batch(ctx, n, func(logits *tensor.Dense) { bad = r.count(logits, w.labels[:n]) })
		if err != nil {
			return nil, err
		}
		if bad >= 0 {
			return nil, fmt.Errorf(
				"cnfa: the outputs of the network for image %d are not finite: are its weights and the normalisation right?",
				at+bad)
		}
		if w.loss != nil {
			w.loss.end()
		}
		advance(n)
	}
	return r, nil
}

// load reads n images and writes them to the function's input.
func (w *worker) load(ctx context.Context, set Images, at, n int) error {
	px := w.pixels[:len(w.pixels)/w.batch*n]
	if err := set.Load(ctx, at, at+n, px, w.labels[:n]); err != nil {
		return err
	}
	if w.o.IgnoreLabels {
		for i := range w.labels {
			w.labels[i] = -1
		}
	}
	values.Repeat(w.f.Data(w.f.Inputs()[0]), px) // zeros may have no finite value, see Moments.Batch
	return nil
}

// count compares the largest logits with the labels. It returns the first image
// whose logits are not all finite, or -1.
func (r *groupResult) count(logits *tensor.Dense, labels []int) (bad int) {
	classes := logits.Shape()[1]
	at := values.Reader(logits)
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
