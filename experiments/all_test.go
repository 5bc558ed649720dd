package experiments

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// FuzzSelection: a pattern selects experiments that there are, each once, or nothing.
func FuzzSelection(f *testing.F) {
	for _, name := range []string{"all", "rfm", "rfm/fig7", "energy/table*", "[", "*/*", "\\", "cnfa/fig[1-3]"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found, exact, err := All().Select(study.Selection{Names: []string{name, name}})
		if err != nil {
			if !input.IsError(err) {
				t.Fatalf("%v (%T)", err, err)
			}
			return
		}
		seen := map[string]bool{}
		for _, e := range found {
			seen[e.ID] = true
		}
		if len(seen) != len(found) || len(found) == 0 || exact && (len(found) != 1 || found[0].ID != name) {
			t.Fatalf("%q selects %v, exactly: %t", name, seen, exact)
		}
	})
}

// FuzzSpec changes settings by any text: what is taken can be named by its hash,
// and what it would cost can be asked.
func FuzzSpec(f *testing.F) {
	all := All()
	for i, e := range all {
		if s, err := e.SpecAt(study.Smoke); err == nil {
			f.Add(uint8(i), strings.Join(study.SettingNames(s), "\n"))
		}
	}
	for _, text := range []string{
		"train = -1", "train = 99999999999999999999", "ridge = nan", "ridge = -inf", "seeds", "a.b.c = 1", "[machine]\nkernel = 'ntk:9'",
		"x = " + strings.Repeat("[", 2000), "x = " + strings.Repeat("{a=", 2000), "train = 1\ntrain = 2", "\x00", "\"\\uD800\" = 1", strings.Repeat("a.", 2000) + "a = 1",
	} {
		f.Add(uint8(3), text)
	}
	f.Fuzz(func(t *testing.T, id uint8, text string) {
		e := all[int(id)%len(all)]
		s, err := e.SpecWith(study.Smoke, text)
		if err != nil {
			if !input.IsError(err) {
				t.Fatalf("%s: %v (%T)", e.ID, err, err)
			}
			return
		}
		if _, hash, err := e.Hash(s); err != nil || len(hash) != 12 {
			t.Fatalf("%s: taken, and then: %q, %v", e.ID, hash, err)
		}
		_, _ = study.DryRun(s)
	})
}

// A run that is stopped says how to go on, and keeps the seeds that are done.
func TestExperimentInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e, err := All().Find("rfm/fig9")
	if err != nil {
		t.Fatal(err)
	}
	begun := 0
	r := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 2, Out: t.TempDir(), Begin: func(uint64, bool) {
		if begun++; begun == 2 {
			cancel()
		}
	}}
	_, err = r.Run(ctx)
	var stopped *checkpoint.InterruptedError
	if !errors.As(err, &stopped) {
		t.Fatalf("%v", err)
	}
	there := 0
	r.Resume, r.Begin = true, func(_ uint64, is bool) {
		if is {
			there++
		}
	}
	if _, err := r.Run(t.Context()); err != nil || there != 1 {
		t.Errorf("going on: %d seeds were there, %v", there, err)
	}
}

// Specs that make no sense are refused before anything is computed.
func TestExperimentSpecsAreChecked(t *testing.T) {
	for id, texts := range map[string][]string{
		"rfm/fig15":      {"tasks = []", "overview = 2", "iterations = 0", "threshold = 2.0", "[net]\nwidth = 0"},
		"rfm/table1":     {"widths = [4]"},
		"hyperbf/table1": {"sets = []"},
		"rfm/fig3":       {"validation = 0.0", "stand_in = 'nothere'", "ridge = -1.0"},
		"rfm/fig6":       {"tasks = []", "threshold = 1.5", "ridge = -1.0"},
		"rfm/fig7":       {"data = 'glyphs'", "draws = 0", "every = 0", "train = 1", "validation = 66", "ridge = -1.0"},
		"rfm/fig8":       {"iterations = 0", "data = 'sidebyside:nothere'", "train = -1"},
		"rfm/fig9":       {"side = 0", "side = 29", "threshold = 2.0", "iterations = -1"},
	} {
		for _, text := range texts {
			e, err := All().Find(id)
			if err != nil {
				t.Fatal(err)
			}
			s := e.Specs[study.Smoke]
			if err := study.Overlay(s, text); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Run(t.Context(), study.Setting{}); !input.IsError(err) {
				t.Errorf("%s with %s: %v", id, text, err)
			}
		}
	}
}

// Every experiment has what a reader and the registry need, at all scales.
func TestExperimentsAreWhole(t *testing.T) {
	if err := All().Check(); err != nil {
		t.Error(err)
	}
	for _, e := range All() {
		if e.Stated == (len(e.Claims) > 0) || e.Figure == "" || e.About == "" {
			t.Errorf("%s: %+v", e.ID, e)
		}
		if e.Absent != "" || e.Of != nil {
			testWithoutRun(t, e)
			continue
		}
		for _, scale := range study.Scales {
			if _, err := e.SpecAt(scale); err != nil {
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

// Every experiment runs at the scale of tests, and finds what its claims are about;
// those that show a part of it find theirs, and something to show.
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
			r := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 2, Out: t.TempDir(), Made: &study.MadeSeeds{}}
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

// The cheapest comes first; what shows a part of a run stays with it, behind it.
func TestSortByCost(t *testing.T) {
	base, _ := All().Find("rfm/fig11")
	cheap, _ := All().Find("rfm/tutorial")
	view := &study.Experiment{ID: "rfm/view", Of: base}
	unknown := &study.Experiment{ID: "rfm/unknown", Specs: map[study.Scale]study.Spec{}}
	all := []*study.Experiment{unknown, view, base, cheap}
	study.SortByCost(all, study.Small)
	if got := strings.Join(idsOf(all), " "); got != "rfm/tutorial rfm/fig11 rfm/view rfm/unknown" {
		t.Error(got)
	}
}

// What is left of a seed that is whole is removed, and of writers that were killed.
func TestKeptLeft(t *testing.T) {
	const id = "rfm/fig16"
	out := t.TempDir()
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	seed, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", "seed-3"))
	kept := filepath.Join(filepath.Dir(seed[0]), ".seed-3.kept")
	left := filepath.Join(kept, "a")
	half := filepath.Join(kept, ".a"+atomicfile.Temporary+"X")
	leave := func() {
		t.Helper()
		if err := errors.Join(os.MkdirAll(kept, 0o777), os.WriteFile(left, nil, 0o666), os.WriteFile(half, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("beside a whole seed: %v", err)
	}
	leave()
	if err := atomicfile.SweepAll(kept); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(half); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half written: %v", err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	// Of what is not of this seed nothing is taken, and it was not resumed.
	if err := os.RemoveAll(seed[0]); err != nil {
		t.Fatal(err)
	}
	if err := runSeed(t.Context(), t, id, out, func() {}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(seed[0], study.RunFile))
	if err != nil || bytes.Contains(text, []byte(`"resumed"`)) {
		t.Errorf("%v: it says that it was resumed", err)
	}
}

// The network beside a kernel machine goes on from the epoch in which it was stopped:
// no epoch ends twice, and what is found is the same to the bit.
func TestNetworkBesideMachineGoesOn(t *testing.T) {
	for _, id := range []string{"rfm/fig3", "rfm/fig7", "rfm/fig8", "rfm/fig9", "cnfa/fig5"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			undisturbed, stopped := t.TempDir(), t.TempDir()
			total, err := runNetworks(t, id, undisturbed, 0)
			if err != nil || total < 2 {
				t.Fatalf("%d epochs, %v", total, err)
			}
			first, err := runNetworks(t, id, stopped, 1)
			var interrupted *checkpoint.InterruptedError
			if !errors.As(err, &interrupted) || first != 1 {
				t.Fatalf("stopped after %d epochs: %v", first, err)
			}
			second, err := runNetworks(t, id, stopped, 0)
			if err != nil || first+second != total {
				t.Errorf("%d and %d epochs, want %d: %v", first, second, total, err)
			}
			sameFound(t, undisturbed, stopped)
		})
	}
}

// What could not be kept ends a benchmark, and is no result of the method; and it is not
// taken for a file of the user's that is missing.
func TestNotKept(t *testing.T) {
	out := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := runSeed(ctx, t, "rfm/fig5", out, func() {
		if n++; n == 20 {
			cancel()
		}
	})
	fits, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", ".seed-3.kept", "*", "fits"))
	if err == nil || len(fits) == 0 {
		t.Fatalf("%v: nothing was kept", err)
	}
	if err := errors.Join(os.RemoveAll(fits[0]), os.WriteFile(fits[0], nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	err = runSeed(t.Context(), t, "rfm/fig5", out, func() {})
	var kept *checkpoint.SaveError
	if !errors.As(err, &kept) || input.MissingFile(err) != "" {
		t.Errorf("%v", err)
	}
	if err := os.Remove(fits[0]); err != nil {
		t.Fatal(err)
	}
	if err := runSeed(t.Context(), t, "rfm/fig5", out, func() {}); err != nil {
		t.Error(err)
	}
	if missing := input.MissingFile(&checkpoint.SaveError{Err: &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}}); missing != "" {
		t.Error(missing)
	}
}

// Without --resume nothing of what was kept is taken.
func TestSeedBeginsAnew(t *testing.T) {
	const id = "cnfa/fig1"
	out := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	if err := runSeed(ctx, t, id, out, cancel); err == nil {
		t.Fatal("it was not stopped")
	}
	kept, _ := filepath.Glob(filepath.Join(out, "*", "*", "*", ".seed-3.kept", "*"))
	if len(kept) == 0 {
		t.Fatal("nothing was kept")
	}
	e, _ := All().Find(id)
	r, err := study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Setting: study.Setting{Seed: 3, Threads: 1}, Out: out}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Made()[0].Resumed {
		t.Error("it went on")
	}
	if _, err := os.Stat(filepath.Dir(kept[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was kept is there: %v", err)
	}
}

// A seed that is stopped goes on from the trainings, machines, solutions and tables that
// it has, and finds the same to the bit. Without what is kept it would never end: it is
// stopped before it is whole each time.
func TestSeedGoesOn(t *testing.T) {
	for _, id := range []string{
		"cnfa/fig1", "cnfa/fig2", "cnfa/fig3", "cnfa/fig4", "cnfa/fig5", "cnfa/fig6", "cnfa/fig9", "cnfa/fig10", "cnfa/features",
		"energy/fig3", "energy/table1", "energy/table3", "hyperbf/table1",
		"rfm/fig1", "rfm/fig3", "rfm/fig4", "rfm/fig5", "rfm/fig6", "rfm/fig7", "rfm/fig8", "rfm/fig9", "rfm/fig10", "rfm/fig11",
		"rfm/fig12", "rfm/fig14", "rfm/fig16", "rfm/lowrank", "rfm/tutorial",
		"ntk/fig2", "ntk/fig6", "ntk/kernel", "ntk/table1", "ntk/threshold",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			undisturbed, stopped, reports := t.TempDir(), t.TempDir(), 0
			if err := runSeed(t.Context(), t, id, undisturbed, func() { reports++ }); err != nil {
				t.Fatal(err)
			}
			if stops := goesOn(t, id, stopped, reports*3/4); stops < 1 {
				t.Errorf("stopped %d times", stops)
			}
			sameFound(t, undisturbed, stopped)
		})
	}
}

func TestSelect(t *testing.T) {
	for _, c := range []struct {
		names []string
		exact bool
		want  []string // in the order in which they have to be found, among others
		not   string
	}{
		{[]string{"rfm/fig9", "rfm/fig1", "rfm/fig9"}, true, []string{"rfm/fig9", "rfm/fig1"}, "rfm/fig2"},
		{[]string{"theory"}, true, []string{"theory"}, "rfm/fig1"},
		{[]string{"ntk"}, false, []string{"ntk/fig2", "ntk/table1", "ntk/kernel"}, "theory"},
		{[]string{"energy/table*", "rfm/fig1"}, false, []string{"energy/table1", "energy/table4", "rfm/fig1"}, "energy/fig3"},
		{[]string{"all"}, false, []string{"cnfa/fig3", "rfm/fig1", "theory"}, "all"},
		{nil, false, []string{"cnfa/fig3", "rfm/fig1", "theory"}, "all"},
	} {
		got, exact, err := All().Select(study.Selection{Names: c.names})
		ids := idsOf(got)
		if err != nil || exact != c.exact || slices.Contains(ids, c.not) {
			t.Errorf("%q: %q, exact %t, %v", c.names, ids, exact, err)
		}
		last := -1
		for _, id := range c.want {
			i := slices.Index(ids, id)
			if i <= last {
				t.Errorf("%q: %s is not where it should be in %q", c.names, id, ids)
			}
			last = i
		}
		if slices.Sort(ids); len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%q: one comes twice in %q", c.names, ids)
		}
	}
	for _, name := range []string{"nothere", "rfm/", "rfm/fig[", ""} {
		if _, _, err := All().Select(study.Selection{Names: []string{name}}); !input.IsError(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestSelectFilters(t *testing.T) {
	no, yes := false, true
	for _, s := range []study.Selection{{Papers: []string{"ntk"}, Kinds: []string{"table"}, Attempted: &yes}, {Attempted: &no}, {Kinds: []string{"other", "figure"}}} {
		got, _, err := All().Select(s)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range All() {
			want := (s.Papers == nil || slices.Contains(s.Papers, e.Paper)) && (s.Kinds == nil || slices.Contains(s.Kinds, e.Kind())) && (s.Attempted == nil || *s.Attempted == (e.Absent == ""))
			if slices.Contains(idsOf(got), e.ID) != want {
				t.Errorf("%+v: %s", s, e.ID)
			}
		}
	}
	for _, s := range []study.Selection{{Papers: []string{"nature"}}, {Kinds: []string{"poem"}}} {
		if _, _, err := All().Select(s); !input.IsError(err) || !strings.Contains(err.Error(), "there are") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for id, kind := range map[string]string{"a/fig1": "figure", "a/table2": "table", "a/kernel": "other", "theory": "other"} {
		if got := (&study.Experiment{ID: id}).Kind(); got != kind {
			t.Errorf("%s is a %s, not a %s", id, got, kind)
		}
	}
}

// goesOn runs a seed at scale smoke, stopped again and again after so many reports of
// its progress, until it is whole. It returns how often it was stopped.
func goesOn(t *testing.T, id, out string, reports int) int {
	t.Helper()
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := runSeed(ctx, t, id, out, func() {
			if n++; n == reports {
				cancel()
			}
		})
		cancel()
		if err == nil {
			return stops
		}
		var interrupted *checkpoint.InterruptedError
		if !errors.As(err, &interrupted) || stops == 40 {
			t.Fatalf("%s: stopped %d times after %d reports: %v", id, stops, reports, err)
		}
	}
}

func idsOf(all []*study.Experiment) []string {
	var ids []string
	for _, e := range all {
		ids = append(ids, e.ID)
	}
	return ids
}

// namesOf are the names of what a record shows.
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

// runNetworks runs a seed at scale smoke, and stops it when so many epochs of networks
// have ended, 0 for never. It returns how many have.
func runNetworks(t *testing.T, id, out string, stop int) (epochs int, err error) {
	t.Helper()
	e, err := All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in := study.Setting{Seed: 3, Threads: 1, Progress: func(stage string, _, _ int) {
		if !strings.Contains(stage, "training the network") {
			return
		}
		if epochs++; epochs == stop {
			cancel()
		}
	}}
	backend.SetBLASThreads(in.Threads)
	_, err = study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Setting: in.KeepAll(), Out: out, Resume: true}.Run(ctx)
	return epochs, err
}

// runSeed runs a seed at scale smoke that keeps all that it can.
func runSeed(ctx context.Context, t *testing.T, id, out string, report func()) error {
	t.Helper()
	e, err := All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	in := study.Setting{Seed: 3, Threads: 1, Progress: func(string, int, int) { report() }}
	backend.SetBLASThreads(in.Threads) // as the command does: a benchmark among the seeds changes it for all
	_, err = study.Run{Experiment: e, Scale: study.Smoke, Seeds: 1, Setting: in.KeepAll(), Out: out, Resume: true}.Run(ctx)
	return err
}

// sameFound compares all files but those with times, and looks at what the run says of
// being stopped.
func sameFound(t *testing.T, want, got string) {
	t.Helper()
	same := 0
	err := filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		rest, _ := filepath.Rel(want, path)
		there := filepath.Join(got, rest)
		if err != nil || d.IsDir() || filepath.Ext(path) == ".html" {
			return err
		}
		a, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(there)
		switch {
		case err != nil:
			return err
		case d.Name() == study.RunFile:
			if bytes.Contains(a, []byte(`"resumed"`)) || !bytes.Contains(b, []byte(`"resumed": true`)) {
				t.Errorf("%s: who was stopped", rest)
			}
		case filepath.Ext(path) == ".json":
		case !bytes.Equal(a, b):
			t.Errorf("%s differs", rest)
		default:
			same++
		}
		return nil
	})
	if err != nil || same < 2 {
		t.Errorf("%d files: %v", same, err)
	}
	if left, _ := filepath.Glob(filepath.Join(got, "*", "*", "*", ".*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// testFinds runs an experiment.
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
