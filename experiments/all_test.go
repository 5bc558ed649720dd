package experiments

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/settings"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Settings that make no sense are refused before anything is computed.
func TestExperimentSpecsAreChecked(t *testing.T) {
	for id, texts := range map[string][]string{
		"rfm/fig15":         {"tasks = []", "overview = 2", "iterations = 0", "threshold = 2.0", "[net]\nwidth = 0"},
		"rfm/table1":        {"widths = [4]"},
		"hyperbf/table1":    {"sets = []"},
		"alignment/modular": {"modulus = 2", "share = 1.0", "draws = 1", "[net]\nadam = false"},
		"rfm/fig3":          {"validation = 0.0", "data = 'nothere'", "ridge = -1.0"},
		"rfm/fig6":          {"tasks = []", "threshold = 1.5", "ridge = -1.0"},
		"rfm/fig7":          {"data = 'glyphs'", "draws = 0", "every = 0", "train = 1", "validation = 66", "ridge = -1.0"},
		"rfm/fig8":          {"iterations = 0", "data = 'sidebyside:nothere'", "train = -1"},
		"rfm/fig9":          {"mask = 0.0", "mask = 2.0", "data = 'glyphs'", "iterations = -1"},
	} {
		for _, text := range texts {
			e, err := All().Find(id)
			if err != nil {
				t.Fatal(err)
			}
			s := e.Specs[study.Smoke]
			err = settings.Overlay(s, text)
			if err == nil {
				_, err = s.Run(t.Context(), study.Setting{})
			}
			if !input.IsError(err) || strings.Contains(err.Error(), "unknown key") {
				t.Errorf("%s with %s: %v", id, text, err)
			}
		}
	}
}

// Every experiment has the texts, claims and settings that a reader and the registry need. Only the scale medium may be
// missing.
func TestExperimentsAreWhole(t *testing.T) {
	if err := All().Check(); err != nil {
		t.Error(err)
	}
	for _, e := range All() {
		if e.Stated == (len(e.Claims) > 0) || e.Figure == "" || e.About.Done == "" {
			t.Errorf("%s: %+v", e.ID, e)
		}
		if e.Absent != "" || e.Of != nil {
			testWithoutRun(t, e)
			continue
		}
		for _, scale := range study.Scales {
			if _, err := e.SpecAt(scale); err != nil && scale != study.Medium {
				t.Error(err)
			}
		}
		for _, c := range e.Claims {
			if c.Paper == "" {
				t.Errorf("%s: claim %+v", e.ID, c)
			}
		}
	}
}

// Every experiment runs at scale smoke, and its record has the numbers that its claims are about. An experiment that
// shows a part of another one's results does not run it again, and has something to show.
func TestExperimentsRun(t *testing.T) {
	parts := map[string][]*study.Experiment{}
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
			seeds := 2
			if testing.Short() {
				seeds = 1
			}
			r := study.Run{Experiment: e, Scale: study.Smoke, Seeds: seeds, Out: t.TempDir(), Made: &study.MadeSeeds{}}
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

// namesOf returns the names of the tables, charts and figures of a record's first seed.
func namesOf(r *study.Record) []string {
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

// testFinds runs an experiment and checks that its record has what its claims, its printed numbers and its figures
// refer to.
func testFinds(t *testing.T, run study.Run) {
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
		// The tests have no SVHN images, and a network of a few steps need not outperform a kernel.
		if c.Ours == nil && !strings.HasPrefix(c.Value, "svhn_") && c.Value != "follows_net" {
			t.Errorf("%s: %q was not measured", e.ID, c.Value)
		}
	}
	for _, f := range r.Outcome(r.Seeds[0]).Figures {
		for _, m := range f.Description.Matrices {
			// The elements of a patch have no names: the caption gives their order.
			if m.RowNames == nil && !strings.HasPrefix(f.Name, "first-layer") {
				t.Errorf("%s: the rows of the matrix %q of figure %s have no names", e.ID, m.Title, f.Name)
			}
		}
	}
	largerOnly := []string{"h-exponential", "ntk-svm", "linearized, rate 1, test"} // not at scale smoke
	for _, p := range e.Printed {
		if !slices.Contains(largerOnly, p.Of) && !slices.ContainsFunc(r.Charts(), func(c study.Chart) bool {
			return c.Name == p.Chart && slices.ContainsFunc(c.Series, func(s report.Series) bool { return s.Label == p.Of })
		}) {
			t.Errorf("%s has numbers of the paper for %q of the chart %q, which there is not", e.ID, p.Of, p.Chart)
		}
	}
	for _, pattern := range slices.Concat(e.Shows, e.Panels) {
		if !slices.ContainsFunc(namesOf(r), func(name string) bool { ok, _ := path.Match(pattern, name); return ok }) {
			t.Errorf("%s shows %q, of which there is nothing", e.ID, pattern)
		}
	}
}

// testWithoutRun checks an experiment that has no run of its own.
func testWithoutRun(t *testing.T, e *study.Experiment) {
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
