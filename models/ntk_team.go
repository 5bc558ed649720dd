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
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ntkTeam computes a kernel. Its workers, each on a device with one thread, compute the gradients of batches of images,
// and then the blocks of Θ. The batches do not depend on the number of workers.
type ntkTeam struct {
	net     *Network
	o       NTKOptions
	images  int
	workers []*ntkWorker
	batches [][2]int // of images
	tiles   [][2]int // ranges of batches whose gradients are in memory at the same time
	outputs *mat.Dense
	made    atomic.Int64 // the number of images whose gradients were computed so far
	total   int          // the number of images whose gradients are to be computed; one counts as often as they are
}

// gramBlock is a block of Θ: the rows of the images from row on, and the columns of those from column on.
type gramBlock struct {
	blas64.General
	row, column int
	outputs     int  // of an image
	trace       bool // an image has one row, the mean over its outputs
}

// of returns the part of a block for some images (its rows) with others (its columns).
func (g gramBlock) of(images, others [2]int) blas64.General {
	side := g.outputs
	if g.trace {
		side = 1
	}
	at := (images[0]-g.row)*side*g.Stride + (others[0]-g.column)*side
	return blas64.General{Rows: (images[1] - images[0]) * side, Cols: (others[1] - others[0]) * side,
		Stride: g.Stride, Data: g.Data[at:]}
}

// add sets a part of a block, of zeros, to the products of the gradients of some images, rows, with those of others,
// columns. Of images with themselves only the upper half is valid.
func (g gramBlock) add(images, others [2]int, rows, columns *jacobian.Rows) {
	to := g.of(images, others)
	rows.AddGram(to, columns)
	if !g.trace {
		return
	}
	for i := range to.Rows { // of sums over outputs, since the rows are joined
		for j := range to.Cols {
			to.Data[i*to.Stride+j] /= float64(g.outputs)
		}
	}
}

// imagePixels are the pixels of images from the first on.
type imagePixels struct {
	first, size int // size is that of an image
	px          []float32
}

// of returns the pixels of some images.
func (p imagePixels) of(images [2]int) []float32 {
	return p.px[(images[0]-p.first)*p.size : (images[1]-p.first)*p.size]
}

// ntkWorker is the Jacobian of a batch on a device of its own.
type ntkWorker struct {
	device *backend.Device
	f      *graph.Function
	j      *graph.Jacobian
}

// Bounds on a batch. A larger one than fits the cache of a core makes gradients no faster. But products of rows are
// faster up to some hundreds of rows, of which a network with few outputs has few an image.
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
	rows := int64(t.rowsOf(images))
	if t.tiles, err = t.tile([2]int{0, len(t.batches)}, 8*rows*rows); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// rowsOf returns the number of rows of the kernel for a number of images.
func (t *ntkTeam) rowsOf(images int) int {
	if t.o.Trace {
		return images
	}
	return images * t.net.Classes
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
	t := &ntkTeam{net: n, o: o, images: images, outputs: mat.NewDense(images, n.Classes, nil)}
	batch, first, err := t.batch()
	if err != nil {
		return nil, err
	}
	t.workers = []*ntkWorker{first}
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

// split divides n things evenly into the fewest parts of at most most things.
func split(n, most int) [][2]int {
	parts := (n + most - 1) / most
	var all [][2]int
	for k := range parts {
		all = append(all, [2]int{k * n / parts, (k + 1) * n / parts})
	}
	return all
}

// batch returns the number of images at a time, with a worker for it. It is one where a batch gives only the sum of the
// images' gradients.
func (t *ntkTeam) batch() (int, *ntkWorker, error) {
	batch := min(t.o.Batch, t.images)
	if batch <= 0 {
		var err error
		if batch, err = t.suits(); err != nil {
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

// suits returns the number of images at a time that fits memory and caches, at most half of them, so that there is work
// for two cores.
func (t *ntkTeam) suits() (int, error) {
	w, err := t.newWorker(1)
	if err != nil {
		return 0, err
	}
	defer w.device.Close()
	fits := ntkBatchBytes / max(1, w.j.ValueBytes()+w.j.RowBytes())
	return max(1, min((t.images+1)/2, max(ntkImages, ntkRows/t.rowsOf(1)), int(fits))), nil
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

// columns returns the parameters of a function of the network that the columns of J are of.
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

// tile divides a range of batches into tiles such that the gradients of two tiles fit into memory beside the kernel, of
// which the bytes are given; into one tile if the gradients of all batches fit.
func (t *ntkTeam) tile(batches [2]int, kernel int64) ([][2]int, error) {
	w := t.workers[0]
	perBatch := int64(t.largest()) * w.j.RowBytes()
	need := kernel + int64(len(t.workers))*(w.j.ValueBytes()+ntkBatchBytes/4)
	free := t.o.Memory - need
	switch all := int64(len(t.batches)) * perBatch; {
	case t.o.Memory == 0 || all <= free:
		return [][2]int{batches}, nil
	case free < 2*perBatch:
		return nil, &NTKMemoryError{Need: need + 2*perBatch, Limit: t.o.Memory, Rows: t.rowsOf(t.images)}
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
	rows := t.rowsOf(t.images)
	k := &NTK{Gram: mat.NewSymDense(rows, nil), Outputs: t.outputs, Parameters: t.workers[0].j.Columns()}
	raw := k.Gram.RawSymmetric()
	all := gramBlock{blas64.General{Rows: rows, Cols: rows, Stride: raw.Stride, Data: raw.Data}, 0, 0, t.net.Classes, t.o.Trace}
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

// rows computes the gradients of a tile, batch by batch.
func (t *ntkTeam) rows(ctx context.Context, px imagePixels, tile [2]int) ([]*jacobian.Rows, error) {
	all := make([]*jacobian.Rows, tile[1]-tile[0])
	done := func(int) {
		if t.o.Progress != nil {
			t.o.Progress(int(t.made.Load()), t.total)
		}
	}
	err := parallel.Run(ctx, len(t.workers), len(all), done,
		func(member int) (func(context.Context, int) error, error) {
			w := t.workers[member]
			return func(ctx context.Context, k int) (err error) {
				b := t.batches[tile[0]+k]
				copyTo(w.f.Data(w.f.Inputs()[0]), px.of(b))
				if all[k], err = w.j.Rows(ctx, b[1]-b[0]); err != nil {
					return err
				}
				if t.o.Trace {
					all[k] = all[k].Join()
				}
				t.made.Add(int64(b[1] - b[0]))
				return t.keepOutputs(w, b)
			}, nil
		})
	return all, err
}

// keepOutputs stores f(w₀, x) of a batch, which must be finite.
func (t *ntkTeam) keepOutputs(w *ntkWorker, b [2]int) error {
	out := valuesOf(w.j.Output())
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

// products computes the blocks of Θ for two tiles, only those in the upper half, into the block to.
func (t *ntkTeam) products(ctx context.Context, to gramBlock, tile, other [2]int,
	rows, others []*jacobian.Rows) error {
	var pairs [][2]int
	for i := range rows {
		for j := range others {
			if tile[0]+i <= other[0]+j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	if len(pairs) > 1 { // OpenBLAS's threads would wait for each other
		backend.SetBLASThreads(1)
		defer backend.SetBLASThreads(t.o.Threads)
	}
	return parallel.Run(ctx, len(t.workers), len(pairs), nil, func(int) (func(context.Context, int) error, error) {
		return func(_ context.Context, k int) error {
			i, j := pairs[k][0], pairs[k][1]
			to.add(t.batches[tile[0]+i], t.batches[other[0]+j], rows[i], others[j])
			return nil
		}, nil
	})
}
