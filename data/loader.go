package data

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Loader reads batches of a dataset, several images at once. It is safe for concurrent use while its fields do not
// change.
type Loader struct {
	// Dataset is the set to read. It must not be nil.
	Dataset Dataset

	// Normalisation is applied to every image. The zero value changes nothing.
	Normalisation Normalisation

	// Workers is the number of images read at once; 0 means GOMAXPROCS.
	Workers int
}

// Load reads images [lo,hi) into px, in image, row, column, channel order, and
// their labels into labels, -1 for images without one. len(px) must be
// (hi-lo)·Shape().Pixels(), and len(labels) hi-lo.
//
// It stops when ctx is done. If images cannot be read, it returns the error of the one with the lowest index; the
// contents of px and labels are then unspecified.
func (l *Loader) Load(ctx context.Context, lo, hi int, px []float32, labels []int) error {
	if err := l.check(lo, hi, px, labels); err != nil {
		return err
	}
	b := &batch{Loader: l, lo: lo, px: px, labels: labels, bad: hi}
	var wg sync.WaitGroup
	for range l.workers(hi - lo) {
		wg.Go(func() { b.work(ctx) })
	}
	wg.Wait()
	if b.err != nil {
		return fmt.Errorf("data: image %d of %s: %w", b.bad, l.Dataset.Name(), b.err)
	}
	return context.Cause(ctx)
}

// check returns an error unless the arguments of Load are valid.
func (l *Loader) check(lo, hi int, px []float32, labels []int) error {
	if n := l.Dataset.Len(); lo < 0 || lo > hi || hi > n {
		return fmt.Errorf("data: %s has images [0,%d), not [%d,%d)", l.Dataset.Name(), n, lo, hi)
	}
	if want := (hi - lo) * l.Dataset.Shape().Pixels(); len(px) != want || len(labels) != hi-lo {
		return fmt.Errorf("data: %d images of %v need %d pixels and %d labels, the destination has %d and %d",
			hi-lo, l.Dataset.Shape(), want, hi-lo, len(px), len(labels))
	}
	return l.Normalisation.Check(l.Dataset.Shape().Channels)
}

// workers returns the number of goroutines for n images.
func (l *Loader) workers(n int) int {
	w := l.Workers
	if w <= 0 {
		w = runtime.GOMAXPROCS(0)
	}
	return min(w, n)
}

// batch is the state of one call of Load.
type batch struct {
	*Loader
	lo     int
	px     []float32
	labels []int
	next   atomic.Int64 // the next image to read, minus lo

	mu  sync.Mutex
	bad int   // if err is set: the first image that could not be read
	err error // the error of that image
}

// work reads images until none is left, one fails, or ctx is done. Workers take images
// in order and finish what they have taken. So they read all images before the first bad
// one, and the error does not depend on timing.
func (b *batch) work(ctx context.Context) {
	pixels := b.Dataset.Shape().Pixels()
	for ctx.Err() == nil {
		k := int(b.next.Add(1)) - 1
		if k >= len(b.labels) {
			return
		}
		px := b.px[k*pixels : (k+1)*pixels]
		label, err := b.Dataset.Read(b.lo+k, px)
		if err != nil {
			b.fail(b.lo+k, err)
			return
		}
		b.Normalisation.Apply(px)
		b.labels[k] = label
	}
}

// fail records that image i could not be read, and ends the batch.
func (b *batch) fail(i int, err error) {
	b.next.Store(int64(len(b.labels)))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil || i < b.bad {
		b.bad, b.err = i, err
	}
}

// A byteSet is a Dataset whose pixels may be stored as bytes, and are then bytes/255.
type byteSet interface {
	// bytes returns the bytes of image i in channel, row, column order, and its
	// label; ok is false if the set does not store bytes. The caller must not
	// change the bytes, which may lie in the memory of scratch. It does not check
	// that i is valid.
	bytes(i int, scratch []uint8) (pix []uint8, label int, ok bool)
}

// bytesOf calls ds.bytes if ds is a byteSet.
func bytesOf(ds Dataset, i int, scratch []uint8) (pix []uint8, label int, ok bool) {
	if b, is := ds.(byteSet); is {
		return b.bytes(i, scratch)
	}
	return nil, 0, false
}

// A reader reads normalised views of images. It is not safe for concurrent use.
type reader struct {
	set    Dataset
	shape  Shape
	norm   Normalisation
	levels levels
	pix    []uint8   // scratch for the bytes of an image
	plain  []float32 // scratch for an image before it is moved
}

func newReader(ds Dataset, n Normalisation) *reader {
	s := ds.Shape()
	return &reader{
		set:    ds,
		shape:  s,
		norm:   n,
		levels: newLevels(s.Channels, n),
		pix:    make([]uint8, s.Pixels()),
		plain:  make([]float32, s.Pixels()),
	}
}

// read writes a view of image i to dst and returns its label. Sets of bytes take one
// table look-up per value, which is several times faster than Read.
func (r *reader) read(i int, v view, dst []float32) (int, error) {
	if pix, label, ok := bytesOf(r.set, i, r.pix); ok {
		r.levels.draw(dst, pix, r.shape, v)
		return label, nil
	}
	label, err := r.set.Read(i, r.plain)
	if err != nil {
		return 0, err
	}
	v.draw(dst, r.plain, r.shape)
	r.norm.Apply(dst)
	return label, nil
}
