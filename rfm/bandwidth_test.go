package rfm

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// medianDistance returns the median distance of the rows of x in a metric and the p-norm, by its definition.
func medianDistance(t *testing.T, m *Metric, x *mat.Dense, p float64) float64 {
	var seen mat.Dense
	seen.Mul(x, symmetricRoot(t, m))
	var all []float64
	for i := range x.RawMatrix().Rows {
		for j := range i {
			sum := 0.
			for k, v := range seen.RawRowView(i) {
				sum += math.Pow(math.Abs(v-seen.At(j, k)), p)
			}
			if sum > 0 {
				all = append(all, math.Pow(sum, 1/p))
			}
		}
	}
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

func adaptiveMachine(k Kernel) Machine {
	return Machine{Kernel: k, Adaptive: true, Ridge: 1e-2, Iterations: 2, Precision: graph.Double, Seed: 3}
}

// In every iteration L is the machine's bandwidth times the median distance in the iteration's metric, in the kernel's
// own norm. The fit equals the fit of a machine with this L.
func TestAdaptiveBandwidth(t *testing.T) {
	rng := random(8)
	x := normal(rng, 41, 3)
	x.SetRow(7, x.RawRowView(3)) // gives a distance of 0, which does not count
	y := mat.NewDense(41, 1, nil)
	for i := range 41 {
		y.Set(i, 0, x.At(i, 0)*x.At(i, 1))
	}
	for _, c := range []struct {
		kernel Kernel
		p      float64
	}{{Laplace{.5}, 2}, {Gaussian{.7}, 2}, {Exponential{.7, .8}, 2}, {L1{.5}, 1}, {Product{.5, 1.4}, 1.4}, {Lpq{.5, 1.5, .9}, 1.5}} {
		m := adaptiveMachine(c.kernel)
		m.Diagonal = c.p < 2
		checked := 0
		m.Each = func(it *Iteration) error {
			train := it.Model().Centres()
			if want := Bandwidth(c.kernel) * medianDistance(t, it.Metric, train, c.p); math.Abs(it.Bandwidth-want) > 1e-9*want {
				t.Errorf("%v, iteration %d: L = %v, want %v", c.kernel, it.Index, it.Bandwidth, want)
			}
			if got := Bandwidth(it.Model().Kernel()); got != it.Bandwidth {
				t.Errorf("%v: the model has L = %v, the iteration %v", c.kernel, got, it.Bandwidth)
			}
			if it.Index > 0 {
				return nil
			}
			checked++
			plain := Machine{Ridge: m.Ridge, Precision: m.Precision, Seed: m.Seed}
			plain.Kernel, _ = WithBandwidth(c.kernel, it.Bandwidth)
			want, err := plain.Fit(context.Background(), x, y)
			if err != nil {
				return err
			}
			if d := far(it.Model().Coefficients(), want.Coefficients()); d > 1e-12 {
				t.Errorf("%v: the coefficients are %v from those of that L", c.kernel, d)
			}
			return nil
		}
		if _, err := m.Fit(context.Background(), x, y); err != nil || checked != 1 {
			t.Errorf("%v: %v, %d checked", c.kernel, err, checked)
		}
	}
}

// A saved model has the bandwidth of its iteration, and so has a fit that continues from remembered iterations.
func TestAdaptiveBandwidthIsKept(t *testing.T) {
	rng := random(9)
	x, y := normal(rng, 30, 3), normal(rng, 30, 1)
	m := adaptiveMachine(Laplace{.5})
	m.Select = Last
	want, err := m.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := want.Save(dir, nil); err != nil {
		t.Fatal(err)
	}
	loaded, _, err := LoadModel(dir)
	if err != nil || loaded.Kernel() != want.Kernel() {
		t.Fatalf("%v, %v; want %v", loaded.Kernel(), err, want.Kernel())
	}
	kept := map[int][]byte{}
	for range 2 {
		m.Remember = func(k int, find func() (*Iteration, error)) (*Iteration, error) {
			if b, there := kept[k]; there {
				it := &Iteration{}
				return it, gob.NewDecoder(bytes.NewReader(b)).Decode(it)
			}
			it, err := find()
			var b bytes.Buffer
			if err == nil {
				err = gob.NewEncoder(&b).Encode(it)
			}
			kept[k] = b.Bytes()
			return it, err
		}
		got, err := m.Fit(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := got.Predict(context.Background(), x)
		b, _ := want.Predict(context.Background(), x)
		if got.Kernel() != want.Kernel() || far(a, b) > 0 {
			t.Errorf("%v, want %v; predictions differ by %v", got.Kernel(), want.Kernel(), far(a, b))
		}
	}
}

// If there are more rows than are drawn for the median, L is near the median of all. If all rows are equal, L is the
// machine's bandwidth. Kernels without a bandwidth and [HyperBF] are refused.
func TestAdaptiveBandwidthOfManyAndOfEqualRows(t *testing.T) {
	x, y := normal(random(1), medianRows+200, 2), normal(random(2), medianRows+200, 1)
	m := Machine{Kernel: Laplace{1}, Adaptive: true, Ridge: 1, Select: Last}
	model, err := m.Fit(context.Background(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Bandwidth(model.Kernel()), medianDistance(t, Identity(2), x, 2); math.Abs(got-want) > .05*want {
		t.Errorf("L = %v of a sample, %v of all rows", got, want)
	}
	m.Kernel = Laplace{7}
	model, err = m.Fit(context.Background(), mat.NewDense(5, 2, nil), mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5}))
	if err != nil || Bandwidth(model.Kernel()) != 7 {
		t.Errorf("of equal rows: %v", err)
	}
	var input *InputError
	m.Kernel = NTK{2}
	if _, err = m.Fit(context.Background(), x, y); !errors.As(err, &input) {
		t.Errorf("a kernel without a bandwidth: %v", err)
	}
	h := HyperBF{Machine: Machine{Adaptive: true}}
	if _, err = h.Fit(context.Background(), x, y); !errors.As(err, &input) {
		t.Errorf("a network: %v", err)
	}
}
