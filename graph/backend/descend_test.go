package backend

import (
	"math"
	"slices"
	"testing"
)

// descent is an optimiser: its step on an engine, and the formula of its step for one weight.
type descent struct {
	name  string
	step  func(e Engine[float32], w, g, a, b []float32)
	naive func(w, g, a, b float64) (nw, na, nb float64)
}

func descents() []descent {
	m := Momentum{Rate: .1, Momentum: .9, Decay: .01}
	a := Adam{Rate: .02, Beta1: .9, Beta2: .99, Scale: 1.7, Eps: 1e-3, Decay: .01}
	d := Adadelta{Rate: .5, Rho: .9, Eps: 1e-3, Decay: .01}
	return []descent{
		{"momentum", func(e Engine[float32], w, g, v, _ []float32) { e.DescendMomentum(m, w, g, v) },
			func(w, g, v, _ float64) (float64, float64, float64) {
				v = m.Momentum*v + g + m.Decay*w
				return w - m.Rate*v, v, 0
			}},
		{"adam", func(e Engine[float32], w, g, x, y []float32) { e.DescendAdam(a, w, g, x, y) },
			func(w, g, x, y float64) (float64, float64, float64) {
				g += a.Decay * w
				x = a.Beta1*x + (1-a.Beta1)*g
				y = a.Beta2*y + (1-a.Beta2)*g*g
				return w - a.Rate*x/(math.Sqrt(y)*a.Scale+a.Eps), x, y
			}},
		{"adadelta", func(e Engine[float32], w, g, x, y []float32) { e.DescendAdadelta(d, w, g, x, y) },
			func(w, g, x, y float64) (float64, float64, float64) {
				g += d.Decay * w
				x = d.Rho*x + (1-d.Rho)*g*g
				step := g * math.Sqrt(y+d.Eps) / math.Sqrt(x+d.Eps)
				y = d.Rho*y + (1-d.Rho)*step*step
				return w - d.Rate*step, x, y
			}},
	}
}

// Every optimiser's step agrees with its formula, for few weights and many. The number of threads does not change a bit
// of the result.
func TestDescend(t *testing.T) {
	names := []string{"go"}
	if Native() {
		names = append(names, "native")
	}
	for _, n := range []int{1, 7, 1000, 3*descendGrain + 5} {
		for _, o := range descents() {
			for _, name := range names {
				one := descend(t, o, name, 1, n)
				for i, four := range descend(t, o, name, 3, n) {
					if !slices.Equal(one[i], four) {
						t.Errorf("%s, %s, %d weights: 3 threads differ from 1", o.name, name, n)
					}
				}
			}
		}
	}
}

// descend takes two steps and compares them with the formula. It returns the weights and the optimiser's state.
func descend(t *testing.T, o descent, name string, threads, n int) [][]float32 {
	t.Helper()
	dev, err := Open(Options{Backend: name, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	w, g, a, b := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range w {
		w[i], g[i] = float32(math.Sin(float64(i))), float32(math.Cos(float64(3*i)))
	}
	for range 2 {
		x, y, z := slices.Clone(w), slices.Clone(a), slices.Clone(b)
		if err := dev.Do(func() error { o.step(dev.Float32(), w, g, a, b); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range w {
			nw, na, nb := o.naive(float64(x[i]), float64(g[i]), float64(y[i]), float64(z[i]))
			if off(w[i], nw) || off(a[i], na) || off(b[i], nb) {
				t.Fatalf("%s, %s, weight %d of %d: %v %v %v, want %v %v %v", o.name, name, i, n, w[i], a[i],
					b[i], nw, na, nb)
			}
		}
	}
	return [][]float32{w, a, b}
}

func off(got float32, want float64) bool { return !(math.Abs(float64(got)-want) <= 2e-6) }
