package models

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// ntkTeam computes a kernel. Its workers, each on a device with one thread, compute the gradients of batches of images,
// and then the blocks of Θ. The batches do not depend on the number of workers.
type ntkTeam struct {
	net     *Network
	o       NTKOptions
	layout  kernels.Layout
	layers  [][]jacobian.PartColumns // with o.ByLayer, the columns of every layer
	images  int
	workers []*ntkWorker
	batches [][2]int // of images
	tiles   [][2]int // ranges of batches whose gradients are in memory at the same time
	outputs *mat.Dense
	made    atomic.Int64 // number of images whose gradients were computed so far
	total   int          // number of images whose gradients will be computed, each counted as often as that happens
}

// imagePixels holds the pixels of consecutive images, beginning with the image first.
type imagePixels struct {
	first, size int // size is that of an image
	px          []float32
}

// of returns the pixels of a range of images.
func (p imagePixels) of(images [2]int) []float32 {
	return p.px[(images[0]-p.first)*p.size : (images[1]-p.first)*p.size]
}

// ntkWorker computes the Jacobian of a batch on a device of its own.
type ntkWorker struct {
	device *backend.Device
	f      *graph.Function
	j      *graph.Jacobian
}

// Bounds on a batch. Gradients get no faster with batches that exceed the cache of a core. But products of rows do, up to
// some hundreds of rows, and a network with few outputs has few rows per image.
const (
	ntkImages     = 32
	ntkRows       = 256
	ntkBatchBytes = 512 << 20
)

// newNTKTeam returns the team for the kernel of images in one process.
func newNTKTeam(n *Network, images int, o NTKOptions) (*ntkTeam, error) {
	t, err := newNTKWorkers(n, images, o)
	if err != nil {
		return nil, err
	}
	if t.tiles, err = t.tile([2]int{0, len(t.batches)}, t.layout.Bytes(images, images)); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// layout returns the layout of the network's kernels.
func (n *Network) layout(o NTKOptions) kernels.Layout {
	l := kernels.Layout{Form: o.Form, Outputs: n.Classes}
	if o.ByLayer {
		l.Layers = len(n.ParametersByLayer())
	}
	return l
}

// newNTKWorkers divides images into batches and opens the workers.
func newNTKWorkers(n *Network, images int, o NTKOptions) (*ntkTeam, error) {
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	for _, name := range o.Of {
		if !slices.ContainsFunc(n.params, func(p Parameter) bool { return p.Trained && p.Name == name }) {
			return nil, fmt.Errorf("models: a kernel of %q, which is no trained parameter of %s", name, n.Arch.Name)
		}
	}
	t := &ntkTeam{net: n, o: o, layout: n.layout(o), images: images, outputs: mat.NewDense(images, n.Classes, nil)}
	batch, first, err := t.batch()
	if err != nil {
		return nil, err
	}
	t.workers = []*ntkWorker{first}
	if o.ByLayer {
		t.layers = n.columnsByLayer(first.j)
	}
	t.batches = split(images, batch)
	for len(t.workers) < min(backend.Workers(o.Backend, o.Threads), len(t.batches)) {
		w, err := t.newWorker(batch)
		if err != nil {
			t.close()
			return nil, err
		}
		t.workers = append(t.workers, w)
	}
	return t, nil
}

// largest returns the number of images in the largest batch.
func (t *ntkTeam) largest() int {
	most := 0
	for _, b := range t.batches {
		most = max(most, b[1]-b[0])
	}
	return most
}

// split divides n items evenly into the fewest parts of at most most items, and returns the ranges.
func split(n, most int) [][2]int {
	parts := (n + most - 1) / most
	var all [][2]int
	for k := range parts {
		all = append(all, [2]int{k * n / parts, (k + 1) * n / parts})
	}
	return all
}

// batch returns the number of images at a time, with a worker for it. The number is one if a batch gives only the sum of its
// images' gradients.
func (t *ntkTeam) batch() (int, *ntkWorker, error) {
	batch := min(t.o.Batch, t.images)
	if batch <= 0 {
		var err error
		if batch, err = t.chooseBatch(); err != nil {
			return 0, nil, err
		}
	}
	batch = parallel.Evenly(t.images, batch) // a batch that is not full takes as long as a full one
	w, err := t.newWorker(batch)
	if errors.Is(err, graph.ErrTogether) {
		batch = 1
		w, err = t.newWorker(1)
	}
	return batch, w, err
}

// chooseBatch returns the number of images at a time that suits memory and caches. It is at most half of all images, so that
// there is work for two cores.
func (t *ntkTeam) chooseBatch() (int, error) {
	w, err := t.newWorker(1)
	if err != nil {
		return 0, err
	}
	defer w.device.Close()
	fits := ntkBatchBytes / max(1, w.j.ValueBytes()+w.j.RowBytes())
	_, side := t.o.Form.Layout(t.net.Classes)
	return max(1, min((t.images+1)/2, max(ntkImages, ntkRows/side), int(fits))), nil
}

func (t *ntkTeam) newWorker(batch int) (*ntkWorker, error) {
	d, err := backend.Open(backend.Options{Backend: t.o.Backend, Threads: 1})
	if err != nil {
		return nil, err
	}
	w := &ntkWorker{device: d}
	if w.f, err = t.net.Function(d, batch, t.o.Precision); err == nil {
		w.j, err = w.f.Jacobian(t.columns(w.f))
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return w, nil
}

// columnsByLayer returns, for every layer, its columns in the parts of a Jacobian.
func (n *Network) columnsByLayer(j *graph.Jacobian) (all [][]jacobian.PartColumns) {
	for _, l := range n.ParametersByLayer() {
		has := func(p *graph.Node) bool { return p != nil && slices.Contains(l.Names, p.Name()) }
		var own []jacobian.PartColumns
		for _, p := range j.Parameters() {
			own = append(own, jacobian.PartColumns{Weight: has(p.Weight), Bias: has(p.Bias)})
		}
		all = append(all, own)
	}
	return all
}

// columns returns the parameters to which the columns of J belong, as nodes of a function of the network.
func (t *ntkTeam) columns(f *graph.Function) []*graph.Node {
	all := t.net.trained(f)
	if t.o.Of == nil {
		return all
	}
	return slices.DeleteFunc(all, func(n *graph.Node) bool { return !slices.Contains(t.o.Of, n.Name()) })
}

// trained returns the trained parameters of a function of the network.
func (n *Network) trained(f *graph.Function) (all []*graph.Node) {
	for _, p := range n.params {
		if p.Trained {
			all = append(all, f.Named(p.Name))
		}
	}
	return all
}

func (t *ntkTeam) close() {
	for _, w := range t.workers {
		w.device.Close()
	}
}

// rowBytes returns the memory of the rows of an image. The joined rows of the layers may take as much again.
func (t *ntkTeam) rowBytes() int64 {
	if t.o.ByLayer {
		return 2 * t.workers[0].j.RowBytes()
	}
	return t.workers[0].j.RowBytes()
}

// tile divides a range of batches into tiles such that the gradients of two tiles fit into memory together with the kernel,
// whose bytes are given. If the gradients of all batches fit, there is one tile.
func (t *ntkTeam) tile(batches [2]int, kernel int64) ([][2]int, error) {
	w := t.workers[0]
	perBatch := int64(t.largest()) * t.rowBytes()
	need := kernel + int64(len(t.workers))*(w.j.ValueBytes()+ntkBatchBytes/4)
	free := t.o.Memory - need
	switch all := int64(len(t.batches)) * perBatch; {
	case t.o.Memory == 0 || all <= free:
		return [][2]int{batches}, nil
	case free < 2*perBatch:
		return nil, &NTKMemoryError{Need: need + 2*perBatch, Limit: t.o.Memory, Rows: t.images * t.layout.Rows()}
	}
	tiles := split(batches[1]-batches[0], int(free/(2*perBatch)))
	for i := range tiles {
		tiles[i][0] += batches[0]
		tiles[i][1] += batches[0]
	}
	return tiles, nil
}

// run computes the blocks of Θ, tile by tile.
func (t *ntkTeam) run(ctx context.Context, px []float32) (*NTK, error) {
	k := &NTK{Outputs: t.outputs, Parameters: t.workers[0].j.Columns()}
	k.Gram, k.Layers = t.layout.NewKernel(t.images)
	all := t.layout.InKernel(k.Gram, k.Layers)
	pixels := imagePixels{0, t.net.Input.Size(), px}
	t.total = 0
	for i, tile := range t.tiles {
		t.total += (i + 1) * t.imagesIn(tile)
	}
	for i, tile := range t.tiles {
		rows, err := t.rows(ctx, pixels, tile)
		if err != nil {
			return nil, err
		}
		if err := t.products(ctx, all, tile, tile, rows, rows); err != nil {
			return nil, err
		}
		for _, other := range t.tiles[i+1:] {
			others, err := t.rows(ctx, pixels, other)
			if err != nil {
				return nil, err
			}
			if err := t.products(ctx, all, tile, other, rows, others); err != nil {
				return nil, err
			}
		}
	}
	return k, nil
}

// imagesIn returns the number of images in a range of batches.
func (t *ntkTeam) imagesIn(tile [2]int) int { return t.batches[tile[1]-1][1] - t.batches[tile[0]][0] }

// rows computes the gradients of a tile. For each batch it returns the rows whose products are the blocks.
func (t *ntkTeam) rows(ctx context.Context, px imagePixels, tile [2]int) ([][]*jacobian.Rows, error) {
	all := make([][]*jacobian.Rows, tile[1]-tile[0])
	done := func(int) {
		if t.o.Progress != nil {
			t.o.Progress(int(t.made.Load()), t.total)
		}
	}
	err := parallel.Run(ctx, len(t.workers), len(all), done,
		func(member int) (func(context.Context, int) error, error) {
			w := t.workers[member]
			return func(ctx context.Context, k int) error {
				b := t.batches[tile[0]+k]
				values.CopyFrom(w.f.Data(w.f.Inputs()[0]), px.of(b))
				r, err := w.j.Rows(ctx, b[1]-b[0])
				if err != nil {
					return err
				}
				all[k] = t.layout.Divide(r, t.layers)
				t.made.Add(int64(b[1] - b[0]))
				return t.keepOutputs(w, b)
			}, nil
		})
	return all, err
}

// keepOutputs stores f(w₀, x) of a batch, which must be finite.
func (t *ntkTeam) keepOutputs(w *ntkWorker, b [2]int) error {
	out := values.Reader(w.j.Output())
	for i := range b[1] - b[0] {
		for k := range t.net.Classes {
			v := out(i*t.net.Classes + k)
			if v-v != 0 {
				return fmt.Errorf(
					"models: output %d of the network for image %d is %v: are its weights and the normalisation right?",
					k, b[0]+i, v)
			}
			t.outputs.Set(b[0]+i, k, v)
		}
	}
	return nil
}

// products writes the blocks of Θ for two tiles, but only those in the upper half, to the target.
func (t *ntkTeam) products(ctx context.Context, to kernels.Target, tile, other [2]int,
	rows, others [][]*jacobian.Rows) error {
	var pairs [][2]int
	for i := range rows {
		for j := range others {
			if tile[0]+i <= other[0]+j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	if len(pairs) > 1 { // OpenBLAS's threads would wait for each other
		defer backend.OneBLASThread()()
	}
	return parallel.Run(ctx, len(t.workers), len(pairs), nil, func(int) (func(context.Context, int) error, error) {
		return func(_ context.Context, k int) error {
			i, j := pairs[k][0], pairs[k][1]
			to.Add(t.batches[tile[0]+i], t.batches[other[0]+j], rows[i], others[j])
			return nil
		}, nil
	})
}
