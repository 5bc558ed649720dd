package energy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linearTask returns n average patches of d elements, whose matrix has the given rank and a mean far from 0, and labels
// 0 and 1.
func linearTask(n, d, rank int, seed uint64) (k *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	a, b := mat.NewDense(n, rank, nil), mat.NewDense(rank, d, nil)
	for i := range n {
		for j := range rank {
			a.Set(i, j, rng.NormFloat64()+float64(1-min(j, 1)))
		}
	}
	for i := range rank {
		for j := range d {
			b.Set(i, j, rng.NormFloat64()/float64(1+i)) // so that the curvatures differ in size
		}
	}
	k = new(mat.Dense)
	k.Mul(a, b)
	for range n {
		y = append(y, float64(rng.IntN(2)))
	}
	return k, y
}

// descendNaively takes the steps of gradient descent one by one, in plain loops.
func descendNaively(k *mat.Dense, y, start []float64, g Descent) []float64 {
	n, d := k.Dims()
	w := make([]float64, d)
	copy(w, start)
	for range g.Steps {
		gradient := make([]float64, d)
		for i := range n {
			r := -y[i]
			for j := range d {
				r += k.At(i, j) * w[j]
			}
			for j := range d {
				gradient[j] += 2 * r * k.At(i, j) / float64(n)
			}
		}
		for j := range d {
			w[j] -= g.Rate / float64(g.Width) * gradient[j]
		}
	}
	return w
}

func relative(got, want []float64) float64 {
	return floats.Distance(got, want, 2) / floats.Norm(want, 2)
}

// The closed form gives what the steps give, for any number of steps, rate, width and rank. The steps are short, or so
// long that the sign of the error alternates.
func TestLinearDescent(t *testing.T) {
	for _, c := range []struct{ n, d, rank int }{{30, 6, 6}, {30, 6, 3}, {5, 8, 5}} {
		k, y := linearTask(c.n, c.d, c.rank, 3)
		l, err := NewLinearCNN(k)
		if err != nil || l.Rank() != c.rank {
			t.Fatalf("rank %d, %v", l.Rank(), err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		start := make([]float64, c.d)
		for i := range start {
			start[i] = rng.NormFloat64()
		}
		for _, width := range []int{1, 7} {
			for _, share := range []float64{1e-3, .3, .9} {
				for _, steps := range []int{0, 1, 2, 25, 400} {
					g := Descent{Rate: share * l.MaxRate(width), Width: width, Steps: steps}
					for _, from := range [][]float64{nil, start} {
						got, err := l.Descend(y, from, g)
						if err != nil {
							t.Fatal(err)
						}
						want := descendNaively(k, y, from, g)
						if floats.Norm(want, 2) == 0 && floats.Norm(got, 2) == 0 {
							continue
						}
						if e := relative(got, want); !(e < 1e-11) {
							t.Errorf("%+v, %+v, start %v: %v", c, g, from != nil, e)
						}
					}
				}
			}
		}
	}
}

// A million steps arrive at the optimum. The gradient is 0 there, and where there are several optima it is the one with
// the least norm.
func TestLinearOptimum(t *testing.T) {
	for _, rank := range []int{6, 3} {
		k, y := linearTask(30, 6, rank, 5)
		l, err := NewLinearCNN(k)
		if err != nil {
			t.Fatal(err)
		}
		best, err := l.Optimum(y)
		if err != nil {
			t.Fatal(err)
		}
		arrived, err := l.Descend(y, nil, Descent{Rate: l.MaxRate(1) / 2, Width: 1, Steps: 1e6})
		if err != nil || !(relative(arrived, best) < 1e-11) {
			t.Errorf("rank %d: a million steps end %v from the optimum, %v", rank, relative(arrived, best), err)
		}
		after := descendNaively(k, y, best, Descent{Rate: l.MaxRate(1) / 2, Width: 1, Steps: 1})
		if e := relative(after, best); e > 1e-13 {
			t.Errorf("rank %d: a step from the optimum moves by %v", rank, e)
		}
		// The solution of least norm has no component along directions that K does not see.
		var svd mat.SVD
		if !svd.Factorize(k, mat.SVDFull) {
			t.Fatal("no singular values")
		}
		var v mat.Dense
		svd.VTo(&v)
		for j := rank; j < 6; j++ {
			if e := floats.Dot(best, mat.Col(nil, j, &v)); math.Abs(e) > 1e-13 {
				t.Errorf("rank %d: the optimum has %v along a direction that K does not see", rank, e)
			}
		}
	}
}

// The steps lead to (KᵀK + Λ)⁻¹Kᵀy, also where KᵀK is singular.
func TestLinearRegulariser(t *testing.T) {
	for _, rank := range []int{6, 3} {
		k, y := linearTask(30, 6, rank, 7)
		l, err := NewLinearCNN(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, steps := range []int{1, 2, 50} {
			for _, share := range []float64{.01, .9} {
				g := Descent{Rate: share * l.MaxRate(4), Width: 4, Steps: steps}
				lambda, err := l.Regulariser(g)
				if err != nil {
					t.Fatal(err)
				}
				var kk, a mat.Dense
				kk.Mul(k.T(), k)
				a.Add(&kk, lambda)
				var ky, w mat.VecDense
				ky.MulVec(k.T(), mat.NewVecDense(30, y))
				if err := w.SolveVec(&a, &ky); err != nil {
					t.Fatal(err)
				}
				want := descendNaively(k, y, nil, g)
				if e := relative(w.RawVector().Data, want); !(e < 1e-9) {
					t.Errorf("rank %d, %+v: %v", rank, g, e)
				}
			}
		}
		if _, err := l.Regulariser(Descent{Rate: 1, Width: 1}); err == nil {
			t.Error("a regulariser before the first step")
		}
	}
}

// The closed form gives the filters that [models.Trainer] arrives at when it trains the network itself.
func TestLinearCNNIsTrained(t *testing.T) {
	const n, side, q = 12, 7, 3
	rng := rand.New(rand.NewPCG(4, 4))
	px := make([]float32, n*side*side*2) // two channels
	for i := range px {
		px[i] = rng.Float32()
	}
	var labels []int
	var y []float64
	for i := range n {
		labels, y = append(labels, i%3%2), append(y, float64(i%3%2))
	}
	l, err := NewLinearCNN(averagePatchesNaively(px, n, side, 2, q))
	if err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, width := range []int{1, 6} {
		for _, rate := range []float64{.01, .8 * l.MaxRate(width)} {
			arch, err := models.Lookup("linear-cnn")
			if err != nil {
				t.Fatal(err)
			}
			arch.Width = float64(width) / 64
			net, err := arch.InitNetwork(models.Shape{Channels: 2, Height: side, Width: side}, 2, 3)
			if err != nil {
				t.Fatal(err)
			}
			w0 := net.Filters("conv")
			trainer, err := models.NewTrainer(net, d, models.TrainOptions{Batch: n, Optimiser: models.SGD{LR: rate},
				Loss: models.MeanSquaredError, Precision: graph.Double})
			if err != nil {
				t.Fatal(err)
			}
			for step := range 61 {
				if step == 0 || step == 1 || step == 7 || step == 60 {
					want, err := l.Filters(y, w0, Descent{Rate: rate, Width: width, Steps: step})
					if err != nil {
						t.Fatal(err)
					}
					weight, _ := trainer.State().Get("weights/conv.weight")
					if e := relative(weight.Float64s(), want.RawMatrix().Data); !(e < 1e-12) {
						t.Errorf("width %d, rate %v, step %d: %v", width, rate, step, e)
					}
				}
				if _, err := trainer.Step(t.Context(), px, labels); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// averagePatchesNaively returns the average patch of every square image, in the order (channel, row, column). Pixels
// are in the order (row, column, channel).
func averagePatchesNaively(px []float32, n, side, channels, q int) *mat.Dense {
	k := mat.NewDense(n, channels*q*q, nil)
	windows := side - q + 1
	for i := range n {
		for top := range windows {
			for left := range windows {
				for c := range channels {
					for row := range q {
						for column := range q {
							v := px[((i*side+top+row)*side+left+column)*channels+c]
							at := (c*q+row)*q + column
							k.Set(i, at, k.At(i, at)+float64(v)/float64(windows*windows))
						}
					}
				}
			}
		}
	}
	return k
}

// The two parts of the profile add up to its energies, in any orthonormal basis.
func TestSquaredProfile(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	w := mat.NewDense(5, 4, nil)
	for i := range 5 {
		for j := range 4 {
			w.Set(i, j, rng.NormFloat64()+1)
		}
	}
	p, err := cnfa.RandomFrame(4, 4, rng)
	if err != nil {
		t.Fatal(err)
	}
	mean, spread := SquaredProfile(w, mat.DenseCopyOf(p.T()))
	for i := range 4 {
		energy := 0.
		for j := range 5 {
			e := floats.Dot(w.RawRowView(j), p.RawRowView(i))
			energy += e * e / 5
		}
		if math.Abs(mean[i]+spread[i]-energy) > 1e-12 || mean[i] < 0 || spread[i] < 0 {
			t.Errorf("component %d: %v + %v, want %v", i, mean[i], spread[i], energy)
		}
	}
}

func TestLinearCNNErrors(t *testing.T) {
	k, y := linearTask(9, 4, 4, 1)
	l, err := NewLinearCNN(k)
	if err != nil {
		t.Fatal(err)
	}
	bad := mat.DenseCopyOf(k)
	bad.Set(1, 1, math.NaN())
	_, nan := NewLinearCNN(bad)
	_, zero := NewLinearCNN(mat.NewDense(3, 2, nil))
	_, labels := l.Optimum(y[1:])
	_, start := l.Descend(y, []float64{1}, Descent{Rate: 1, Width: 1})
	_, width := l.Filters(y, mat.NewDense(3, 4, nil), Descent{Rate: 1, Width: 2})
	all := []error{nan, zero, labels, start, width}
	for _, g := range []Descent{{Rate: 0, Width: 1}, {Rate: math.Inf(1), Width: 1}, {Rate: 1},
		{Rate: 1, Width: 1, Steps: -1}} {
		_, err := l.Descend(y, nil, g)
		all = append(all, err)
	}
	for i, err := range all {
		if err == nil {
			t.Error(fmt.Sprint("no error in case ", i))
		}
	}
}
