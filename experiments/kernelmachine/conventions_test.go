package kernelmachine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// groupedTable writes a table of 300 rows in 30 groups with a column of numbers, y, and one of two classes, kind.
func groupedTable(t *testing.T) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	text := "a,b,c,group,y,kind\n"
	for i := range 300 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		kind := "no"
		if a*b+rng.NormFloat64() > .8 {
			kind = "yes"
		}
		text += fmt.Sprintf("%.3f,%.3f,%.3f,g%d,%.3f,%s\n", a, b, c, i%30, a*b+.1*rng.NormFloat64(), kind)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The conventions name the validation rows without a flag that was not given, and say over how many examples an AGOP is.
func TestConventionsOfRows(t *testing.T) {
	path := groupedTable(t)
	for name, c := range map[string]struct {
		spec         RFMSpec
		choice, agop string
	}{
		"groups": {RFMSpec{Iterations: 1, Spec: examples.Spec{SplitGroup: "group"}},
			"the best iteration on 50 validation rows;", "all examples that are fitted"},
		"by chance": {RFMSpec{Iterations: 1, Sample: 100}, "on a held-out 20 %", "0, 100 training examples, drawn anew"},
		"more than are fitted": {RFMSpec{Iterations: 1, Sample: 220}, "on a held-out 20 %",
			"all examples that are fitted"}, // 192 of 240
		"all are fitted": {RFMSpec{Iterations: 1, Sample: 220, Select: "last"}, "the last iteration", "0, 220 training examples"},
	} {
		c.spec.Data, c.spec.Target, c.spec.Ignore = path, "y", []string{"kind"}
		r, err := NewRFM(t.Context(), c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.conv.Select, c.choice) || strings.Contains(r.conv.Select, "--split-column") ||
			!strings.Contains(r.conv.AGOP, c.agop) {
			t.Errorf("%s: selected by %q, AGOP %q", name, r.conv.Select, r.conv.AGOP)
		}
	}
}

// A note names groups of which rows are fitted and tested, but none of test rows that --test leaves out.
func TestNoteOfGroups(t *testing.T) {
	path := groupedTable(t)
	other := filepath.Join(t.TempDir(), "other.csv")
	if err := os.WriteFile(other, []byte("a,b,c,group,y,kind\n1,2,3,new,4,no\n1,2,3,g0,4,no\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for test, want := range map[int]bool{0: true, 1: false} {
		r, err := NewRFM(t.Context(), RFMSpec{Select: "last", Spec: examples.Spec{Data: path, TestData: other, Test: test, Target: "y",
			SplitGroup: "group"}})
		if err != nil {
			t.Fatal(err)
		}
		if notes := fmt.Sprint(r.conv.Table.Notes); strings.Contains(notes, "such as g0") != want {
			t.Errorf("--test %d: notes %s", test, notes)
		}
	}
}

// fitOf fits the machine that a spec asks for.
func fitOf(t *testing.T, s RFMSpec) Fitted {
	t.Helper()
	f, err := NewFitter(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A tree of one leaf counts the rows that it holds out, and a tree of plain kernel machines hands down no
// M, which has no importances.
func TestTreeConventions(t *testing.T) {
	path := groupedTable(t)
	fit := func(s RFMSpec) *TreeFit {
		t.Helper()
		s.Data = path
		return fitOf(t, s).(*TreeFit)
	}
	table := examples.Spec{Target: "y", Ignore: []string{"kind"}}
	one := fit(RFMSpec{Spec: table, Iterations: 1, Ridge: 1e-3, Leaf: 1000})
	if fmt.Sprint(one.LeafRows) != "[192]" || one.Validation != 48 || one.Train != 240 {
		t.Errorf("one leaf of %v rows, %d validation rows of %d", one.LeafRows, one.Validation, one.Train)
	}
	many := fit(RFMSpec{Spec: table, Ridge: 1e-3, Leaf: 100})
	if fmt.Sprint(many.LeafRows) != "[96 96]" || many.Validation != 48 || strings.Contains(many.Conventions.Metric, "parent") {
		t.Errorf("leaves of %v rows, %d validation rows, metric: %s", many.LeafRows, many.Validation, many.Conventions.Metric)
	}
	for name, c := range map[string]struct {
		r       *TreeFit
		learned bool
	}{"learned": {one, true}, "plain": {many, false}} {
		if _, err := c.r.Save(t.TempDir()); err != nil || len(c.r.Importances) > 0 != c.learned {
			t.Errorf("%s: importances %v, %v", name, c.r.Importances, err)
		}
	}
}

// The accuracy of a tree and of a search is that of the classes that the class weights decide, as for predictions.
func TestAccuracyWithClassWeights(t *testing.T) {
	for name, s := range map[string]RFMSpec{"tree": {Leaf: 60}, "search": {Search: SearchSpec{Trials: 1}}} {
		s.Iterations, s.Ridge, s.ClassWeights = 1, 1e-3, "yes=9"
		s.Spec = examples.Spec{Data: groupedTable(t), Target: "kind", Ignore: []string{"y", "group"}}
		var scores testScores
		switch r := fitOf(t, s).(type) {
		case *TreeFit:
			scores = r.testScores
		case *searchFit:
			scores = r.testScores
		}
		if m := scores.Measures[0]; m.Name != "accuracy" || m.Value != *scores.Accuracy {
			t.Errorf("%s: accuracy %v, that of the decisions %+v", name, *scores.Accuracy, m)
		}
	}
}

// The conventions of a Deep ConvRFM say from which normal distribution its filters are drawn.
func TestConventionsOfFilters(t *testing.T) {
	for whole, want := range map[bool]string{false: "N(0, M) ", true: "N(0, M²) "} {
		c := newConvRFM(t, ConvRFMSpec{Depth: 2, Layers: 2, Iterations: 1, Whole: whole})
		if !strings.Contains(c.conv.Features, want) {
			t.Errorf("whole %v: %s", whole, c.conv.Features)
		}
	}
}

// The summary says on which images no later iteration did better.
func TestSummaryOfPaperMode(t *testing.T) {
	for choice, want := range map[string]string{choosesOnTest: "better on the test images", "": "better on the validation images"} {
		score := .5
		its := []IterationRecord{{TestAccuracy: &score}, {TestAccuracy: &score}}
		r := &ConvRFMRecord{Layers: []ConvLayerRecord{{Iterations: its}}, Conventions: ConvRFMConventions{Select: choice}}
		if s := r.Summary(); !strings.Contains(s, want) {
			t.Errorf("selected by %q: %s", choice, s)
		}
	}
}

// The page of a comparison has the seconds of all its runs.
func TestSecondsOfComparison(t *testing.T) {
	run := func(method string, seconds float64) *HyperBFRecord {
		return &HyperBFRecord{Method: method, RFMRecord: RFMRecord{Iterations: make([]IterationRecord, 1), Seconds: seconds}}
	}
	c := &HyperBFComparison{Runs: []*HyperBFRecord{run("agop", 1.5), run("gd", 2)}}
	c.summariseSeeds()
	p, err := c.Page()
	if err != nil {
		t.Fatal(err)
	}
	if facts := fmt.Sprint(p.Provenance); !strings.Contains(facts, "seconds 3.5") {
		t.Errorf("provenance %s", facts)
	}
}

// The solver of a network with fewer centres than examples is not that of a machine.
func TestSolverOfCentres(t *testing.T) {
	for centres, want := range map[int]string{0: "(K + λI)α = Y by cholesky", 20: "(GᵀG + λg)c = GᵀY"} {
		h, err := NewHyperBF(t.Context(), study.Setting{}, HyperBFSpec{Update: "agop", Iterations: 1, Centres: centres,
			Spec: examples.Spec{Data: "polynomial:product", Train: 40, Test: 10}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := h.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Single().Conventions.Solver; !strings.HasPrefix(got, want) {
			t.Errorf("%d centres: solved by %s", centres, got)
		}
	}
}
