package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/settings"
	"github.com/ansatz-lab/ansatz/internal/lock"
	"gonum.org/v1/gonum/mat"
)

// toySpec is an experiment whose results are known.
type toySpec struct {
	Level float64 `json:"level" toml:"level"`
	Fail  bool    `json:"fail" toml:"fail"`
	ran   *int
}

func (s *toySpec) Run(_ context.Context, in Setting) (*Outcome, error) {
	if in.Dry() {
		return nil, nil
	}
	*s.ran++
	if s.Fail {
		return nil, errors.New("it failed")
	}
	v := s.Level + float64(in.Seed)
	f, err := report.HeatMaps("matrix", []report.Matrix{{Rows: 1, Cols: 2, Data: []float64{v, 1}}})
	return &Outcome{
		Values: map[string]float64{"level": v, "absent": math.NaN()},
		Tables: []report.Table{{Name: "t", Columns: []report.Column{{Name: "what"}, {Name: "v", Numeric: true}},
			Rows: [][]report.Cell{
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
			NewMeasure("level").Claim("It is high.", "", AtLeast(0)),
			NewMeasure("level").Claim("It is low.", "", AtMost(0)),
			NewMeasure("level").Claim("It is six.", "", Within(6, .1)),
			NewMeasure("absent").Claim("It is there.", "", AtLeast(0)),
		},
	}
}

func TestExperimentRun(t *testing.T) {
	dir, ran := t.TempDir(), 0
	run := func(resume bool, level float64) (*Record, error) {
		return Run{
			Experiment: toy(&toySpec{Level: level, ran: &ran}), Scale: Small, Seeds: 3, Setting: Setting{Seed: 5},
			Out: dir, Resume: resume,
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
	// The values are 5, 6 and 7. Their mean is 6, and half of its confidence interval is 4.303/√3.
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
	for _, name := range []string{"run.json", "metrics.csv", "m.npy", "report.html", "figures/matrix.png",
		"figures/c.svg", "tables/t.csv", "../report.html", "../record.json", "../figures/figure.svg", "../figures/figure.pdf",
		"../figures/figure.png"} {
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
	// Finished seeds are not run again, and give the same page. Seeds of another spec are run.
	if again, err := run(true, 0); err != nil || ran != 3 || *again.Claims[0].Ours != 6 {
		t.Errorf("%+v, %v after %d runs", again, err, ran)
	}
	if after, err := os.ReadFile(r.Report); err != nil || string(after) != string(page) {
		t.Errorf("the page of a resumed run differs: %v", err)
	}
	if other, err := run(true, 1); err != nil || ran != 6 || other.Hash == r.Hash {
		t.Errorf("%+v, %v after %d runs", other, err, ran)
	}
	if err := os.WriteFile(filepath.Join(seed, RunFile), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := run(true, 0); !input.IsError(err) {
		t.Errorf("a damaged run.json: %v", err)
	}
}

// A run that fails leaves nothing, not even an empty folder of its seed.
func TestExperimentFails(t *testing.T) {
	dir, ran := t.TempDir(), 0
	r := Run{Experiment: toy(&toySpec{Fail: true, ran: &ran}), Scale: Smoke, Seeds: 1, Out: dir}
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "toys/one, seed 0") {
		t.Errorf("%v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
	r.Seeds = 0
	if _, err := r.Run(t.Context()); !input.IsError(err) {
		t.Errorf("no seeds: %v", err)
	}
	r = Run{Experiment: toy(&toySpec{ran: &ran}), Scale: PaperScale, Seeds: 1, Out: dir}
	if _, err := r.Run(t.Context()); !input.IsError(err) || !strings.Contains(err.Error(), "scale") {
		t.Errorf("a scale that the experiment does not have: %v", err)
	}
}

// A claim needs three seeds to hold. With one or two it is inconclusive, and without any it is not attempted.
func TestFewSeedsDecideNothing(t *testing.T) {
	c := NewMeasure("v").Claim("", "", AtLeast(0))
	for n, want := range []Verdict{NotAttempted, Inconclusive, Inconclusive, Holds} {
		var all []*Outcome
		for range n {
			all = append(all, &Outcome{Values: map[string]float64{"v": 1}})
		}
		if j := c.Judge(all); j.Verdict != want || j.Seeds != n {
			t.Errorf("%d seeds: %+v, want %s", n, j, want)
		}
	}
}

func TestOverlay(t *testing.T) {
	s := &toySpec{Level: 1}
	if err := settings.Overlay(s, "level = 2.5"); err != nil || s.Level != 2.5 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, text := range []string{"height = 2", "level = 'high'", "level =", "level = -1",
		"level = 1\nLevel = 2"} {
		if err := settings.Overlay(&toySpec{}, text); !input.IsError(err) || !strings.Contains(err.Error(), "settings") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// lists is a spec with lists of structs.
type lists struct {
	toySpec
	Networks []listed          `toml:"networks"`
	Inner    struct{ N []int } `toml:"inner"`
	Rates    map[string]int    `toml:"rates"`
	Kept     []int             `toml:"kept"`
}

type listed struct{ Name, Labels string }

// A list in the settings replaces the whole default. Its elements inherit nothing.
func TestOverlayReplacesLists(t *testing.T) {
	s := &lists{Rates: map[string]int{"x": 1}, Kept: []int{1}}
	s.Networks = []listed{{"a", "random"}, {"b", "split:10"}, {"c", "true"}}
	s.Inner.N = []int{1, 2, 3}
	err := settings.Overlay(s, "inner.N = [7]\nrates = {y = 2}\n[[networks]]\nName = \"c\"\n[[networks]]\nname = \"d\"\n")
	if err != nil || !slices.Equal(s.Networks, []listed{{Name: "c"}, {Name: "d"}}) || !slices.Equal(s.Inner.N, []int{7}) ||
		len(s.Rates) != 1 || s.Rates["y"] != 2 || len(s.Kept) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// drawn is a spec with a list that may be empty, lists that may not, and draws.
type drawn struct {
	toySpec
	Pairs    []string              `json:"pairs" toml:"pairs"`
	Optional []string              `json:"optional,omitempty" toml:"optional"`
	Draws    int                   `json:"draws" toml:"draws"`
	Images   int                   `json:"images" toml:"images"`
	Inner    struct{ Pairs []int } `toml:"inner"`
}

// Settings that leave an experiment nothing to measure, such as an empty list, are refused before it begins.
func TestOverlayRefusesNothing(t *testing.T) {
	spec := func() *drawn {
		s := &drawn{Pairs: []string{"a"}, Optional: []string{"b"}, Draws: 9, Images: 5}
		s.Inner.Pairs = []int{1}
		return s
	}
	for _, text := range []string{"pairs = []", "draws = 0", "inner.pairs = []"} {
		err := settings.Overlay(spec(), text)
		if !input.IsError(err) || !strings.Contains(err.Error(), text+": want at least") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := settings.Overlay(spec(), "optional = []\nimages = 0\ndraws = 2\npairs = ['c']"); err != nil {
		t.Error(err)
	}
}

// The page over the seeds is not written while another run writes it.
func TestPageWaits(t *testing.T) {
	ran := 0
	run := Run{Experiment: toy(&toySpec{ran: &ran}), Scale: Smoke, Seeds: 1, Out: t.TempDir()}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(r.Report)
	other, err := lock.Try(filepath.Join(dir, pageLock))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.Report); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	var interrupted *checkpoint.InterruptedError
	if err := run.save(ctx, r); !errors.As(err, &interrupted) {
		t.Errorf("while another run writes: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.Base(r.Report))); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the page was written: %v", err)
	}
	if err := other.Release(); err != nil {
		t.Fatal(err)
	}
	if err := run.save(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// At scale smoke nothing holds or fails.
func TestSmokeSettlesNothing(t *testing.T) {
	ran := 0
	r, err := Run{Experiment: toy(&toySpec{ran: &ran}), Scale: Smoke, Seeds: 3, Setting: Setting{Seed: 5},
		Out: t.TempDir()}.Run(t.Context())
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
	for want, i := range map[string]Interval{"> 0": Above(0), "> 0.5": Above(.5), "≥ 0": AtLeast(0),
		"≥ 0.9": AtLeast(.9), "≥ 0.3333": AtLeast(1. / 3), "≤ 0.05": AtMost(.05), "-0.02 to 0.02": Within(0, .02)} {
		if got := i.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFinish checks that curves lose points without a finite value, and that numbers of charts and tables are rounded
// to six digits unless they are whole. Values, by which claims are judged, keep all digits.
func TestFinish(t *testing.T) {
	nan, third := math.NaN(), 1./3
	row := []report.Cell{{Text: "a"}, {Text: "0.333", Value: third}, {Value: nan}, {Value: 138357544}, {Value: 2e9 / 3}}
	o := &Outcome{
		Values: map[string]float64{"third": third},
		Tables: []report.Table{{Rows: [][]report.Cell{row}}},
		Charts: []Chart{{Series: []report.Series{
			{Label: "a", Dots: true, X: report.Numbers{1, 2, 3}, Y: report.Numbers{third, nan, -2e10 / 3}},
			{X: report.Numbers{1, 2}, Y: report.Numbers{1e-7 / 3, 2}, Low: report.Numbers{-third, 1},
				High: report.Numbers{1, 2 * third}},
		}}},
	}
	o.finish()
	want := []report.Series{
		{Label: "a", Dots: true, X: report.Numbers{1, 3}, Y: report.Numbers{.333333, -6666670000}},
		{X: report.Numbers{1, 2}, Y: report.Numbers{3.33333e-8, 2}, Low: report.Numbers{-.333333, 1},
			High: report.Numbers{1, .666667}},
	}
	if got := o.Charts[0].Series; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !math.IsNaN(row[2].Value) {
		t.Errorf("a missing value became %g", row[2].Value)
	}
	row[2].Value = 0
	cells := []report.Cell{{Text: "a"}, {Text: "0.333", Value: .333333}, {}, {Value: 138357544}, {Value: 666667000}}
	if !reflect.DeepEqual(row, cells) || o.Values["third"] != third {
		t.Errorf("%v, want %v; %v", row, cells, o.Values)
	}
}

// A run with settings of its own keeps them beside the record, as the file that its command reads.
func TestOwnSettingsAreKept(t *testing.T) {
	dir, ran := t.TempDir(), 0
	e := toy(&toySpec{ran: &ran})
	// Settings that are not those of smoke may leave out the measure of a claim.
	e.Claims = append(e.Claims, NewMeasure("forgotten").Claim("It is there.", "–", AtLeast(0)))
	r, err := Run{Experiment: e, Scale: Smoke, Spec: &toySpec{Level: 7, ran: &ran}, Seeds: 1, Out: dir, Program: "mine"}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if read, err := e.Collect(dir); err != nil || len(read) != 1 || read[0].Scale != r.Scale {
		t.Errorf("the scale is %s, and %v when it is read again: %v", r.Scale, read, err)
	}
	if want := "mine toys/one --spec spec.toml --seeds 1"; r.Command() != want {
		t.Errorf("the command is %q, want %q", r.Command(), want)
	}
	if !strings.Contains(r.Summary(), "nothing about the paper") {
		t.Errorf("the summary is %q", r.Summary())
	}
	text, err := os.ReadFile(filepath.Join(dir, "toys", "one", r.Hash, SpecFile))
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.SpecWith(Small, string(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, hash, err := e.Hash(s); err != nil || hash != r.Hash {
		t.Errorf("the settings in %s have the hash %s (%v), want %s:\n%s", SpecFile, hash, err, r.Hash, text)
	}
}

// An interval that is not symmetric is shown with its ends, so that no claim holds beside an interval that seems to
// cross its threshold.
func TestSkewedInterval(t *testing.T) {
	m := NewMeasure("ratio")
	j := m.Claim("It grows.", "", Above(1)).InLogs().Judge(outcomesOf(m, 2, 40, 1000))
	if j.Verdict == Holds || j.Cell().Text != fmt.Sprintf("%.1f (%.1f to %.1f)", *j.Ours, *j.Low, *j.High) {
		t.Errorf("%s: %q", j.Verdict, j.Cell().Text)
	}
	if got := j.ErrorCell().Text; !strings.Contains(got, " to ") {
		t.Errorf("the interval is %q", got)
	}
	if got := m.Claim("It is six.", "", Within(6, 3)).Judge(outcomesOf(m, 5, 6, 7)); !strings.Contains(got.Cell().Text, "±") {
		t.Errorf("a symmetric interval is %q", got.Cell().Text)
	}
}

// TestIntervalText checks that numbers far below 1 keep their digits.
func TestIntervalText(t *testing.T) {
	for want, v := range map[string][4]float64{"0.249 ± 0.034": {.249, .034, .215, .283}, "0.0000 ± 0.0100": {1e-5, .01, -.00999, .01001},
		"3.2e-12 ± 1e-13": {3.2e-12, 1e-13, 3.1e-12, 3.3e-12}, "2e-05 (1e-05 to 6e-05)": {2e-5, 2.5e-5, 1e-5, 6e-5}} {
		j := Judgement{Ours: &v[0], Error: &v[1], Low: &v[2], High: &v[3]}
		if got := j.intervalText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
