package overview

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ansatz-lab/ansatz/experiments"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// smokeRuns runs some experiments at scale smoke with a fixed clock and returns the folder of their results.
func smokeRuns(t *testing.T, seeds int, ids ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	clock := time.Date(2026, 3, 1, 23, 59, 58, 999, time.FixedZone("CET", 3600))
	for _, id := range ids {
		e, err := experiments.All().Find(id)
		if err != nil {
			t.Fatal(err)
		}
		now := func() time.Time {
			clock = clock.Add(time.Second)
			return clock
		}
		if _, err := (study.Run{Experiment: e, Scale: study.Smoke, Seeds: seeds, Setting: study.Setting{Seed: 4},
			Out: dir, Now: now}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The page shows everything in a folder: the claims, figures, tables and record of each experiment that was run, and
// the names of the experiments that were not.
func TestOverviewPage(t *testing.T) {
	dir := smokeRuns(t, 2, "rfm/fig9")
	all, err := ReadOverview(experiments.All(), dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := all.Page()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	part := p.Sections[slices.IndexFunc(p.Sections, func(s report.Section) bool {
		return s.ID == "paper-rfm"
	})].Parts[0]
	if part.ID != "rfm-fig9" || len(part.Lead) != 1 || len(part.Figures)+len(part.Tables) == 0 ||
		len(part.Details) != 1 {
		t.Fatalf("%s: %d tables lead, %d figures, %d tables, %d details", part.ID, len(part.Lead), len(part.Figures),
			len(part.Tables), len(part.Details))
	}
	facts := map[string]string{}
	for _, f := range part.Details[0].Facts {
		facts[f.Name] = f.Value
	}
	for name, want := range map[string]string{
		"command": "ansatz run rfm/fig9 --scale smoke --seed 4 --seeds 2", "seeds": "4 5", "scale": "smoke",
		"made": "2026-03-01 22:59:59 to 2026-03-01 23:00:00 UTC", "ansatz": record.Version(),
	} {
		if facts[name] != want {
			t.Errorf("%s: %q, want %q", name, facts[name], want)
		}
	}
	if n := len(part.Details[0].Tables); n > 0 {
		t.Errorf("%d tables of seeds: they stand in the experiment's own page", n)
	}
	missing := all.MissingTable()
	for _, other := range experiments.All() {
		told := slices.ContainsFunc(missing.Rows, func(row []report.Cell) bool { return row[0].Text == other.ID })
		if told == (other.ID == "rfm/fig9") {
			t.Errorf("%s is told of as missing: %v", other.ID, told)
		}
	}
}

// The counts of the verdicts add up to the number of claims. Claims with a null control are also counted separately.
func TestOverviewCounts(t *testing.T) {
	null, above := study.Judgement{Verdict: study.Fails}, study.Judgement{Verdict: study.Holds}
	two := &study.Record{
		ID: "toys/two", Paper: "toys", Seeds: []uint64{0}, Claims: []study.Judgement{
			{Kind: study.OfPaper, Verdict: study.Holds, Control: &null}, {Kind: study.OfPaper, Verdict: study.Holds, Control: &above},
			{Kind: study.OfPaper, Verdict: study.Inconclusive, Control: &above},
			{Kind: study.OfControl, Verdict: study.Fails},
		},
	}
	first := &study.Record{ID: "toys/one", Paper: "toys", Scale: study.Smoke, Seeds: []uint64{0},
		Claims: []study.Judgement{{Kind: study.OfPaper, Verdict: study.Fails}}}
	larger := &study.Record{ID: "toys/one", Paper: "toys", Scale: study.Small, Seeds: []uint64{0},
		Claims: []study.Judgement{{Kind: study.OfPaper, Verdict: study.Holds}}}
	absent := &study.Record{
		ID: "toys/three", Paper: "toys", Absent: "no data", Claims: []study.Judgement{{Kind: study.OfPaper, Verdict: study.NotAttempted}},
	}
	r := &Overview{Papers: []string{"other", "toys"}, Records: []*study.Record{first, larger, two, absent},
		Missing: []*study.Experiment{{ID: "toys/four", Paper: "toys"}, {ID: "other/one", Paper: "other"}}}
	var got []float64
	for _, c := range r.tally("toys").row(report.Cell{})[1:] {
		got = append(got, c.Value)
	}
	// The columns are run, not run, cannot be run, claims, holds, fails, inconclusive, not attempted and above null.
	// Controls are not counted.
	if want := []float64{2, 1, 1, 5, 3, 0, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if v := r.Verdicts(); !slices.Equal(v.Run, []string{"toys/one", "toys/two"}) ||
		!slices.Equal(v.NotAttempted, []string{"toys/three"}) || len(v.Claims) != 6 || len(v.NotRun) != 2 {
		t.Errorf("%+v", v)
	}
	if s := r.Summary(); !strings.Contains(s, "Of 5 claims of the papers 3 hold, 0 fail, 1 are inconclusive and 1 "+
		"were not attempted. Of 1 control, which no paper states, 0 hold, 1 fail, 0 are inconclusive and 0 were not "+
		"attempted. Of 2 that hold and have a null control, 1 hold for the excess over the null too") {
		t.Error(s)
	}
}

// If the pictures of the seeds are missing, as version control may leave them out, the page shows those over all seeds,
// or draws the pictures again from the arrays of the seeds. Without either it shows fewer pictures.
func TestOverviewWithoutSeedFigures(t *testing.T) {
	dir := smokeRuns(t, 1, "rfm/fig3")
	count := func() int {
		all, err := ReadOverview(experiments.All(), dir)
		if err != nil {
			t.Fatal(err)
		}
		figures, err := all.judgedRecords()[0].Figures()
		if err != nil {
			t.Fatal(err)
		}
		return len(figures)
	}
	whole := count()
	remove := func(pattern string) {
		folders, err := filepath.Glob(filepath.Join(dir, "rfm", "fig3", pattern))
		if err != nil || len(folders) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, f := range folders {
			if err := os.RemoveAll(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove("*/seed-*/figures")
	if n := count(); n != whole || n == 0 {
		t.Errorf("%d of %d figures without those of the seeds", n, whole)
	}
	remove("*/figures")
	if n := count(); n != whole {
		t.Errorf("%d of %d figures without their files, from the arrays of the seeds", n, whole)
	}
	remove("*/seed-*/arrays")
	if n := count(); n >= whole {
		t.Errorf("%d of %d figures without their files", n, whole)
	}
}

// A folder without results is an input error, and so is one that does not exist.
func TestOverviewOfNothing(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "nothere")} {
		if _, err := ReadOverview(experiments.All(), dir); !input.IsError(err) {
			t.Errorf("%v", err)
		}
	}
}

// The command of a record repeats its run. Seeds with gaps need one command for each run of consecutive seeds. For
// seeds that were added until the claims were settled, the command has the flag --until-settled.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		seeds []uint64
		scale study.Scale
		looks study.Looks
		want  string
	}{
		{[]uint64{0, 1, 2}, study.Small, nil, "ansatz run toys/one --scale small --seeds 3"},
		{[]uint64{4}, study.Smoke, nil, "ansatz run toys/one --scale smoke --seed 4 --seeds 1"},
		{[]uint64{0, 2, 3}, study.OtherScale, nil, "ansatz run toys/one --spec spec.toml --seeds 1 && ansatz run toys/one " +
			"--spec spec.toml --seed 2 --seeds 2"},
		{[]uint64{2, 3, 4}, study.Small, study.Looks{3, 5, 9}, "ansatz run toys/one --scale small --seed 2 --until-settled " +
			"--max-seeds 9"},
	} {
		if got := (&study.Record{ID: "toys/one", Scale: c.scale, Seeds: c.seeds, Looks: c.looks}).Command(); got != c.want {
			t.Errorf("%v: %q, want %q", c.seeds, got, c.want)
		}
	}
}
