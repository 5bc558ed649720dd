package rfm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// remembering keeps what iterations find as a file would, and ends the fit after so many
// that are new; 0 never does.
type remembering struct {
	found map[[2]int][]byte
	most  int
	made  int
}

var errEnough = errors.New("enough")

func (r *remembering) remember(layer, iteration int, find func() (*ConvFound, error)) (*ConvFound, error) {
	at := [2]int{layer, iteration}
	if text, there := r.found[at]; there {
		var f ConvFound
		err := gob.NewDecoder(bytes.NewReader(text)).Decode(&f)
		return &f, err
	}
	if r.most > 0 && r.made == r.most {
		return nil, errEnough
	}
	f, err := find()
	if err != nil {
		return nil, err
	}
	r.made++
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(f)
	r.found[at] = b.Bytes()
	return f, err
}

// A fit that is interrupted after every iteration and goes on from what is remembered
// finds the same to the bit.
func TestConvRemember(t *testing.T) {
	e, held, x := bars(1, 10, 7, 1), bars(3, 6, 7, 1), bars(2, 5, 7, 1).X
	for _, m := range []ConvMachine{{}, {Validation: &held, KernelScale: true}, {Whole: true, Sample: 4, Keep: .5, Scale: ScaleTrace}} {
		m.Kernel, m.Layers, m.Filters, m.Iterations, m.Ridges, m.Threads = CNTK{Layers: 3}, 2, 5, 2, []float64{.1, .01}, 1
		if m.Validation == nil {
			m.Ridges = m.Ridges[:1]
		}
		var want []ConvIteration
		m.Each = func(it *ConvIteration) error { want = append(want, *it); return nil }
		model := fitConv(t, m, e)

		r := &remembering{found: map[[2]int][]byte{}, most: 1}
		m.Remember = r.remember
		var got []ConvIteration
		m.Each = func(it *ConvIteration) error { got = append(got, *it); return nil }
		stops := 0
		again, err := m.Fit(t.Context(), e)
		for ; errors.Is(err, errEnough); again, err = m.Fit(t.Context(), e) {
			stops++
			r.made, got = 0, nil
		}
		if err != nil || stops != 5 || len(got) != 6 {
			t.Fatalf("stopped %d times, %d iterations: %v", stops, len(got), err)
		}
		for i, it := range got {
			w := want[i]
			same := it.Layer == w.Layer && it.Index == w.Index && it.Ridge == w.Ridge && it.Train.MSE == w.Train.MSE && it.Solution == w.Solution &&
				it.Metric.IsDiagonal() == w.Metric.IsDiagonal() && mat.Equal(it.Metric.Dense(), w.Metric.Dense()) &&
				(it.Validation == nil) == (w.Validation == nil) && (it.Validation == nil || *it.Validation == *w.Validation || math.IsNaN(it.Validation.R2+it.Validation.Accuracy) && it.Validation.MSE == w.Validation.MSE)
			if !same {
				t.Errorf("iteration %d: %+v, want %+v", i, it, w)
			}
		}
		if !mat.Equal(predictConv(t, again, x), predictConv(t, model, x)) {
			t.Error("another model")
		}
		// What was remembered of other images is refused.
		if _, err := m.Fit(context.Background(), bars(1, 8, 7, 1)); err == nil {
			t.Error("what is remembered of 10 images was taken for 8")
		}
	}
}

func FuzzMetricBinary(f *testing.F) {
	for _, m := range []*Metric{Identity(3), FullMetric(covariance(random(1), 4))} {
		b, err := m.MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Metric
		if m.UnmarshalBinary(b) != nil {
			return
		}
		if again, err := m.MarshalBinary(); err != nil || !bytes.Equal(again, b) {
			t.Errorf("%x became %x, %v", b, again, err)
		}
	})
}
