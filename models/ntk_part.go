package models

import (
	"context"
	"fmt"
	"runtime"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

// NTKParts divides the kernel of images into blocks, so that several processes can compute it. A block has some batches of
// images as its rows and some as its columns. The entries are the same, bit for bit, as those of [Network.NTK].
type NTKParts struct {
	net        *Network
	o          NTKOptions
	images     int
	batches    [][2]int // ranges of images
	valueBytes int64    // memory of the values of a batch
	rowBytes   int64    // memory of the gradients of an image
}

// BatchRange is the range From ≤ k < To of batches k of images.
type BatchRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// NTKParts divides the kernel of a number of images. The options are those of [Network.NTK].
func (n *Network) NTKParts(images int, o NTKOptions) (*NTKParts, error) {
	if images < 1 {
		return nil, fmt.Errorf("models: the kernel of %d images: want at least 1", images)
	}
	one := o
	one.Threads = 1
	t, err := newNTKWorkers(n, images, one)
	if err != nil {
		return nil, err
	}
	defer t.close()
	j := t.workers[0].j
	return &NTKParts{net: n, o: o, images: images, batches: t.batches, valueBytes: j.ValueBytes(),
		rowBytes: t.rowBytes()}, nil
}

// Batches returns the number of batches of images.
func (p *NTKParts) Batches() int { return len(p.batches) }

// Images returns the range first ≤ i < last of images in some batches.
func (p *NTKParts) Images(b BatchRange) (first, last int) {
	return p.batches[b.From][0], p.batches[b.To-1][1]
}

// KernelBytes returns the memory of a block's entries.
func (p *NTKParts) KernelBytes(rows, columns BatchRange) int64 {
	first, last := p.Images(rows)
	left, right := p.Images(columns)
	return p.net.layout(p.o).Bytes(last-first, right-left)
}

// HeldBytes returns the memory of a block's entries and of the gradients of its rows and columns.
func (p *NTKParts) HeldBytes(rows, columns BatchRange) int64 {
	first, last := p.Images(rows)
	images := last - first
	if rows != columns {
		left, right := p.Images(columns)
		images += right - left
	}
	return p.KernelBytes(rows, columns) + int64(images)*p.rowBytes
}

// Bytes estimates the memory of computing a block: [NTKParts.HeldBytes], and a batch for every thread.
func (p *NTKParts) Bytes(rows, columns BatchRange) int64 {
	threads := p.o.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return p.HeldBytes(rows, columns) + int64(min(backend.Workers(p.o.Backend, threads), len(p.batches)))*(p.valueBytes+ntkBatchBytes/4)
}

// check returns an error unless a block of the upper half lies in the kernel.
func (p *NTKParts) check(rows, columns BatchRange) error {
	if rows.From < 0 || rows.From >= rows.To || columns.From >= columns.To || columns.To > len(p.batches) ||
		(rows != columns && rows.To > columns.From) {
		return fmt.Errorf("models: the kernel of batches %d to %d with %d to %d of %d: want a block on the diagonal or "+
			"above it", rows.From+1, rows.To, columns.From+1, columns.To, len(p.batches))
	}
	return nil
}

// Compute computes a block on the diagonal or above it. In a block on the diagonal, only the upper half is set. Load must
// return the pixels of the images first ≤ i < last, normalised for the network. If the block does not fit into the memory
// of the options, Compute returns a [*NTKMemoryError].
func (p *NTKParts) Compute(ctx context.Context, rows, columns BatchRange,
	load func(first, last int) ([]float32, error)) (*kernels.Block, error) {
	if err := p.check(rows, columns); err != nil {
		return nil, err
	}
	first, last := p.Images(rows)
	left, right := p.Images(columns)
	if need, limit := p.Bytes(rows, columns), p.o.Memory; limit > 0 && need > limit {
		return nil, &NTKMemoryError{Need: need, Limit: limit, Rows: (last - first) * p.net.layout(p.o).Rows()}
	}
	t, err := newNTKWorkers(p.net, p.images, p.o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	out := t.layout.NewBlock(last-first, right-left)
	return &out, t.compute(ctx, t.layout.InBlock(out, first, left), rows, columns, load)
}

// Empty returns a kernel of zeros, without outputs; [NTKParts.Set] writes blocks into it.
func (p *NTKParts) Empty() *NTK {
	k := &NTK{}
	k.Gram, k.Layers = p.net.layout(p.o).NewKernel(p.images)
	return k
}

// Set writes a block that Compute returned into a kernel. It returns an error if the number or size of matrices differs.
func (p *NTKParts) Set(k *NTK, rows, columns BatchRange, block *kernels.Block) error {
	if err := p.check(rows, columns); err != nil {
		return err
	}
	var images, others [2]int
	images[0], images[1] = p.Images(rows)
	others[0], others[1] = p.Images(columns)
	return p.net.layout(p.o).Put(k.Gram, k.Layers, block, images, others)
}

// compute computes a block of Θ.
func (t *ntkTeam) compute(ctx context.Context, to kernels.Target, rows, columns BatchRange,
	load func(first, last int) ([]float32, error)) error {
	of, with := [2]int{rows.From, rows.To}, [2]int{columns.From, columns.To}
	if t.total = t.imagesIn(of); of != with {
		t.total += t.imagesIn(with)
	}
	left, err := t.loadRows(ctx, of, load)
	if err != nil {
		return err
	}
	right := left
	if of != with {
		if right, err = t.loadRows(ctx, with, load); err != nil {
			return err
		}
	}
	return t.products(ctx, to, of, with, left, right)
}

// loadRows loads the pixels of a range of batches and computes their gradients.
func (t *ntkTeam) loadRows(ctx context.Context, tile [2]int,
	load func(first, last int) ([]float32, error)) ([][]*jacobian.Rows, error) {
	first, last := t.batches[tile[0]][0], t.batches[tile[1]-1][1]
	px, err := load(first, last)
	if err != nil {
		return nil, err
	}
	if len(px) != (last-first)*t.net.Input.Size() {
		return nil, fmt.Errorf("models: %d numbers are not %d images of %v", len(px), last-first, t.net.Input)
	}
	return t.rows(ctx, imagePixels{first, t.net.Input.Size(), px}, tile)
}
