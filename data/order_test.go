package data

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
)

// endless is a Dataset of n images that take no memory: the only pixel and the label of an image are its index.
type endless struct {
	n     int
	reads atomic.Int64
}

func (d *endless) Name() string      { return "endless" }
func (d *endless) Len() int          { return d.n }
func (d *endless) Shape() Shape      { return Shape{1, 1, 1} }
func (d *endless) Classes() []string { return nil }

func (d *endless) Read(i int, dst []float32) (int, error) {
	d.reads.Add(1)
	dst[0] = float32(i)
	return i, nil
}

// epochOf returns the indices of an epoch's images in the order of the epoch.
func epochOf(t *testing.T, p *Pipeline, epoch, from int) []int {
	t.Helper()
	var all []int
	for b, err := range p.Epoch(t.Context(), epoch, from) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b.Labels...)
	}
	return all
}

// TestBlocksHaveEveryImageOnce checks that an epoch has every image once, for many numbers of images and sizes of
// blocks.
func TestBlocksHaveEveryImageOnce(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 159, 160, 161, 1000, 4321} {
		for _, block := range []int{1, 2, 7, 10, 5000, math.MaxInt} {
			p := &Pipeline{Dataset: &endless{n: n}, Batch: 13, Block: block, Seed: uint64(n)}
			all := epochOf(t, p, 3, 0)
			slices.Sort(all)
			for i, v := range all {
				if v != i {
					t.Fatalf("%d images in blocks of %d: image %d comes as %d of %d", n, block, v, i, len(all))
				}
			}
			if len(all) != n {
				t.Fatalf("%d images in blocks of %d: %d come", n, block, len(all))
			}
		}
	}
}

// TestBlocksAreRunsOfTheSet checks that the images of 16 blocks come together, shuffled, with no others among them.
func TestBlocksAreRunsOfTheSet(t *testing.T) {
	const n, block = 100 * 64, 64
	all := epochOf(t, &Pipeline{Dataset: &endless{n: n}, Batch: 50, Block: block}, 0, 0)
	for g := 0; g < n; g += mixedBlocks * block {
		group := all[g:min(g+mixedBlocks*block, n)]
		counts := map[int]int{}
		for _, i := range group {
			counts[i/block]++
		}
		for b, count := range counts {
			if count != block {
				t.Fatalf("%d images of block %d are with the group at %d", count, b, g)
			}
		}
		if slices.IsSorted(group) || len(counts) > mixedBlocks {
			t.Errorf("the group at %d has %d blocks, sorted: %t", g, len(counts), slices.IsSorted(group))
		}
	}
}

// TestBlocksAreDeterministic checks that the order depends on the seed and the epoch, but not on the number of workers
// or on the batch from which an epoch is resumed.
func TestBlocksAreDeterministic(t *testing.T) {
	p := func(seed uint64, workers int) *Pipeline {
		return &Pipeline{Dataset: &endless{n: 3001}, Batch: 32, Block: 20, Seed: seed, Workers: workers}
	}
	want := epochOf(t, p(1, 1), 5, 0)
	if got := epochOf(t, p(1, 4), 5, 0); !slices.Equal(got, want) {
		t.Error("four workers have another order")
	}
	for _, from := range []int{1, 10, 50, 93} {
		if got := epochOf(t, p(1, 2), 5, from); !slices.Equal(got, want[32*from:]) {
			t.Errorf("taken up at batch %d the order is another", from)
		}
	}
	if slices.Equal(epochOf(t, p(1, 1), 6, 0), want) || slices.Equal(epochOf(t, p(2, 1), 5, 0), want) {
		t.Error("another epoch or seed has the same order")
	}
}

// TestBlocksAreShuffled checks that the position of an image in an epoch is uncorrelated with its index.
func TestBlocksAreShuffled(t *testing.T) {
	const n = 20000
	all := epochOf(t, &Pipeline{Dataset: &endless{n: n}, Batch: 100, Block: 10}, 0, 0)
	sum := 0.
	for position, i := range all {
		sum += (float64(position) - (n-1)/2.) * (float64(i) - (n-1)/2.)
	}
	// The correlation over a random permutation of 2000 blocks has a standard deviation of 1/√2000.
	if r := sum / (n * (float64(n)*n - 1) / 12); math.Abs(r) > 4/math.Sqrt(2000) {
		t.Errorf("positions and indices have the correlation %v", r)
	}
}

// TestBlocksOfASetLargerThanMemory checks that an epoch of ten million images takes at most 16 MB, so that it keeps no
// list of them.
func TestBlocksOfASetLargerThanMemory(t *testing.T) {
	const n = 10_000_000
	d := &endless{n: n}
	p := &Pipeline{Dataset: d, Batch: 1 << 14, Block: 1 << 12, Workers: 2}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	seen, most := 0, uint64(0)
	for b, err := range p.Epoch(t.Context(), 0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		seen += len(b.Labels)
		if b.Index%200 == 0 {
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		}
	}
	if seen != n || d.reads.Load() != n {
		t.Errorf("%d images come, %d were read", seen, d.reads.Load())
	}
	if most > 16<<20 {
		t.Errorf("an epoch takes up to %d MB", most>>20)
	}
}

func TestDecodes(t *testing.T) {
	dir := t.TempDir()
	write(t, encodePNG(t, 8, 8), dir, "a", "1.png")
	write(t, encodePNG(t, 8, 8), dir, "b", "2.png")
	files, digits := mustOpen(t, dir, Options{Size: 8}), mustOpen(t, "glyphs", Options{Count: 10})
	labelled, err := RandomLabels(files, 1)
	if err != nil {
		t.Fatal(err)
	}
	shades, err := Grey(files)
	if err != nil {
		t.Fatal(err)
	}
	for ds, want := range map[Dataset]bool{files: true, Head(files, 1): true, labelled: true, shades: true,
		Head(shades, 1): true, digits: false, Head(digits, 2): false} {
		if Decodes(ds) != want {
			t.Errorf("%s (%T) decodes: %t", ds.Name(), ds, !want)
		}
	}
	if p := (&Pipeline{Dataset: files, Batch: 1}); p.workers() != runtime.GOMAXPROCS(0) {
		t.Errorf("%d workers decode", p.workers())
	}
}
