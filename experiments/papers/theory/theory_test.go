package theory

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

func testTheory(t *testing.T) *theory {
	t.Helper()
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return &theory{
		ctx: t.Context(), Spec: &Spec{Widths: []int{16, 64}, Draws: 20, Dims: []int{4}},
		seed: 3, device: d, out: &study.Outcome{},
	}
}

// The verdicts on the statements do not depend on the seed, and every corrected statement holds.
func TestStatements(t *testing.T) {
	var first []study.Statement
	for seed := range uint64(2) {
		o, err := statements().Specs[study.Smoke].Run(t.Context(), study.Setting{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		held := 0
		for i, s := range o.Statements {
			if s.Kind == study.PutRight && s.Verdict != study.Holds {
				t.Errorf("seed %d: put right, and yet %s", seed, s.Line())
			}
			if seed > 0 && s.Verdict != first[i].Verdict {
				t.Errorf("seed %d: %s\nbut with seed 0 %s", seed, s.Line(), first[i].Verdict)
			}
			if s.Verdict == study.Holds {
				held++
			}
			if s.Paper == "" || s.Name == "" || s.Says == "" || s.Measure == "" || s.Want == "" {
				t.Errorf("%+v", s)
			}
		}
		if held < 30 {
			t.Errorf("%d are true", held)
		}
		if first == nil {
			first = o.Statements
			arePutRight(t, first)
		}
	}
}

// arePutRight checks that every statement that fails as printed is followed by a corrected one that holds.
func arePutRight(t *testing.T, all []study.Statement) {
	t.Helper()
	// These statements have no corrected form, for the reasons in their notes.
	alone := map[string]bool{"Appendix C": true, "eq. 5, several samples": true, "eq. 6, in general": true}
	for i, s := range all {
		if s.Kind != study.AsPrinted || s.Verdict == study.Holds || alone[s.Name] {
			continue
		}
		if i+1 == len(all) || all[i+1].Kind != study.PutRight || all[i+1].Verdict != study.Holds {
			t.Errorf("not put right: %s", s.Line())
		}
	}
}

func TestVerdicts(t *testing.T) {
	h := testTheory(t)
	h.addPrinted(study.Statement{Name: "a"}, 1e-12, Exact)
	h.addPutRight(study.Statement{Name: "b"}, 1e-9, Exact)
	h.addBesides(study.Statement{Name: "c"}, -.4, AsInverseRoot)
	h.addBesides(study.Statement{Name: "d"}, -.7, AsInverseRoot)
	for i, want := range []study.Verdict{study.Holds, study.Fails, study.Holds, study.Fails} {
		if s := h.out.Statements[i]; s.Verdict != want || !strings.HasSuffix(s.Line(), string(want)) {
			t.Errorf("%s, want %s", s.Line(), want)
		}
	}
	if h.undefined != "" {
		t.Error(h.undefined)
	}
	h.addPrinted(study.Statement{Paper: "p", Name: "e"}, math.NaN(), Exact)
	if h.undefined != "p, e" || h.out.Statements[4].Verdict != study.Fails {
		t.Errorf("%q, %+v", h.undefined, h.out.Statements[4])
	}
}

func TestStatementsOverSeeds(t *testing.T) {
	seed := func(verdicts ...study.Verdict) *study.Outcome {
		o := &study.Outcome{}
		for i, v := range verdicts {
			o.Statements = append(o.Statements, study.Statement{Value: float64(i), Verdict: v})
		}
		return o
	}
	got := study.StatementsOverSeeds([]*study.Outcome{seed(study.Holds, study.Fails, study.Holds, study.Fails),
		seed(study.Holds, study.Fails, study.Fails, study.Holds),
		seed(study.Holds, study.Fails, study.Holds, study.Holds)})
	for i, want := range []study.Verdict{study.Holds, study.Fails, study.Inconclusive, study.Inconclusive} {
		if got[i].Verdict != want {
			t.Errorf("%d: %s, want %s", i, got[i].Verdict, want)
		}
	}
}

// If its assumptions are dropped, the theorem of paper cnfa fails.
func TestOneStepNeedsItsAssumptions(t *testing.T) {
	h := testTheory(t)
	for _, c := range []struct {
		name string
		arch *models.Architecture
		ok   func(float64) bool
	}{
		{"as in the theorem", pooledNet(models.Tanh{}, false), func(v float64) bool { return v < 1e-12 }},
		{"∂g/∂z differs", unequalNet(), func(v float64) bool { return v > 1e-2 }},
		{"φ′(0) = 0", pooledNet(models.ReLU{}, false), math.IsNaN},
	} {
		l, err := h.newCNFATraining(c.arch, .1)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := l.takeStep(t.Context()); err != nil || !c.ok(v) {
			t.Errorf("%s: %v, %v", c.name, v, err)
		}
	}
	random := pooledNet(models.Tanh{}, false)
	random.Init.Conv = models.Normal{.1} // W is not 0 at first
	l, err := h.newCNFATraining(random, .1)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := l.takeStep(t.Context()); err != nil || v < 1e-2 {
		t.Errorf("from random filters: %v, %v", v, err)
	}
}

// The descent steps and the AGOP of a small network agree with plain loops.
func TestTheoryNet(t *testing.T) {
	h := testTheory(t)
	rng := rand.New(rand.NewPCG(5, 5))
	x, y := linalg.Gaussian(rng, 3, 2, 1), linalg.Gaussian(rng, 3, 1, 1)
	w, a := linalg.Gaussian(rng, hyperUnits, 2, 1), [hyperUnits]float64{}
	net := &paperNet{device: h.device,
		build: func(g *graph.Graph, x *graph.Node, p func(string) *graph.Node) *graph.Node {
			return g.Linear(g.Tanh(g.Linear(x, p("W"))), p("a"))
		}}
	row := linalg.Gaussian(rng, 1, hyperUnits, 1)
	copy(a[:], row.RawRowView(0))
	net.setParam("W", w)
	net.setParam("a", row)
	d, err := net.newDescent(x, y, "W")
	if err != nil {
		t.Fatal(err)
	}
	const rate, steps = .1, 3
	if err := d.takeSteps(t.Context(), rate, steps); err != nil {
		t.Fatal(err)
	}
	var agop [2][2]float64
	for step := range steps + 1 {
		next := mat.DenseCopyOf(w)
		for i := range 3 {
			f, slopes := -y.At(i, 0), [hyperUnits]float64{}
			for k := range hyperUnits {
				z := math.Tanh(w.At(k, 0)*x.At(i, 0) + w.At(k, 1)*x.At(i, 1))
				f += a[k] * z
				slopes[k] = a[k] * (1 - z*z)
			}
			var g [2]float64
			for k := range hyperUnits {
				for j := range 2 {
					next.Set(k, j, next.At(k, j)-rate*f*slopes[k]*x.At(i, j))
					g[j] += slopes[k] * w.At(k, j)
				}
			}
			if step == steps {
				for j := range 2 {
					for l := range 2 {
						agop[j][l] += g[j] * g[l] / 3
					}
				}
			}
		}
		if step < steps {
			w = next
		}
	}
	if e := linalg.RelativeError(net.param("W"), w); e > 1e-14 {
		t.Errorf("after the steps W is off by %v", e)
	}
	got, err := net.agop(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for j := range 2 {
		for l := range 2 {
			if math.Abs(got.At(j, l)-agop[j][l]) > 1e-13 {
				t.Errorf("AGOP(%d, %d) = %v, want %v", j, l, got.At(j, l), agop[j][l])
			}
		}
	}
}

// Proposition 3 assumes inputs that are as likely as their negatives, and fails without this.
func TestProposition3NeedsSymmetry(t *testing.T) {
	h := testTheory(t)
	rng := rand.New(rand.NewPCG(6, 6))
	w := linalg.Gaussian(rng, resampledUnits, resampledInputs, 1)
	net := h.reluNet(1)
	net.setParam("W1", w)
	net.setParam("a", identityOf(resampledUnits))
	agop, err := net.agop(t.Context(), linalg.Gaussian(rng, 4, resampledInputs, 1))
	if err != nil {
		t.Fatal(err)
	}
	if e := linalg.RelativeError(agop, linalg.Scaled(1./resampledUnits, backend.Gram(w))); e < 1e-2 {
		t.Errorf("without pairs ±x the error is %v", e)
	}
}

// Proposition 4 assumes B = 0 at the start, and fails without this.
func TestProposition4NeedsZero(t *testing.T) {
	h := testTheory(t)
	rng := rand.New(rand.NewPCG(7, 7))
	x, y := linalg.Gaussian(rng, linearExamples, linearInputs, 1), linalg.Gaussian(rng, linearExamples, 1, 1)
	const k = 4096
	for _, start := range []float64{0, 1} {
		net := h.linearNet(k, linalg.Gaussian(rng, 1, k, 1))
		net.setParam("B", linalg.Gaussian(rng, k, linearInputs, start))
		d, err := net.newDescent(x, y, "B")
		if err != nil {
			t.Fatal(err)
		}
		if err := d.takeSteps(t.Context(), linearRate, 3); err != nil {
			t.Fatal(err)
		}
		agop, err := net.agop(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if e := linalg.RelativeError(backend.Gram(net.param("B")), agop); (e < .1) != (start == 0) {
			t.Errorf("from B of size %v the error is %v", start, e)
		}
	}
}

// The statement of paper hyperbf for one sample assumes W = 0 at the start, and fails without this.
func TestOneSampleNeedsZero(t *testing.T) {
	h := testTheory(t)
	x, y := h.drawHyperExamples(1)
	net := h.hyperNet(linalg.Gaussian(rand.New(rand.NewPCG(8, 8)), hyperUnits, hyperInputs, .3))
	d, err := net.newDescent(x, y, "W")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.takeSteps(t.Context(), hyperRate, 5); err != nil {
		t.Fatal(err)
	}
	agop, err := net.agop(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if e := linalg.MatrixDissimilarity(backend.Gram(net.param("W")), agop); e < 1e-2 {
		t.Errorf("from W that is not 0 they differ by %v", e)
	}
}

// If the average patches of the classes differ, random labels are not the true ones in expectation, and Theorem 4.3
// fails.
func TestLabelsNeedEqualClasses(t *testing.T) {
	h := testTheory(t)
	for _, offset := range []float32{0, 1. / 16} {
		r, err := h.trainAllLabels(offset)
		if err != nil {
			t.Fatal(err)
		}
		e := linalg.RelativeError(r.mean, r.truth)
		if err := h.checkUncorrelated(r); err != nil {
			t.Fatal(err)
		}
		direction := h.out.Statements[len(h.out.Statements)-1]
		if offset == 0 && (e > 1e-12 || direction.Verdict != study.Holds) ||
			offset != 0 && (e < 1e-3 || direction.Verdict != study.Fails) {
			t.Errorf("classes %v apart: error %v; %s", offset, e, direction.Line())
		}
	}
}

// At another learning rate the closed form does not describe the network.
func TestClosedFormCanFail(t *testing.T) {
	h := testTheory(t)
	l, _, err := h.openEnergyTask()
	if err != nil {
		t.Fatal(err)
	}
	s, err := h.newLinearTraining(l, 4, .1)
	if err != nil {
		t.Fatal(err)
	}
	w0 := s.copyFilters()
	if err := s.takeSteps(h, l.labels, 10); err != nil {
		t.Fatal(err)
	}
	for _, rate := range []float64{.1, .05} { // .05 is η of half the loss
		want, err := l.closed.Filters(l.targets(), w0, energy.Descent{Rate: rate, Width: 4, Steps: 10})
		if err != nil {
			t.Fatal(err)
		}
		if e := linalg.RelativeError(s.copyFilters(), want); (e < 1e-12) != (rate == .1) {
			t.Errorf("at rate %v the closed form is off by %v", rate, e)
		}
	}
}

func TestMonomials(t *testing.T) {
	for _, c := range [][3]int{{2, 3, 10}, {1, 5, 6}, {4, 2, 15}, {16, 3, 969}} {
		if got := monomials(c[0], c[1]); got != c[2] {
			t.Errorf("%d variables, degree %d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestTheorySpec(t *testing.T) {
	for _, s := range []Spec{{}, {Widths: []int{4}, Draws: 5, Dims: []int{4}},
		{Widths: []int{8, 4}, Draws: 5, Dims: []int{4}}, {Widths: []int{4, 8}, Draws: 1, Dims: []int{4}},
		{Widths: []int{4, 8}, Draws: 5, Dims: []int{1}}, {Widths: []int{4, 1 << 20}, Draws: 5, Dims: []int{4}}} {
		if _, err := s.Run(t.Context(), study.Setting{}); !input.IsError(err) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
