package data

import (
	"context"
	"io"
	"sync/atomic"
)

// watched is a Dataset with the images of another that reports progress and stops with a context.
type watched struct {
	wrapper
	ctx      context.Context
	done     atomic.Int64
	progress func(done int)
	busy     atomic.Bool // whether progress is being called
}

// Watched returns the images of ds. Reading one calls progress from time to time, from one goroutine at a time, with the
// number of images read so far, and fails with the cause of ctx once ctx is done. So [Measure] and [Describe] can report
// progress and be stopped.
func Watched(ctx context.Context, ds Dataset, progress func(done int)) Dataset {
	return &watched{wrapper: wrapper{ds}, ctx: ctx, progress: progress}
}

// step counts an image that is read, and returns the cause of ctx if ctx is done.
func (w *watched) step() error {
	n := w.done.Add(1)
	if w.busy.CompareAndSwap(false, true) {
		w.progress(int(n))
		w.busy.Store(false)
	}
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	return nil
}

// Read implements Dataset.
func (w *watched) Read(i int, dst []float32) (int, error) {
	if err := w.step(); err != nil {
		return 0, err
	}
	return w.Dataset.Read(i, dst)
}

// bytes returns no bytes once ctx is done. Read then says why.
func (w *watched) bytes(i int, scratch []uint8) ([]uint8, int, bool) {
	if w.step() != nil {
		return nil, 0, false
	}
	return bytesOf(w.Dataset, i, scratch)
}

func (w *watched) identify(to io.Writer, i int) error {
	if err := w.step(); err != nil {
		return err
	}
	return identify(to, w.Dataset, i)
}
