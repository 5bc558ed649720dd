package data

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// numbered returns a dataset of n images of one pixel. The value of the pixel and the label are the index of the image.
func numbered(n int) *table {
	ds := &table{shape: Shape{1, 1, 1}}
	for i := range n {
		ds.images = append(ds.images, []float32{float32(i)})
	}
	return ds
}

// copied returns a copy of a batch, which stays valid.
func copied(b Batch) Batch {
	return Batch{b.Index, slices.Clone(b.Pixels), slices.Clone(b.Labels)}
}

// mustCollect returns the batches of an epoch.
func mustCollect(t *testing.T, p *Pipeline, epoch, from int) []Batch {
	t.Helper()
	var all []Batch
	for b, err := range p.Epoch(t.Context(), epoch, from) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, copied(b))
	}
	return all
}

func labelsOf(batches []Batch) []int {
	var labels []int
	for _, b := range batches {
		labels = append(labels, b.Labels...)
	}
	return labels
}

// cifarPipeline returns a pipeline that shuffles, crops and flips ten images, in batches of 4, 4 and 2.
func cifarPipeline(t *testing.T) Pipeline {
	dir := t.TempDir()
	writeCIFAR(t, dir)
	return Pipeline{
		Dataset:       mustOpen(t, "cifar10", Options{Dir: dir, Split: "train"}),
		Normalisation: ImageNet(),
		Augmentation:  Augmentation{Crop: 4, Flip: true},
		Batch:         4,
		Seed:          3,
	}
}

func TestEpochsArePermutations(t *testing.T) {
	p := Pipeline{Dataset: numbered(1000), Batch: 32}
	orders := map[string]bool{}
	for seed := range 3 {
		p.Seed = uint64(seed)
		for epoch := range 5 {
			labels := labelsOf(mustCollect(t, &p, epoch, 0))
			orders[fmt.Sprint(labels)] = true
			slices.Sort(labels)
			for i, l := range labels {
				if i != l {
					t.Fatalf("epoch %d has image %d instead of %d", epoch, l, i)
				}
			}
		}
	}
	if len(orders) != 15 {
		t.Errorf("15 epochs have %d orders", len(orders))
	}
}

func TestBatchSizes(t *testing.T) {
	for _, test := range []struct{ images, batch, steps, last int }{
		{10, 4, 3, 2}, {8, 4, 2, 4}, {3, 4, 1, 3}, {1, 1, 1, 1}, {5, math.MaxInt, 1, 5},
	} {
		p := Pipeline{Dataset: numbered(test.images), Batch: test.batch}
		batches := mustCollect(t, &p, 0, 0)
		if len(batches) != test.steps || p.Steps() != test.steps {
			t.Fatalf("%d images by %d: %d batches and %d steps, want %d", test.images, test.batch, len(batches),
				p.Steps(), test.steps)
		}
		for k, b := range batches {
			want := test.batch
			if k == test.steps-1 {
				want = test.last
			}
			if b.Index != k || len(b.Labels) != want || len(b.Pixels) != want {
				t.Errorf("batch %d of %+v is %+v", k, test, b)
			}
		}
	}
}

// TestSequentialBatchesAreThoseOfTheLoader checks that a sequential pipeline, as used for evaluation, makes batches of
// what a Loader loads.
func TestSequentialBatchesAreThoseOfTheLoader(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 50})
	n := Normalisation{Mean: []float32{.25}, Std: []float32{.5}}
	p := Pipeline{Dataset: ds, Normalisation: n, Batch: 7, Sequential: true}
	px, labels := make([]float32, 50*784), make([]int, 50)
	if err := (&Loader{Dataset: ds, Normalisation: n}).Load(t.Context(), 0, 50, px, labels); err != nil {
		t.Fatal(err)
	}
	var got []float32
	batches := mustCollect(t, &p, 8, 0)
	for _, b := range batches {
		got = append(got, b.Pixels...)
	}
	if !slices.Equal(got, px) || !slices.Equal(labelsOf(batches), labels) {
		t.Error("the batches are not those of the loader")
	}
}

// TestBatchesDoNotDependOnWorkers checks that the batches depend neither on the number of workers or of batches made
// ahead, nor on whether images are read as bytes.
func TestBatchesDoNotDependOnWorkers(t *testing.T) {
	p := cifarPipeline(t)
	p.Batch = 1
	want := fmt.Sprint(mustCollect(t, &p, 2, 0))
	for _, workers := range []int{1, 2, 8} {
		for _, ahead := range []int{0, 1, 5} {
			p.Workers, p.Ahead = workers, ahead
			if fmt.Sprint(mustCollect(t, &p, 2, 0)) != want {
				t.Errorf("%d workers, %d ahead: other batches", workers, ahead)
			}
		}
	}
	p.Dataset = opaque{p.Dataset}
	if fmt.Sprint(mustCollect(t, &p, 2, 0)) != want {
		t.Error("without bytes: other batches")
	}
}

// TestResumedEpochs resumes an epoch from every batch.
func TestResumedEpochs(t *testing.T) {
	p := cifarPipeline(t)
	p.Batch = 1
	for epoch := range 3 {
		whole := mustCollect(t, &p, epoch, 0)
		for from := range p.Steps() + 1 {
			if fmt.Sprint(mustCollect(t, &p, epoch, from)) != fmt.Sprint(whole[from:]) {
				t.Errorf("epoch %d from batch %d: other batches", epoch, from)
			}
		}
	}
}

// TestManyWorkersKeepTheOrder checks the order of the batches with 16 workers, also where fewer batches than that may
// be in memory.
func TestManyWorkersKeepTheOrder(t *testing.T) {
	for ahead := range 4 {
		p := Pipeline{Dataset: numbered(2000), Batch: 1, Sequential: true, Workers: 16, Ahead: ahead}
		for i, l := range labelsOf(mustCollect(t, &p, 0, 0)) {
			if i != l {
				t.Fatalf("%d ahead: image %d instead of %d", ahead, l, i)
			}
		}
	}
}

// TestPipelineGolden fails if batches change, between versions of this package or of Go, or between machines. A resumed
// training would then differ from the one that was interrupted.
func TestPipelineGolden(t *testing.T) {
	p := cifarPipeline(t)
	h := sha256.New()
	for epoch := range 3 {
		fmt.Fprint(h, mustCollect(t, &p, epoch, 0))
	}
	const want = "c9fb4f95d32e5be712b4d9dcbeed2e87e663a98963535400e5584693573c3eba"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

// TestAugmentationsDiffer checks that images are moved to many places, and that the places depend on the seed, the
// epoch and the position.
func TestAugmentationsDiffer(t *testing.T) {
	ds := &table{shape: Shape{1, 8, 8}}
	for range 100 {
		ds.images = append(ds.images, make([]float32, 64))
		ds.images[len(ds.images)-1][3*8+4] = 1
	}
	p := Pipeline{Dataset: ds, Augmentation: Augmentation{Shift: 2}, Batch: 100, Sequential: true}
	epochs := map[string]bool{}
	for seed := range 2 {
		p.Seed = uint64(seed)
		for epoch := range 3 {
			px := mustCollect(t, &p, epoch, 0)[0].Pixels
			places := map[int]bool{}
			for k, v := range px {
				if v == 1 {
					places[k%64] = true
				}
			}
			if len(places) < 20 {
				t.Errorf("100 images are seen in %d of 25 places", len(places))
			}
			epochs[fmt.Sprint(px)] = true
		}
	}
	if len(epochs) != 6 {
		t.Errorf("6 epochs are augmented in %d ways", len(epochs))
	}
}

func TestPipelineChecks(t *testing.T) {
	glyphs := mustOpen(t, "glyphs", Options{Count: 10})
	for name, p := range map[string]Pipeline{
		"empty":         {Dataset: Head(glyphs, 0), Batch: 1},
		"batch":         {Dataset: glyphs},
		"normalisation": {Dataset: glyphs, Batch: 1, Normalisation: ImageNet()},
		"augmentation":  {Dataset: glyphs, Batch: 1, Augmentation: Augmentation{Crop: 28}},
		"workers":       {Dataset: glyphs, Batch: 1, Workers: -1},
		"ahead":         {Dataset: glyphs, Batch: 1, Ahead: -1},
	} {
		if err := p.Check(); err == nil {
			t.Errorf("%s: no error", name)
		}
		wantFailure(t, name, p.Epoch(t.Context(), 0, 0), 0)
	}
	p := Pipeline{Dataset: glyphs, Batch: 4}
	for _, at := range [][2]int{{-1, 0}, {0, -1}, {0, 4}} {
		wantFailure(t, fmt.Sprint(at), p.Epoch(t.Context(), at[0], at[1]), 0)
	}
}

// wantFailure fails the test unless the sequence has the given number of batches and then an error. It returns the
// error.
func wantFailure(t *testing.T, name string, epoch iter.Seq2[Batch, error], batches int) error {
	t.Helper()
	n := 0
	var failure error
	for _, err := range epoch {
		if failure != nil {
			t.Errorf("%s: it goes on after %v", name, failure)
		}
		if failure = err; err == nil {
			n++
		}
	}
	if failure == nil || n != batches {
		t.Errorf("%s: %d batches and the error %v, want %d and an error", name, n, failure, batches)
	}
	return failure
}

// TestEpochNamesTheImage checks that an epoch yields the batches before the first bad image and then an error that
// names it, whichever worker fails first.
func TestEpochNamesTheImage(t *testing.T) {
	ds := numbered(1000)
	ds.images[333], ds.images[335], ds.images[700] = nil, nil, nil
	for range 20 {
		p := Pipeline{Dataset: ds, Batch: 10, Sequential: true, Workers: 8}
		err := wantFailure(t, "a bad image", p.Epoch(t.Context(), 0, 0), 33)
		if !errors.Is(err, errTable) || !strings.Contains(err.Error(), "image 333 of table") {
			t.Fatalf("error %v, want that of image 333", err)
		}
	}
}

// TestBatchesAllocateNothing checks that no batch after the first ten allocates memory.
func TestBatchesAllocateNothing(t *testing.T) {
	p := cifarPipeline(t)
	indices := make([]int, 10_000)
	var err error
	if p.Dataset, err = Subset(p.Dataset, indices); err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull2(p.Epoch(t.Context(), 0, 0))
	defer stop()
	for range 10 {
		next()
	}
	if n := testing.AllocsPerRun(200, func() { next() }); n > 0 {
		t.Errorf("%v allocations a batch", n)
	}
}

// slow is a Dataset that takes a millisecond to read an image. It counts the images that are being read.
type slow struct {
	*table
	reading *atomic.Int64
}

func (d slow) Read(i int, dst []float32) (int, error) {
	d.reading.Add(1)
	defer d.reading.Add(-1)
	time.Sleep(time.Millisecond)
	return d.table.Read(i, dst)
}

// TestEpochEndsItsWorkers ends epochs in every way, and checks that no image is being read then. The test also fails if
// a goroutine still runs at the end of its synctest bubble.
func TestEpochEndsItsWorkers(t *testing.T) {
	cause := errors.New("enough")
	for _, test := range []struct {
		name    string
		end     func(cancel context.CancelCauseFunc) (goOn bool)
		batches int
		want    error
	}{
		{"break", func(context.CancelCauseFunc) bool { return false }, 10, nil},
		{"cancel", func(cancel context.CancelCauseFunc) bool { cancel(cause); return true }, 10, cause},
		{"finish", func(context.CancelCauseFunc) bool { return true }, 50, nil},
	} {
		for _, workers := range []int{1, 4} {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				ds := slow{numbered(100), new(atomic.Int64)}
				p := Pipeline{Dataset: ds, Batch: 2, Workers: workers}
				batches, failure := 0, error(nil)
				for _, err := range p.Epoch(ctx, 0, 0) {
					if failure = err; err != nil {
						continue
					}
					if batches++; batches == 10 && !test.end(cancel) {
						break
					}
				}
				if n := ds.reading.Load(); n != 0 {
					t.Errorf("%s: %d images are being read", test.name, n)
				}
				if batches != test.batches || !errors.Is(failure, test.want) {
					t.Errorf("%s: %d batches and the error %v, want %d and %v",
						test.name, batches, failure, test.batches, test.want)
				}
			})
		}
	}
}

// cancelling is a Dataset that calls cancel at the start of read number after, counted from 1.
type cancelling struct {
	*table
	after  int64
	cancel context.CancelFunc
}

func (d cancelling) Read(i int, dst []float32) (int, error) {
	if d.reads.Load()+1 == d.after {
		d.cancel()
	}
	return d.table.Read(i, dst)
}

// TestCancelledWithinABatch checks that a cancelled epoch ends without finishing the current batch.
func TestCancelledWithinABatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ds := cancelling{numbered(1000), 7, cancel}
	p := Pipeline{Dataset: ds, Batch: 1000, Workers: 1}
	if err := wantFailure(t, "cancelled", p.Epoch(ctx, 0, 0), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if n := ds.reads.Load(); n != 7 {
		t.Errorf("%d reads, cancelled in the 7th", n)
	}
}

// TestEpochsSideBySide runs several epochs of one pipeline at the same time.
func TestEpochsSideBySide(t *testing.T) {
	p := cifarPipeline(t)
	want := fmt.Sprint(mustCollect(t, &p, 1, 0))
	t.Run("group", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if fmt.Sprint(mustCollect(t, &p, 1, 0)) != want {
					t.Error("other batches")
				}
			})
		}
	})
}
