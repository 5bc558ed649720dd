package alignmentpaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/settings"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// smokeSpec returns a copy of the settings of scale smoke.
func smokeSpec() *ModularSpec {
	s := *modular().Specs[study.Smoke].(*ModularSpec)
	return &s
}

// Every pair occurs once, with its sum as the label. The task with random labels has the same pairs, and each label
// equally often.
func TestTask(t *testing.T) {
	s := smokeSpec()
	in := study.Setting{Seed: 2}
	addition, err := s.task(in, false)
	if err != nil {
		t.Fatal(err)
	}
	random, err := s.task(in, true)
	if err != nil {
		t.Fatal(err)
	}
	p := s.Modulus
	if n, _ := addition.train.X.Dims(); n != 231 {
		t.Errorf("%d training pairs, want 80 %% of 289", n)
	}
	seen := map[[2]int]bool{}
	different, counts := 0, make([]int, p)
	for part, e := range []rfm.Examples{addition.train, addition.test} {
		other := []rfm.Examples{random.train, random.test}[part]
		if !mat.Equal(e.X, other.X) {
			t.Error("random labels are on other pairs")
		}
		n, _ := e.X.Dims()
		for i := range n {
			row := e.X.RawRowView(i)
			a, b := slices.Index(row[:p], 1), slices.Index(row[p:], 1)
			seen[[2]int{a, b}] = true
			label := slices.Index(e.Y.RawRowView(i), 1)
			if label != (a+b)%p || sum(row) != 2 || sum(e.Y.RawRowView(i)) != 1 {
				t.Errorf("%d + %d is %d", a, b, label)
			}
			drawn := slices.Index(other.Y.RawRowView(i), 1)
			counts[drawn]++
			if drawn != label {
				different++
			}
		}
	}
	if len(seen) != p*p || different < p*p/2 || slices.Min(counts) != p || slices.Max(counts) != p {
		t.Errorf("%d pairs, %d with other labels, of every label %v", len(seen), different, counts)
	}
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// An iteration computes what the authors' code does: α solves Kα = Y for K = exp(−‖x − z‖²_M/(2L²)), and the next M is
// the square root of the average outer product of the centred gradients −Σⱼ αⱼK(x, xⱼ)M(x − xⱼ)/L².
func TestIterationIsTheFormula(t *testing.T) {
	s := smokeSpec()
	s.Modulus = 5
	in := study.Setting{Seed: 1, Threads: 1}
	task, err := s.task(in, false)
	if err != nil {
		t.Fatal(err)
	}
	metric := rfm.Identity(10)
	for range 2 { // with M = I and with another M
		state, err := s.iterate(t.Context(), in, task, metric, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := naiveNext(task.train, metric.Dense(), s.Bandwidth); !mat.EqualApprox(state.Next.Dense(), want, 1e-7) {
			t.Errorf("%v, want %v", mat.Formatted(state.Next.Dense()), mat.Formatted(want))
		}
		metric = state.Next
	}
}

// naiveNext computes the next M by loops over pairs of examples.
func naiveNext(e rfm.Examples, m *mat.SymDense, bandwidth float64) *mat.SymDense {
	n, d := e.X.Dims()
	_, c := e.Y.Dims()
	k := mat.NewDense(n, n, nil)
	steps := make([][]*mat.VecDense, n) // M(xᵢ − xⱼ)
	for i := range n {
		for j := range n {
			var difference, step mat.VecDense
			difference.SubVec(e.X.RowView(i), e.X.RowView(j))
			step.MulVec(m, &difference)
			steps[i] = append(steps[i], &step)
			k.Set(i, j, math.Exp(-mat.Dot(&difference, &step)/(2*bandwidth*bandwidth)))
		}
	}
	var alpha mat.Dense
	if err := alpha.Solve(k, e.Y); err != nil {
		panic(err)
	}
	agop := mat.NewSymDense(d, nil)
	for output := range c {
		gradients := mat.NewDense(n, d, nil)
		means := make([]float64, d)
		for i := range n {
			for j := range n {
				for x := range d {
					g := -alpha.At(j, output) * k.At(i, j) * steps[i][j].AtVec(x) / (bandwidth * bandwidth)
					gradients.Set(i, x, gradients.At(i, x)+g)
					means[x] += g / float64(n)
				}
			}
		}
		for i := range n {
			for x := range d {
				gradients.Set(i, x, gradients.At(i, x)-means[x])
			}
			agop.SymRankOne(agop, 1/float64(n), gradients.RowView(i))
		}
	}
	root, err := rfm.FullMetric(agop).ToPower(.5)
	if err != nil {
		panic(err)
	}
	return root.Dense()
}

// A run at scale smoke measures everything that the claims refer to. At this scale, too, the machine and the network
// generalise late, on addition but not on random labels.
func TestModularSmoke(t *testing.T) {
	s := smokeSpec()
	o, err := s.Run(t.Context(), study.Setting{Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range modularClaims() {
		if v := o.Value(c.Measure); math.IsNaN(v) {
			t.Errorf("%s was not measured", c.Measure.Name())
		}
	}
	for _, m := range []study.Measure{rfmTrainLeast, rfmTrainLeast.Of(labelsPart), rfmTestLast, netTrainLast, netTestLast,
		netTrainLast.Of(labelsPart), circulantTest} {
		near(t, m.Name(), o.Value(m), 1, .02)
	}
	for _, m := range []study.Measure{rfmTestFirst, netTestFitted, rfmTestLast.Of(labelsPart),
		netTestLast.Of(labelsPart)} {
		near(t, m.Name(), o.Value(m), 1./17, .13)
	}
	if o.Value(rfmHiddenDeviation) > .5 || o.Value(rfmBelowNull) < .5 || o.Value(netDelay) < 1.5 {
		t.Errorf("the machine's block is not circulant, or the network does not grok: %v", o.Values)
	}
	if len(o.Tables) != 3 || len(o.Tables[2].Rows) != len(statementNames()) {
		t.Errorf("%d tables", len(o.Tables))
	}
}

// A seed that runs a second time, with the iterations and epochs kept by the first run, finds the same values.
func TestModularResumes(t *testing.T) {
	s := smokeSpec()
	s.Modulus, s.Iterations, s.Net.Epochs = 5, 2, 3
	epochs := 0
	in := study.Setting{Seed: 1, Threads: 1, Progress: func(stage string, _, _ int) {
		if stage == "training the network" {
			epochs++
		}
	}}.WithCheckpoints(t.TempDir()).KeepAll()
	first, err := s.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	made := epochs
	again, err := s.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if made == 0 || epochs != made {
		t.Errorf("%d epochs, and %d again", made, epochs-made)
	}
	for name, v := range first.Values {
		if w := again.Values[name]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
			t.Errorf("%s is %v, then %v", name, v, w)
		}
	}
}

func TestModularDryRun(t *testing.T) {
	jobs, err := study.DryRun(modular().Specs[study.Small])
	if err != nil || len(jobs) < 6 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

func TestModularBadSettings(t *testing.T) {
	for _, text := range []string{"modulus = 2", "modulus = 2000", "share = 0.0", "share = 1.0", "iterations = 0",
		"bandwidth = 0.0", "draws = 1", "[net]\nwidth = 0", "[net]\nadam = false"} {
		s := smokeSpec()
		err := settings.Overlay(s, text)
		if err == nil {
			_, err = s.Run(t.Context(), study.Setting{})
		}
		if !input.IsError(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestMeasuredEpochs(t *testing.T) {
	all := measuredEpochs(100)
	if all[0] != 0 || all[1] != 1 || all[len(all)-1] != 100 || !slices.IsSorted(all) || len(all) > 22 {
		t.Errorf("%v", all)
	}
	if one := measuredEpochs(1); !slices.Equal(one, []int{0, 1}) {
		t.Errorf("%v", one)
	}
}
