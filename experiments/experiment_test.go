package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"gonum.org/v1/gonum/mat"
)

// toySpec is an experiment whose results are known.
type toySpec struct {
	Level float64 `json:"level" toml:"level"`
	Fail  bool    `json:"fail" toml:"fail"`
	ran   *int
}

func (s *toySpec) Run(_ context.Context, in Setting) (*Outcome, error) {
	*s.ran++
	if s.Fail {
		return nil, errors.New("it failed")
	}
	v := s.Level + float64(in.Seed)
	f, err := report.HeatMaps("matrix", []report.Matrix{{Rows: 1, Cols: 2, Data: []float64{v, 1}}})
	return &Outcome{
		Values: map[string]float64{"level": v, "absent": math.NaN()},
		Tables: []report.Table{{Name: "t", Columns: []report.Column{{Name: "what"}, {Name: "v", Numeric: true}}, Rows: [][]report.Cell{
			{{Text: "a"}, {Text: "1.00", Value: v}}, {{Text: "b"}, {Text: "–", Value: math.NaN()}},
		}}},
		Charts:   []Chart{{Name: "c", Series: []report.Series{{Label: "s", X: []float64{0, 1}, Y: []float64{0, v}}}}},
		Figures:  []report.Figure{f},
		Matrices: map[string]*mat.Dense{"m": mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, v})},
		Notes:    []string{"a note"},
	}, err
}

func toy(s *toySpec) *Experiment {
	return &Experiment{
		ID: "toys/one", Paper: "toys", Figure: "Fig. 1", Title: "A toy", Specs: map[Scale]Spec{Smoke: s, Small: s},
		Claims: []Claim{
			{Value: "level", Sentence: "It is high.", Holds: atLeast(0)}, {Value: "level", Sentence: "It is low.", Holds: atMost(0)},
			{Value: "level", Sentence: "It is six.", Holds: within(6, .1)}, {Value: "absent", Sentence: "It is there.", Holds: atLeast(0)},
		},
	}
}

func TestExperimentRun(t *testing.T) {
	dir, ran := t.TempDir(), 0
	run := func(resume bool, level float64) (*ExperimentRecord, error) {
		return ExperimentRun{
			Experiment: toy(&toySpec{Level: level, ran: &ran}), Scale: Small, Seeds: 3, Setting: Setting{Seed: 5}, Out: dir, Resume: resume,
		}.Run(t.Context())
	}
	r, err := run(false, 0)
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []Verdict
	for _, c := range r.Claims {
		verdicts = append(verdicts, c.Verdict)
	}
	// 5, 6, 7: the mean is 6, and half of its confidence interval 4.303/√3.
	if want := []Verdict{Holds, Fails, Inconclusive, NotAttempted}; !slices.Equal(verdicts, want) {
		t.Errorf("verdicts %q, want %q", verdicts, want)
	}
	if c := r.Claims[0]; *c.Ours != 6 || math.Abs(*c.Error-4.30265/math.Sqrt(3)) > 1e-4 || c.Seeds != 3 {
		t.Errorf("%+v: %v ± %v", c, *c.Ours, *c.Error)
	}
	if c := r.Tables[0].Rows; c[0][1].Text != "6.00 ± 1.00" || c[1][1].Text != "–" {
		t.Errorf("over the seeds: %+v", c)
	}
	seed := filepath.Join(dir, "toys", "one", r.Hash, "seed-6")
	for _, name := range []string{"run.json", "metrics.csv", "m.npy", "report.html", "figures/matrix.png", "figures/c.svg", "tables/t.csv", "../report.html", "../record.json"} {
		if _, err := os.Stat(filepath.Join(seed, name)); err != nil {
			t.Error(err)
		}
	}
	if m, err := array.ReadNPY(filepath.Join(seed, "m.npy")); err != nil || !slices.Equal(m.Shape, []int{2, 3}) {
		t.Errorf("%+v, %v", m, err)
	}
	page, err := os.ReadFile(r.Report)
	if err != nil {
		t.Fatal(err)
	}
	if ran != 3 {
		t.Errorf("%d runs", ran)
	}
	// What is there is not run again, and gives the same page; another spec is run.
	if again, err := run(true, 0); err != nil || ran != 3 || *again.Claims[0].Ours != 6 {
		t.Errorf("%+v, %v after %d runs", again, err, ran)
	}
	if after, err := os.ReadFile(r.Report); err != nil || string(after) != string(page) {
		t.Errorf("the page of a resumed run differs: %v", err)
	}
	if other, err := run(true, 1); err != nil || ran != 6 || other.Hash == r.Hash {
		t.Errorf("%+v, %v after %d runs", other, err, ran)
	}
	if err := os.WriteFile(filepath.Join(seed, runFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(true, 0); !IsInput(err) {
		t.Errorf("a damaged run.json: %v", err)
	}
}

// A run that fails leaves nothing, not even an empty folder of its seed.
func TestExperimentFails(t *testing.T) {
	dir, ran := t.TempDir(), 0
	r := ExperimentRun{Experiment: toy(&toySpec{Fail: true, ran: &ran}), Scale: Smoke, Seeds: 1, Out: dir}
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "toys/one, seed 0") {
		t.Errorf("%v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
	r.Seeds = 0
	if _, err := r.Run(t.Context()); !IsInput(err) {
		t.Errorf("no seeds: %v", err)
	}
	r.Seeds, r.Scale = 1, Small
	if _, err := r.Run(t.Context()); err == nil {
		t.Error("a scale that there is not")
	}
}

// Two seeds show no more than a direction.
func TestFewSeedsDecideNothing(t *testing.T) {
	c := Claim{Value: "v", Holds: atLeast(0)}
	for n, want := range []Verdict{NotAttempted, Inconclusive, Inconclusive, Holds} {
		var all []*Outcome
		for range n {
			all = append(all, &Outcome{Values: map[string]float64{"v": 1}})
		}
		if j := c.judge(all); j.Verdict != want || j.Seeds != n {
			t.Errorf("%d seeds: %+v, want %s", n, j, want)
		}
	}
}

func TestOverlay(t *testing.T) {
	s := &toySpec{Level: 1}
	if err := Overlay(s, "level = 2.5"); err != nil || s.Level != 2.5 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"height = 2", "level = 'high'", "level ="} {
		if err := Overlay(&toySpec{}, text); !IsInput(err) || !strings.Contains(err.Error(), "settings") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Every experiment has what a reader and the registry need, and its settings are
// read as they are shown.
func TestExperimentsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		of := strings.HasPrefix(e.ID, e.Paper+"/") && len(e.Claims) > 0
		if e.Stated { // of all papers, without claims
			of = e.ID == e.Paper && len(e.Claims) == 0
		}
		if seen[e.ID] || !of || e.Figure == "" || e.Title == "" || e.About == "" {
			t.Errorf("%s: %+v", e.ID, e)
		}
		seen[e.ID] = true
		if e.Absent != "" || e.Of != nil {
			testWithoutRun(t, e)
			continue
		}
		for _, scale := range []Scale{Smoke, Small, PaperScale} {
			s, err := e.SpecAt(scale)
			if err != nil {
				t.Error(err)
				continue
			}
			if err := Overlay(s, strings.Join(settingNames(s), "\n")); err != nil {
				t.Errorf("%s: %v", e.ID, err)
			}
			if _, err := json.Marshal(s); err != nil {
				t.Errorf("%s: %v", e.ID, err)
			}
		}
		for _, c := range e.Claims {
			if c.Value == "" || c.Sentence == "" || c.Paper == "" || c.Holds.Low > c.Holds.High || c.Holds == (Interval{}) {
				t.Errorf("%s: claim %+v", e.ID, c)
			}
		}
		for value, null := range e.Controls {
			for _, name := range []string{value, null} {
				if !slices.ContainsFunc(e.Claims, func(c Claim) bool { return c.Value == name }) {
					t.Errorf("%s: the control of %s is %s: no claim is about %s", e.ID, value, null, name)
				}
			}
		}
	}
}

// testWithoutRun checks an experiment that has no run of its own.
func testWithoutRun(t *testing.T, e *Experiment) {
	t.Helper()
	if len(e.Specs) > 0 || e.Absent != "" && e.Of != nil || e.Of != nil && (e.Of.Of != nil || e.Of.Absent != "") {
		t.Errorf("%s has specs, or shows a part of what has no run", e.ID)
	}
	for _, pattern := range e.Shows {
		if _, err := path.Match(pattern, ""); err != nil {
			t.Errorf("%s: %q: %v", e.ID, pattern, err)
		}
	}
}

// Every experiment runs at the scale of tests, and finds what its claims are about;
// those that show a part of it find theirs, and something to show.
func TestExperimentsRun(t *testing.T) {
	parts := map[string][]*Experiment{}
	for _, e := range All() {
		if e.Of != nil {
			parts[e.Of.ID] = append(parts[e.Of.ID], e)
		}
	}
	for _, e := range All() {
		if e.Of != nil || e.Absent != "" {
			continue
		}
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			r := ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 2, Out: t.TempDir(), Made: &MadeSeeds{}}
			testFinds(t, r)
			for _, part := range parts[e.ID] {
				r.Experiment = part
				r.Begin = func(seed uint64, there bool) {
					if !there {
						t.Errorf("%s runs seed %d again", part.ID, seed)
					}
				}
				testFinds(t, r)
			}
		})
	}
}

// testFinds runs an experiment.
func testFinds(t *testing.T, run ExperimentRun) {
	t.Helper()
	r, err := run.Run(t.Context())
	e := run.Experiment
	if err != nil {
		t.Fatal(err)
	}
	if e.Stated == (len(r.Statements) == 0) {
		t.Errorf("%s: %d statements", e.ID, len(r.Statements))
	}
	for _, c := range r.Claims {
		// No test has SVHN, and a network of a few steps need not outdo a kernel.
		if c.Ours == nil && !strings.HasPrefix(c.Value, "svhn_") && c.Value != "follows_net" {
			t.Errorf("%s: %q was not measured", e.ID, c.Value)
		}
	}
	for _, pattern := range e.Shows {
		if !slices.ContainsFunc(namesOf(r), func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			t.Errorf("%s shows %q, of which there is nothing", e.ID, pattern)
		}
	}
}

// namesOf are the names of what a record shows.
func namesOf(r *ExperimentRecord) []string {
	var names []string
	o := r.Outcome(r.Seeds[0])
	for _, t := range o.Tables {
		names = append(names, t.Name)
	}
	for _, c := range o.Charts {
		names = append(names, c.Name)
	}
	for _, f := range o.Figures {
		names = append(names, f.Name)
	}
	return names
}

// At scale smoke nothing holds or fails.
func TestSmokeSettlesNothing(t *testing.T) {
	ran := 0
	r, err := ExperimentRun{Experiment: toy(&toySpec{ran: &ran}), Scale: Smoke, Seeds: 3, Setting: Setting{Seed: 5}, Out: t.TempDir()}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Claims {
		if c.Verdict != Inconclusive && c.Verdict != NotAttempted {
			t.Errorf("%s: %s", c.Sentence, c.Verdict)
		}
	}
}

func TestIntervalString(t *testing.T) {
	for want, i := range map[string]Interval{"> 0": above(0), "> 0.5": above(.5), "≥ 0": atLeast(0), "≥ 0.9": atLeast(.9), "≥ 0.3333": atLeast(1. / 3), "≤ 0.05": atMost(.05), "-0.02 to 0.02": within(0, .02)} {
		if got := i.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
