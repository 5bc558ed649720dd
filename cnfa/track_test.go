package cnfa

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
)

func tracker(t *testing.T, n *models.Network, o Options) *Tracker {
	t.Helper()
	tr, err := NewTracker(context.Background(), n, noise{2 * 9 * 8}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func measure(t *testing.T, tr *Tracker) *Tracked {
	t.Helper()
	m, err := tr.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// train stands for training steps: it changes all parameters of the network in place, the running statistics of batch
// norms too.
func train(n *models.Network) {
	for i, p := range n.Parameters() {
		v := n.Value(p.Name).Float32s()
		for k := range v {
			v[k] *= float32(1 + .3*math.Sin(float64(i+k)))
		}
	}
}

// A measurement of a tracker equals the verification of the network at that time, with W and with W − W₀, to the bit.
func TestTrackerIsVerify(t *testing.T) {
	for _, o := range []Options{{}, {Precision: graph.Double}, {Probes: 3, Seed: 5}} {
		n := network(t, 1)
		o.Images, o.Groups, o.NullDraws, o.Threads, o.Initial = 11, 4, 3, 2, n.Clone()
		tr := tracker(t, n, o)
		for range 2 {
			train(n)
			got := measure(t, tr)
			want := verify(t, n, o)
			o.FromInitial = true
			wantChange := verify(t, n, o)
			o.FromInitial = false
			if got.Images != want.Images || got.Labelled != want.Labelled || got.Correct != want.Correct {
				t.Errorf("%d of %d labelled of %d images right, by verification %d of %d of %d",
					got.Correct, got.Labelled, got.Images, want.Correct, want.Labelled, want.Images)
			}
			for i, l := range got.Layers {
				w := want.Layers[i]
				if !reflect.DeepEqual(l, TrackedLayer{w, wantChange.Layers[i].Ansatz}) {
					t.Errorf("%s: tracked %+v, verified %+v and %+v", l.Name, l.Ansatz, w.Ansatz, wantChange.Layers[i].Ansatz)
				}
			}
		}
	}
}

// Before the first training step W − W₀ is zero, which is an error, not a similarity of 0.
func TestTrackerBeforeTraining(t *testing.T) {
	n := network(t, 1)
	tr := tracker(t, n, Options{Images: 6, Initial: n.Clone()})
	for _, l := range measure(t, tr).Layers {
		if !errors.Is(l.Change.Err, ErrZero) {
			t.Errorf("%s: W − W₀ before training: %+v", l.Name, l.Change)
		}
		if l.Ansatz.Err != nil || l.Ansatz.NullDraws != TrackedNullDraws {
			t.Errorf("%s: W before training: %+v", l.Name, l.Ansatz)
		}
		check(t, l.Name+": with the initial CNFM", *l.PearsonInit, 1)
	}
	train(n)
	for _, l := range measure(t, tr).Layers {
		if l.Change.Err != nil {
			t.Errorf("%s: W − W₀ after training: %v", l.Name, l.Change.Err)
		}
	}
}

// A measurement that was cancelled does not change the measurements after it.
func TestTrackerRepeats(t *testing.T) {
	n := network(t, 1)
	broken := false
	ctx, cancel := context.WithCancel(context.Background())
	tr := tracker(t, n, Options{Images: 12, Groups: 3, Batch: 2, NullDraws: 2, Initial: network(t, 2), Threads: 2,
		Progress: func(p Progress) {
			if broken && p.Done > p.Total/3 {
				cancel()
			}
		}})
	first := measure(t, tr)
	broken = true
	if _, err := tr.Measure(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a measurement that was broken off: %v", err)
	}
	broken = false
	if again := measure(t, tr); !reflect.DeepEqual(again.Layers, first.Layers) {
		t.Errorf("%+v, then %+v", first.Layers, again.Layers)
	}
}

// Repeated measurements leave no memory and no goroutines behind.
func TestTrackerMemory(t *testing.T) {
	n := network(t, 1)
	tr := tracker(t, n, Options{Images: 12, NullDraws: 2, Initial: network(t, 2)})
	heap := func() (bytes int64, goroutines int) {
		for range 4 {
			measure(t, tr)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc), runtime.NumGoroutine()
	}
	before, running := heap()
	after, still := heap()
	if after > before+64<<10 || still > running {
		t.Errorf("%d bytes and %d goroutines, after more measurements %d and %d", before, running, after, still)
	}
}

func TestTrackerMistakes(t *testing.T) {
	n := network(t, 1)
	for _, c := range []struct {
		want string
		set  Images
		o    Options
	}{
		{"needs the initial weights", noise{144}, Options{Images: 1}},
		{"want at least 1", noise{144}, Options{Initial: n}},
		{"does not decode", broken{noise{144}}, Options{Images: 9, Initial: n}},
		{"unknown backend", noise{144}, Options{Images: 1, Initial: n, Backend: "abacus"}},
	} {
		if _, err := NewTracker(context.Background(), n, c.set, c.o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
}
