package cnfa

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// withoutTimes returns a copy of a verification without the times that it took.
func withoutTimes(v *Verification) *Verification {
	out := *v
	out.Gradients, out.Comparison = 0, 0
	return &out
}

// gatherAll computes all parts, in ranges of each groups, the last range first.
func gatherAll(t *testing.T, o Options, each int) []*Part {
	t.Helper()
	net := network(t, 3)
	n, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	parts := make([]*Part, n)
	for from := (n - 1) / each * each; from >= 0; from -= each {
		err := Gather(t.Context(), net, noise{2 * 9 * 8}, o, from, min(from+each, n), func(k int, p *Part) error {
			parts[k] = p
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return parts
}

// A verification from parts equals one that was computed in one run, to the bit, however its groups are divided.
func TestVerifyParts(t *testing.T) {
	for _, o := range []Options{
		{Images: 17, Groups: 5, NullDraws: 3, Threads: 2},
		{Images: 6, Groups: 5, Probes: 2, NullDraws: 3, Seed: 7, Threads: 1}, // few images: vectors are kept
	} {
		net := network(t, 3)
		want, err := Verify(t.Context(), net, noise{2 * 9 * 8}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range []int{1, 2, 5} {
			parts := gatherAll(t, o, each)
			got, err := VerifyParts(t.Context(), net, o, func(k int) (*Part, error) { return parts[k], nil })
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(withoutTimes(got), withoutTimes(want)) {
				t.Errorf("%+v in parts of %d groups:\n%+v\nwant\n%+v", o, each, got, want)
			}
		}
	}
}

// Parts of other images, layers or groups are refused, and errors of callbacks are returned.
func TestVerifyPartsMistakes(t *testing.T) {
	o, net := Options{Images: 6, Groups: 3, NullDraws: 1}, network(t, 3)
	parts := gatherAll(t, o, 3)
	broken := errors.New("broken")
	for want, change := range map[string]func(p *Part) error{
		"broken":        func(*Part) error { return broken },
		"of 3 images":   func(p *Part) error { p.Images = 3; return nil },
		"of 2 layers":   func(p *Part) error { p.Moments = p.Moments[:2]; return nil },
		"of 10 filters": func(p *Part) error { p.Moments = append(p.Moments[1:3:3], p.Moments[2:]...); return nil },
	} {
		_, err := VerifyParts(t.Context(), net, o, func(k int) (*Part, error) {
			p := *parts[k]
			return &p, change(&p)
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, groups := range [][2]int{{-1, 1}, {2, 2}, {2, 4}} {
		if err := Gather(t.Context(), net, noise{2 * 9 * 8}, o, groups[0], groups[1], nil); err == nil {
			t.Errorf("groups %v of 3 were gathered", groups)
		}
	}
	err := Gather(t.Context(), net, noise{2 * 9 * 8}, o, 0, 3, func(int, *Part) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("%v, want that of each", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Gather(ctx, net, noise{2 * 9 * 8}, o, 0, 3, func(int, *Part) error { return nil }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// The images of a group are divided into even batches, because a batch that is not full takes as long as a full one.
func TestEvenBatches(t *testing.T) {
	for _, c := range []struct {
		o    Options
		want int
	}{
		{Options{Images: 40, Groups: 1}, 20}, {Options{Images: 90, Groups: 2}, 23},
		{Options{Images: 64, Groups: 2}, 32},
		{Options{Images: 40, Groups: 1, Batch: 39}, 20}, {Options{Images: 40, Groups: 1, Batch: 100}, 40},
	} {
		for _, p := range gatherAll(t, c.o, 1) {
			if p.Batch != c.want {
				t.Errorf("%d images in %d groups, at most %d at a time: %d, want %d", c.o.Images, c.o.Groups, c.o.Batch,
					p.Batch, c.want)
			}
		}
	}
}
