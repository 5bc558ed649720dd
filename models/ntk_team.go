package models

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// ntkTeam computes a kernel: workers with a device of one thread each make the
// gradients of batches of images, then the blocks of Θ that they give. The
// batches do not depend on how many workers there are.
type ntkTeam struct {
	net     *Network
	o       NTKOptions
	images  int
	workers []*ntkWorker
	batches [][2]int // of images
	tiles   [][2]int // of batches whose gradients are there at the same time
	kernel  *NTK
	made    atomic.Int64 // gradients of images so far
}

// ntkWorker is the Jacobian of a batch on a device of its own.
type ntkWorker struct {
	device *backend.Device
	f      *graph.Function
	j      *graph.Jacobian
}

// What a batch may take of a core's caches and of the memory: more images at a
// time are not faster. The products of rows are, up to some hundreds, of which a
// network with few outputs has few an image.
const (
	ntkImages     = 32
	ntkRows       = 256
	ntkBatchBytes = 512 << 20
)

func newNTKTeam(n *Network, images int, o NTKOptions) (*ntkTeam, error) {
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	t := &ntkTeam{net: n, o: o, images: images}
	batch, err := t.batch()
	if err != nil {
		return nil, err
	}
	batch = parallel.Evenly(images, batch) // what a batch lacks of its images costs as much as they do
	t.batches = split(images, batch)
	for range min(o.Threads, len(t.batches)) {
		w, err := t.newWorker(batch)
		if err != nil {
			t.close()
			return nil, err
		}
		t.workers = append(t.workers, w)
	}
	if t.tiles, err = t.tile(batch); err != nil {
		t.close()
		return nil, err
	}
	rows := images * n.Classes
	t.kernel = &NTK{Gram: mat.NewSymDense(rows, nil), Outputs: mat.NewDense(images, n.Classes, nil),
		Parameters: t.workers[0].j.Columns()}
	return t, nil
}

// split divides n things evenly into as few parts of at most so many as there
// can be.
func split(n, most int) [][2]int {
	parts := (n + most - 1) / most
	var all [][2]int
	for k := range parts {
		all = append(all, [2]int{k * n / parts, (k + 1) * n / parts})
	}
	return all
}

// batch is how many images the gradients are made of at a time: one, where they
// are not kept apart in a batch.
func (t *ntkTeam) batch() (int, error) {
	batch := min(t.o.Batch, t.images)
	if batch <= 0 {
		var err error
		if batch, err = t.suits(); err != nil {
			return 0, err
		}
	}
	w, err := t.newWorker(batch)
	if errors.Is(err, graph.ErrTogether) {
		return 1, nil
	}
	if err == nil {
		w.device.Close()
	}
	return batch, err
}

// suits is how many images at a time suit memory and caches.
func (t *ntkTeam) suits() (int, error) {
	w, err := t.newWorker(1)
	if err != nil {
		return 0, err
	}
	defer w.device.Close()
	fits := ntkBatchBytes / max(1, w.j.ValueBytes()+w.j.RowBytes())
	return max(1, min(t.images, max(ntkImages, ntkRows/t.net.Classes), int(fits))), nil
}

func (t *ntkTeam) newWorker(batch int) (*ntkWorker, error) {
	d, err := backend.Open(backend.Options{Backend: t.o.Backend, Threads: 1})
	if err != nil {
		return nil, err
	}
	w := &ntkWorker{device: d}
	if w.f, err = t.net.Function(d, batch, t.o.Precision); err == nil {
		w.j, err = w.f.Jacobian(t.net.trained(w.f))
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return w, nil
}

// trained are the trained parameters of a function of the network.
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

// tile divides the batches so that the gradients of two tiles fit into memory,
// or of all if they are one.
func (t *ntkTeam) tile(batch int) ([][2]int, error) {
	w, rows := t.workers[0], int64(t.images*t.net.Classes)
	perBatch := int64(batch) * w.j.RowBytes()
	need := 8*rows*rows + int64(len(t.workers))*(w.j.ValueBytes()+ntkBatchBytes/4)
	free := t.o.Memory - need
	switch all := int64(len(t.batches)) * perBatch; {
	case t.o.Memory == 0 || all <= free:
		return [][2]int{{0, len(t.batches)}}, nil
	case free < 2*perBatch:
		return nil, &NTKMemoryError{Need: need + 2*perBatch, Limit: t.o.Memory, Rows: int(rows)}
	}
	return split(len(t.batches), int(free/(2*perBatch))), nil
}

// run makes the blocks of Θ, tile after tile.
func (t *ntkTeam) run(ctx context.Context, px []float32) (*NTK, error) {
	for i, tile := range t.tiles {
		rows, err := t.rows(ctx, px, tile)
		if err != nil {
			return nil, err
		}
		if err := t.products(ctx, tile, tile, rows, rows); err != nil {
			return nil, err
		}
		for _, other := range t.tiles[i+1:] {
			others, err := t.rows(ctx, px, other)
			if err != nil {
				return nil, err
			}
			if err := t.products(ctx, tile, other, rows, others); err != nil {
				return nil, err
			}
		}
	}
	return t.kernel, nil
}

// rows makes the gradients of a tile, batch by batch.
func (t *ntkTeam) rows(ctx context.Context, px []float32, tile [2]int) ([]*graph.JacobianRows, error) {
	all := make([]*graph.JacobianRows, tile[1]-tile[0])
	size := t.net.Input.Size()
	done := func(int) {
		if t.o.Progress != nil {
			t.o.Progress(int(t.made.Load()), t.total())
		}
	}
	err := parallel.Run(ctx, len(t.workers), len(all), done,
		func(member int) (func(context.Context, int) error, error) {
			w := t.workers[member]
			return func(ctx context.Context, k int) (err error) {
				b := t.batches[tile[0]+k]
				copyTo(w.f.Data(w.f.Inputs()[0]), px[b[0]*size:b[1]*size])
				if all[k], err = w.j.Rows(ctx, b[1]-b[0]); err != nil {
					return err
				}
				t.made.Add(int64(b[1] - b[0]))
				return t.keepOutputs(w, b)
			}, nil
		})
	return all, err
}

// total is of how many images gradients are made in all, those of one image once
// for every tile before its own.
func (t *ntkTeam) total() int {
	sum := 0
	for k, tile := range t.tiles {
		sum += (k + 1) * (t.batches[tile[1]-1][1] - t.batches[tile[0]][0])
	}
	return sum
}

// keepOutputs takes f(w₀, x) of a batch, which must be finite.
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
			t.kernel.Outputs.Set(b[0]+i, k, v)
		}
	}
	return nil
}

// products makes the blocks of Θ of two tiles, those of the upper half.
func (t *ntkTeam) products(ctx context.Context, tile, other [2]int, rows, others []*graph.JacobianRows) error {
	var pairs [][2]int
	for i := range rows {
		for j := range others {
			if tile[0]+i <= other[0]+j {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return parallel.Run(ctx, len(t.workers), len(pairs), nil, func(int) (func(context.Context, int) error, error) {
		return func(_ context.Context, k int) error {
			i, j := pairs[k][0], pairs[k][1]
			rows[i].AddGram(t.kernel.block(t.batches[tile[0]+i], t.batches[other[0]+j]), others[j])
			return nil
		}, nil
	})
}
