package data

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/data/imagefile"
)

// wrappers returns functions that wrap a set of four images in another, by name.
func wrappers(t *testing.T) map[string]func(Dataset) Dataset {
	t.Helper()
	must := func(ds Dataset, err error) Dataset {
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	return map[string]func(Dataset) Dataset{
		"subset":  func(ds Dataset) Dataset { return must(Subset(ds, []int{3, 0, 1, 2})) },
		"head":    func(ds Dataset) Dataset { return Head(ds, 4) },
		"shifted": func(ds Dataset) Dataset { return must(Shifted(ds, 3, 1)) },
		"random":  func(ds Dataset) Dataset { return must(RandomLabels(ds, 1)) },
		"relabel": func(ds Dataset) Dataset { return must(Relabel(ds, []int{1, 0, 1, 0}, []string{"a", "b"})) },
		"held":    Held,
		"grey":    func(ds Dataset) Dataset { return must(Grey(ds)) },
		"watched": func(ds Dataset) Dataset { return Watched(context.Background(), ds, func(int) {}) },
	}
}

// TestWrappersOfWrappers checks that sets wrapped twice return the same pixels and labels in every way of reading them,
// and keep what the wrappers do not change.
func TestWrappersOfWrappers(t *testing.T) {
	dir := t.TempDir()
	for k := range 4 {
		write(t, encodePNG(t, 14+k, 15), dir, string(rune('a'+k%2)), string(rune('0'+k))+".png")
	}
	bases := []Dataset{
		mustOpen(t, "deadleaves", Options{Count: 4}),
		mustOpen(t, "glyphs", Options{Count: 4, Size: 16}),
		mustOpen(t, "noisydigits", Options{Count: 4}),
		mustOpen(t, dir, Options{Size: 12}),
	}
	all := wrappers(t)
	for outer, wrap := range all {
		for inner, base := range all {
			for _, ds := range bases {
				checkWrapped(t, outer+" of "+inner+" of "+ds.Name(), wrap(base(ds)), ds)
			}
		}
	}
}

// checkWrapped fails the test unless all ways of reading the images of ds agree, and ds keeps the split of base and
// whether it decodes files.
func checkWrapped(t *testing.T, name string, ds, base Dataset) {
	t.Helper()
	if splitOf(ds) != splitOf(base) || Decodes(ds) != Decodes(base) || ds.Len() != 4 {
		t.Errorf("%s: split %q, decodes %t, %d images", name, splitOf(ds), Decodes(ds), ds.Len())
	}
	for i := range ds.Len() {
		if (File(ds, i) == "") != (File(base, i) == "") {
			t.Errorf("%s: image %d is of file %q, and of %q in the set", name, i, File(ds, i), File(base, i))
		}
		px, label := mustRead(t, ds, i)
		if l, err := labelOf(ds, i); l != label || err != nil {
			t.Errorf("%s: image %d has label %d, and %d, %v when it is asked for", name, i, label, l, err)
		}
		pix, l, ok := bytesOf(ds, i, nil)
		if !ok {
			continue
		}
		again, _, _ := bytesOf(ds, i, make([]uint8, len(px)))
		want := make([]float32, len(px))
		imagefile.PlanesToUnit(want, pix, ds.Shape().Channels)
		for k := range px {
			if math.Abs(float64(px[k]-want[k])) > 1e-6 {
				t.Fatalf("%s: pixel %d of image %d is %v, and %v by its bytes", name, k, i, px[k], want[k])
			}
		}
		if l != label || !bytes.Equal(pix, again) {
			t.Errorf("%s: image %d has other bytes or another label, %d, with memory to write to", name, i, l)
		}
	}
}

// TestDigestsTellSizes checks that sets made of images of different sizes have different digests.
func TestDigestsTellSizes(t *testing.T) {
	digest := func(ds Dataset) string {
		info, err := Describe(ds)
		if err != nil {
			t.Fatal(err)
		}
		return info.SHA256
	}
	dir := t.TempDir()
	writeCIFAR(t, dir)
	open := func(name string, size int) Dataset {
		return mustOpen(t, name, Options{Dir: dir, Split: "train", Size: size})
	}
	if digest(open("sidebyside:cifar10,glyphs", 0)) == digest(open("sidebyside:cifar10,glyphs", 32)) {
		t.Error("digits in a black frame have the digest of digits that are scaled")
	}
	shades := func(size int) Dataset {
		ds, err := Grey(open("cifar10", size))
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	if digest(shades(24)) == digest(shades(40)) {
		t.Error("grey images of different sizes have one digest")
	}
}

func TestWatched(t *testing.T) {
	ds := mustOpen(t, "glyphs", Options{Count: 300})
	for name, measure := range map[string]func(Dataset) error{
		"describe": func(ds Dataset) error { _, err := Describe(ds); return err },
		"measure":  func(ds Dataset) error { _, err := Measure(ds, 0); return err },
		"load": func(ds Dataset) error {
			l := Loader{Dataset: ds}
			return l.Load(context.Background(), 0, 300, make([]float32, 300*784), make([]int, 300))
		},
	} {
		most := 0
		if err := measure(Watched(t.Context(), ds, func(n int) { most = max(most, n) })); err != nil ||
			most < 1 || most > 300 {
			t.Errorf("%s: %v, %d images seen", name, err, most)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		enough := errors.New("enough")
		err := measure(Watched(ctx, ds, func(n int) {
			if n >= 20 {
				cancel(enough)
			}
		}))
		cancel(nil)
		if !errors.Is(err, enough) {
			t.Errorf("%s, ended: %v", name, err)
		}
	}
}
