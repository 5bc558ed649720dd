package rfm

import (
	"bytes"
	"encoding/gob"
	"errors"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// memory stores iterations as a file would. If most is not 0, it ends a fit after that many new iterations.
type memory[I any] struct {
	stored     map[[2]int][]byte
	most, made int
}

var errEnough = errors.New("enough")

func (m *memory[I]) remember(layer, iteration int, find func() (*I, error)) (*I, error) {
	at := [2]int{layer, iteration}
	if text, there := m.stored[at]; there {
		it := new(I)
		return it, gob.NewDecoder(bytes.NewReader(text)).Decode(it)
	}
	if m.most > 0 && m.made == m.most {
		return nil, errEnough
	}
	it, err := find()
	if err != nil {
		return nil, err
	}
	m.made++
	var b bytes.Buffer
	err = gob.NewEncoder(&b).Encode(it)
	m.stored[at] = b.Bytes()
	return it, err
}

// refit calls fit until it is not stopped any more, and returns how often it was stopped.
func (m *memory[I]) refit(t *testing.T, fit func() error) int {
	t.Helper()
	for stops := 0; ; stops++ {
		m.made = 0
		err := fit()
		if err == nil {
			return stops
		}
		if !errors.Is(err, errEnough) {
			t.Fatalf("stopped %d times: %v", stops, err)
		}
	}
}

// gobOf returns the gob encoding of an iteration.
func gobOf(t *testing.T, it any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(it); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A fit that is stopped after every iteration, and continues from the remembered iterations, passes the same iterations
// to Each and ends with the same model, to the bit.
func TestRemember(t *testing.T) {
	x, held := normal(random(1), 40, 5), normal(random(2), 15, 5)
	target := func(x *mat.Dense) *mat.Dense { // the classes are given by the product of two features
		n, _ := x.Dims()
		labels := make([]int, n)
		for i := range labels {
			if x.At(i, 0)*x.At(i, 1) > 0 {
				labels[i] = 1
			}
		}
		return OneHot(labels, 2)
	}
	validation := &Examples{held, target(held)}
	stochastic := EigenPro{Stochastic: true, Subsample: 12, MaxEpochs: 5}
	for name, h := range map[string]HyperBF{
		"validation":         {Machine: Machine{Task: Classification, Validation: validation, Ridge: 1e-2}},
		"held out, diagonal": {Machine: Machine{Task: Classification, Diagonal: true, Scale: ScaleTrace}},
		"last, sample": {Machine: Machine{Select: Last, Sample: 15, CentreGradients: true,
			Kernel: NTK{Depth: 2}}},
		"EigenPro": {Machine: Machine{Select: Last, Ridge: .1, Solver: EigenPro{Subsample: 12},
			Precision: graph.Double}},
		"EigenPro, stochastic": {Machine: Machine{Validation: validation, Ridge: .1, Solver: stochastic,
			Diagonal: true}},
		"pseudo-inverse":         {Machine: Machine{Select: Last, Metric: Selection(5, nil)}},
		"hyper basis, by AGOP":   {Machine: Machine{Select: Last, Ridge: .1}, Centres: 9},
		"hyper basis, all of it": {Machine: Machine{Validation: validation, Ridge: .1, Kernel: Gaussian{}}},
	} {
		t.Run(name, func(t *testing.T) {
			h.Iterations, h.Seed, h.Threads = 3, 4, 1
			var passed [][]byte
			h.Each = func(it *Iteration) error {
				seconds := it.Seconds
				it.Seconds = 0
				passed = append(passed, gobOf(t, it))
				it.Seconds = seconds
				return nil
			}
			fit := func() (*Model, error) { return h.Fit(t.Context(), x, target(x)) }
			want, err := fit()
			if err != nil {
				t.Fatal(err)
			}
			all := passed

			m := &memory[Iteration]{stored: map[[2]int][]byte{}, most: 1}
			h.Remember = func(iteration int, find func() (*Iteration, error)) (*Iteration, error) {
				return m.remember(0, iteration, find)
			}
			var got *Model
			stops := m.refit(t, func() (err error) {
				passed = nil
				got, err = fit()
				return err
			})
			if stops != 3 || !slices.EqualFunc(passed, all, bytes.Equal) {
				t.Errorf("stopped %d times, other iterations than in one fit", stops)
			}
			a, b := predicted(t, want, held), predicted(t, got, held)
			if !mat.Equal(a, b) || !mat.Equal(want.Metric().Dense(), got.Metric().Dense()) ||
				!mat.Equal(want.Coefficients(), got.Coefficients()) {
				t.Error("another model than in one fit")
			}
			// The iterations of a fit to other examples are refused.
			if _, err := h.Fit(t.Context(), mat.DenseCopyOf(x.Slice(0, 30, 0, 5)),
				target(mat.DenseCopyOf(x.Slice(0, 30, 0, 5)))); h.Centres == 0 && err == nil {
				t.Error("iterations of 40 examples were taken for those of 30")
			}
		})
	}
	h := HyperBF{Machine: Machine{Ridge: 1, Kernel: Gaussian{}}, Update: ByDescent}
	h.Remember = func(_ int, find func() (*Iteration, error)) (*Iteration, error) { return find() }
	if _, err := h.Fit(t.Context(), x, target(x)); err == nil {
		t.Error("gradient descent was remembered without its optimiser")
	}
}

func predicted(t *testing.T, m *Model, x *mat.Dense) *mat.Dense {
	t.Helper()
	p, err := m.Predict(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestConvRemember does the same as TestRemember for a convolutional machine of two layers.
func TestConvRemember(t *testing.T) {
	e, held, x := bars(1, 10, 7, 1), bars(3, 6, 7, 1), bars(2, 5, 7, 1).X
	for _, c := range []ConvMachine{{}, {Validation: &held, KernelScale: true},
		{Whole: true, Sample: 4, Keep: .5, Scale: ScaleTrace}} {
		c.Kernel, c.Layers, c.Filters, c.Iterations, c.Ridges, c.Threads = CNTK{Layers: 3}, 2, 5, 2,
			[]float64{.1, .01}, 1
		if c.Validation == nil {
			c.Ridges = c.Ridges[:1]
		}
		var passed [][]byte
		c.Each = func(it *ConvIteration) error {
			seconds := it.Seconds
			it.Seconds = 0
			passed = append(passed, gobOf(t, it))
			it.Seconds = seconds
			return nil
		}
		want := fitConv(t, c, e)
		all := passed

		m := &memory[ConvIteration]{stored: map[[2]int][]byte{}, most: 1}
		c.Remember = m.remember
		var got *ConvModel
		stops := m.refit(t, func() (err error) {
			passed = nil
			got, err = c.Fit(t.Context(), e)
			return err
		})
		if stops != 5 || !slices.EqualFunc(passed, all, bytes.Equal) {
			t.Errorf("stopped %d times, other iterations than in one fit", stops)
		}
		if !mat.Equal(predictConv(t, got, x), predictConv(t, want, x)) {
			t.Error("another model than in one fit")
		}
		if _, err := c.Fit(t.Context(), bars(1, 8, 7, 1)); err == nil {
			t.Error("iterations of 10 images were taken for those of 8")
		}
	}
}

// A remembered iteration keeps the seconds that its computation took.
func TestRememberSeconds(t *testing.T) {
	m := Machine{Select: Last, Threads: 1, Remember: func(int, func() (*Iteration, error)) (*Iteration, error) {
		return &Iteration{Metric: Identity(2), Alpha: mat.NewDense(3, 1, []float64{1, 2, 3}), Seconds: 77}, nil
	}}
	m.Each = func(it *Iteration) error {
		if it.Seconds != 77 {
			t.Errorf("%v seconds", it.Seconds)
		}
		return nil
	}
	model, err := m.Fit(t.Context(), normal(random(1), 3, 2), normal(random(2), 3, 1))
	if err != nil || model.Coefficients().At(2, 0) != 3 {
		t.Error(err)
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
