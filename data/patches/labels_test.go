package patches

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/internal/realdata"
)

func mustFit(t *testing.T, ds data.Dataset, c *Components, component, classes int) *Labels {
	t.Helper()
	l, err := FitLabels(t.Context(), ds, Score{Components: c, Component: component}, classes)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func mustApply(t *testing.T, l *Labels, ds data.Dataset) data.Dataset {
	t.Helper()
	labelled, err := l.Apply(t.Context(), ds)
	if err != nil {
		t.Fatal(err)
	}
	return labelled
}

// wantRanked fails the test unless the classes have equally many images, to within one, and the images of a class have
// projections of larger magnitude than those of the next.
func wantRanked(t *testing.T, projections []float64, labels []int, classes int) {
	t.Helper()
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if math.Abs(projections[a]) > math.Abs(projections[b]) {
			return -1
		}
		return 1
	})
	counts := make([]int, classes)
	for rank, i := range order {
		counts[labels[i]]++
		if rank > 0 && labels[i] < labels[order[rank-1]] {
			t.Fatalf("the image of rank %d has label %d, the one before %d", rank, labels[i], labels[order[rank-1]])
		}
	}
	if slices.Max(counts)-slices.Min(counts) > min(1, len(labels)%classes) {
		t.Errorf("the classes have %v images", counts)
	}
}

func TestLabels(t *testing.T) {
	ds := noise(103, shape(2, 6, 6))
	c := mustComponents(t, ds, 3, 0)
	for _, component := range []int{1, 2, 18} {
		for _, classes := range []int{1, 2, 10, 103} {
			train := mustApply(t, mustFit(t, ds, c, component, classes), ds)
			if len(train.Classes()) != classes || train.Classes()[0] != "1" {
				t.Errorf("classes %q", train.Classes())
			}
			projections, err := c.Projections(t.Context(), ds, component)
			if err != nil {
				t.Fatal(err)
			}
			wantRanked(t, projections, mustLabels(t, train), classes)
		}
	}
}

// TestScores compares the four kinds of scores with inner products of patches.
func TestScores(t *testing.T) {
	ds := noise(7, shape(2, 5, 5))
	c := mustComponents(t, ds, 3, 0)
	const component = 4
	for i, px := range ds.images {
		raw, all := 0., allPatches(px, ds.shape, 3)
		for _, h := range all {
			raw += dot(h, c.Vectors[component-1]) / float64(len(all))
		}
		centred := raw - dot(c.Mean, c.Vectors[component-1])
		for score, want := range map[Score]float64{
			{}: math.Abs(centred), {Signed: true}: centred, {Uncentred: true}: math.Abs(raw),
			{Signed: true, Uncentred: true}: raw,
		} {
			score.Components, score.Component = c, component
			if got, err := score.scores(t.Context(), ds); err != nil || math.Abs(got[i]-want) > 1e-6 {
				t.Errorf("image %d, uncentred %v, signed %v: %v, want %v, %v", i, score.Uncentred, score.Signed, got[i],
					want, err)
			}
		}
	}
}

// TestLabelsOfATestSplit checks that the label of an image depends only on the image and on the training split.
func TestLabelsOfATestSplit(t *testing.T) {
	all := noise(300, shape(1, 6, 6))
	train, test, err := data.Holdout(all, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := mustComponents(t, train, 3, 0)
	l := mustFit(t, train, c, 2, 4)
	projections, err := c.Projections(t.Context(), test, 2)
	if err != nil {
		t.Fatal(err)
	}
	labels := mustLabels(t, mustApply(t, l, test))
	for i, p := range projections {
		want := 0
		for _, threshold := range l.Thresholds {
			if math.Abs(p) < threshold {
				want++
			}
		}
		if labels[i] != want {
			t.Errorf("an image projected to %v has label %d, want %d of %v", p, labels[i], want, l.Thresholds)
		}
		if one := mustLabels(t, mustApply(t, l, data.Head(test, i+1))); one[i] != want {
			t.Errorf("with others the label of image %d differs", i)
		}
	}
}

// TestLabelsOfEqualImages checks that equal images get the same label.
func TestLabelsOfEqualImages(t *testing.T) {
	ds := noise(4, shape(1, 3, 3))
	ds.images[1], ds.images[2] = ds.images[0], ds.images[0]
	c := mustComponents(t, ds, 2, 0)
	labels := mustLabels(t, mustApply(t, mustFit(t, ds, c, 1, 2), ds))
	if labels[1] != labels[0] || labels[2] != labels[0] {
		t.Errorf("labels %v of three equal images and another", labels)
	}
}

func TestLabelErrors(t *testing.T) {
	ds := noise(10, shape(1, 4, 4))
	c := mustComponents(t, ds, 2, 0)
	for _, test := range []struct {
		name               string
		ds                 data.Dataset
		component, classes int
	}{
		{"no component", ds, 0, 2},
		{"no such component", ds, 5, 2},
		{"no classes", ds, 1, 0},
		{"more classes than images", ds, 1, 11},
		{"other channels", noise(10, shape(2, 4, 4)), 1, 2},
		{"images smaller than a patch", noise(10, shape(1, 1, 4)), 1, 2},
	} {
		score := Score{Components: c, Component: test.component}
		if _, err := FitLabels(t.Context(), test.ds, score, test.classes); err == nil {
			t.Errorf("%s: no error", test.name)
		}
	}
	l := mustFit(t, ds, c, 1, 2)
	if _, err := l.Apply(t.Context(), noise(10, shape(2, 4, 4))); err == nil {
		t.Error("labels for images of other channels: no error")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Apply(cancelled, ds); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestLabelsReal labels CIFAR-10 as paper energy does in Figure 7, and checks that the classes are equally large.
func TestLabelsReal(t *testing.T) {
	ds := mustOpen(t, "cifar10", data.Options{Dir: realdata.Folder(t, "cifar-10-batches-bin/test_batch.bin")})
	l := mustFit(t, ds, mustComponents(t, ds, 3, 500), 2, 10)
	counts := make([]int, 10)
	for _, label := range mustLabels(t, mustApply(t, l, ds)) {
		counts[label]++
	}
	for class, n := range counts {
		if n != 1000 {
			t.Errorf("%d images of class %d, want 1000", n, class)
		}
	}
}
