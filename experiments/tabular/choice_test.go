package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
)

// If every configuration classifies all rows correctly, the first of the grid is chosen, as in the authors' code: the
// largest ridge, on the sphere, before any feature is learned. Its squared error is not the smallest.
func TestFirstOfEquals(t *testing.T) {
	dir := t.TempDir()
	var x [][4]float64
	var y []int
	for i := range 48 { // two clusters far apart, each with half of every fold
		class := i / 4 % 2
		x, y = append(x, [4]float64{20*float64(class) - 10, float64(i%5) / 10, float64(i%7) / 10, 0}), append(y, class)
	}
	uciSet{x: x, y: y}.write(t, dir, "apart")
	for _, paper := range []bool{false, true} {
		r := runBenchmark(t, Spec{Benchmark: dir, Methods: []string{"rfm"}, Iters: 2, PaperMode: paper}, Run{})
		for k, f := range r.Datasets[0].Methods[0].ByFold {
			want := Config{Kernel: "laplace", Bandwidth: rfm.DefaultBandwidth, Ridge: 10, Sphere: true}
			if f.Validated != 1 || f.Chosen != want {
				t.Errorf("paper mode %v, fold %d: %v with %+v", paper, k, f.Validated, f.Chosen)
			}
		}
	}
}

// The Laplace kernel, which is iteration 0 of RFM, tries every ridge and transform that RFM draws, each once. So RFM
// never validates worse.
func TestSharedDraws(t *testing.T) {
	laplace, machine := findMethod("laplace"), findMethod("rfm")
	for seed := range uint64(5) {
		s := Spec{Configs: 7, Seed: seed, Protocol: GrinsztajnProtocol}
		own := laplace.drawGrinsztajn(s, rfm.Regression, "x")
		for _, c := range machine.drawGrinsztajn(s, rfm.Regression, "x") {
			if c.Diagonal, c.Centre = false, false; !slices.Contains(own, c) {
				t.Errorf("seed %d: the Laplace kernel does not try %v", seed, c)
			}
		}
		once := map[Config]bool{}
		for _, c := range own {
			once[c] = true
		}
		if len(own) > 7 || len(once) != len(own) {
			t.Errorf("seed %d: %v", seed, own)
		}
	}
	whole := laplace.drawGrinsztajn(Spec{Configs: 1000}, rfm.Regression, "x")
	if !slices.Equal(whole, laplace.grinsztajnGrid(rfm.Regression, false)) {
		t.Errorf("of the whole grid: %v", whole)
	}
	dir := t.TempDir()
	for i := range 4 {
		writeStrip(t, 60, uint64(i), func(x [4]float64, _ int) string { return fmt.Sprint(x[0] * x[0]) }, dir,
			fmt.Sprintf("table%d.csv", i))
	}
	r := runBenchmark(t, Spec{Benchmark: dir, Protocol: GrinsztajnProtocol, Configs: 2, Repeats: 1, Iters: 1,
		Methods: []string{"rfm", "laplace"}}, Run{})
	for _, d := range r.Datasets {
		a, b := d.Methods[0].ByFold[0], d.Methods[1].ByFold[0]
		if !(a.Validated >= b.Validated) {
			t.Errorf("%s: RFM validates at %v, its iteration 0 at %v", d.Name, a.Validated, b.Validated)
		}
	}
}

// The C of a support vector machine is selected, and the machine separates classes that can be separated. It refuses
// regressions, and the record says so.
func TestSupportVectorMachine(t *testing.T) {
	dir := t.TempDir()
	var x [][4]float64
	var y []int
	for i := range 48 {
		class := i / 4 % 2
		x, y = append(x, [4]float64{20*float64(class) - 10, float64(i%5) / 10, float64(i%7) / 10, 0}), append(y, class)
	}
	uciSet{x: x, y: y}.write(t, dir, "apart")
	r := runBenchmark(t, Spec{Benchmark: dir, Methods: []string{"ntk-svm"}}, Run{})
	for k, f := range r.Datasets[0].Methods[0].ByFold {
		want := Config{Kernel: "ntk:1", C: .01, Sphere: true}
		if f.Validated != 1 || f.Score != 1 || f.Chosen != want || f.Chosen.String() != "ntk:1, C 0.01, unit sphere" {
			t.Errorf("fold %d: %v with %v", k, f.Score, f.Chosen)
		}
	}
	dir = t.TempDir()
	writeStrip(t, 60, 1, func(x [4]float64, _ int) string { return fmt.Sprint(x[0]) }, dir, "numbers.csv")
	r = runBenchmark(t, Spec{Benchmark: dir, Protocol: GrinsztajnProtocol, Configs: 2, Repeats: 1, Iters: 1,
		Methods: []string{"laplace", "ntk-svm"}}, Run{})
	if m := r.Datasets[0].Methods; m[0].Score == nil || m[1].Score != nil ||
		!strings.Contains(m[1].Error, "support vector machines classify") {
		t.Errorf("of a regression: %+v", m)
	}
}

// The grid of rfm-tuned begins with that of rfm, so that it never validates worse. Another configuration is chosen only
// if it is better. On larger tables rfm-tuned is refused, and the error says what to do.
func TestTunedMachine(t *testing.T) {
	plain, tuned := findMethod("rfm").uciGrid(Spec{}, 100, true), findMethod("rfm-tuned").uciGrid(Spec{}, 100, true)
	if len(tuned) != 12*len(plain) || !slices.Equal(tuned[:len(plain)], plain) {
		t.Errorf("the grid of %d does not begin with that of rfm", len(tuned))
	}
	dir := t.TempDir()
	writeStrip(t, 60, 1, func(x [4]float64, _ int) string {
		return fmt.Sprint(math.Sin(x[1]) > math.Cos(x[2]))
	}, dir, "waves.csv")
	r := runBenchmark(t, Spec{Benchmark: dir, Iters: 1, Methods: []string{"rfm", "rfm-tuned"}}, Run{})
	better := 0
	for k, f := range r.Datasets[0].Methods[1].ByFold {
		switch rfm := r.Datasets[0].Methods[0].ByFold[k]; {
		case f.Validated > rfm.Validated && f.Chosen != rfm.Chosen:
			better++
		case f.Validated != rfm.Validated || f.Chosen != rfm.Chosen:
			t.Errorf("fold %d: %v with %v, rfm %v with %v", k, f.Validated, f.Chosen, rfm.Validated, rfm.Chosen)
		}
	}
	if better == 0 {
		t.Error("the larger grid is nowhere better: this tests nothing")
	}
	if n := r.Datasets[0].Methods[1].Fits; n != 4*(len(tuned)+1) {
		t.Errorf("%d fits", n)
	}
	f := fitter{spec: Spec{}.WithDefaults(), method: findMethod("rfm-tuned"), set: &Set{rows: make([]int, 5001)}}
	if _, err := f.machine(tuned[0], 1); err == nil || !strings.Contains(err.Error(), "give --rows 5000") {
		t.Errorf("on 5001 rows: %v", err)
	}
}
