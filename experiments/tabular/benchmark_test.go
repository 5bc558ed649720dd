package tabular

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/realdata"
	"github.com/google/go-cmp/cmp"
)

func TestBenchmark(t *testing.T) {
	dir, out := tables(t), filepath.Join(t.TempDir(), "new", "run")
	ended, work := 0, 0.
	r := runBenchmark(t, Spec{Benchmark: dir, Iters: 3, Threads: 2}, Run{Out: out, Progress: func(p Progress) {
		if p.Ended != nil {
			ended++
		}
		if p.Done > p.Total || p.Work < work || p.Work > 1 {
			t.Errorf("progress %+v after %v", p, work)
		}
		work = p.Work
	}})
	if len(r.Datasets) != 7 || ended != 4*3 || work < .999 {
		t.Errorf("%d datasets, %d ended, %v of the work", len(r.Datasets), ended, work)
	}
	for name, message := range map[string]string{
		"one-class": "all 20 rows are of the class same", "numeric": "--protocol grinsztajn does regressions",
		"broken": "line 2",
	} {
		if d := datasetOf(t, r, name); !strings.Contains(d.Error, message) || len(d.Methods) != 0 {
			t.Errorf("%s: %q", name, d.Error)
		}
	}
	for _, m := range datasetOf(t, r, "tiny").Methods {
		if m.Score != nil || !strings.Contains(m.Error, "too few") {
			t.Errorf("tiny: %+v", m)
		}
	}
	for name, folds := range map[string]int{"strip": 4, "folded": 4, "tested": 1} {
		d := datasetOf(t, r, name)
		for _, m := range d.Methods {
			if m.Error != "" || len(m.Folds) != folds || len(m.ByFold) != folds || *m.Score < 0 || *m.Score > 1 ||
				m.Chosen == nil {
				t.Errorf("%s: %+v", name, m)
			}
		}
	}
	if d := datasetOf(t, r, "tested"); d.Rows != 48 || d.Methods[0].ByFold[0].Test != 16 ||
		d.Methods[0].ByFold[0].Train != 32 {
		t.Errorf("tested: %+v", d)
	}
	if d := datasetOf(t, r, "strip"); !(*d.Methods[0].Score > *d.Methods[1].Score+.05) {
		t.Errorf("RFM %v is not better than the Laplace kernel %v where features matter", *d.Methods[0].Score,
			*d.Methods[1].Score)
	}
	for _, f := range []string{"report.html", "record.json", "results.csv", "tabular.json", "records/strip--rfm.json",
		"figures/errors.svg", "figures/decrease-rows.svg", "tables/folds.csv"} {
		if info, err := os.Stat(filepath.Join(out, f)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", f, err)
		}
	}
	for _, text := range []string{"3 methods on 3 datasets", "one-class: all 20 rows"} {
		if !strings.Contains(r.Summary(), text) {
			t.Errorf("no %q in %s", text, r.Summary())
		}
	}
	checkLeaderboardOf(t, r, out)
}

// checkLeaderboardOf checks that the leaderboard is the one computed from results.csv.
func checkLeaderboardOf(t *testing.T, r *Record, out string) {
	t.Helper()
	again, _, err := CompareMethods(LeaderboardSpec{Source: filepath.Join(out, "results.csv")})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r.Leaderboard, again.Leaderboard); d != "" || len(r.Leaderboard) != 3 || again.Datasets != 3 {
		t.Error(d)
	}
}

// Tables of a folder have different names, under which their records are kept.
func TestNamesOfTables(t *testing.T) {
	for files, want := range map[string]string{
		"p.csv q.tsv": "p q", "p.csv p.tsv": "p.csv p.tsv", "p.csv p.csv.gz": "p p.csv.gz",
		"p.csv p.csv.gz p.tsv": "p.csv p.csv.gz p.tsv",
	} {
		dir := t.TempDir()
		for _, name := range strings.Fields(files) {
			writeFile(t, "", dir, name)
		}
		members, err := PathMembers(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range members {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", files, got, want)
		}
	}
}

// A run says which column of a table of one's own it predicts, and what it leaves out; --target names another column.
func TestTargets(t *testing.T) {
	var b strings.Builder
	b.WriteString("name,a,kind,b\n")
	for i := range 60 {
		kind := []string{"in", "out", ""}[min(i%2+2*(i/50), 2)]
		fmt.Fprintf(&b, "n%d,%d,%s,%d\n", i, i*i%7, kind, i%5)
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	writeFile(t, b.String(), path)
	for target, want := range map[string]string{
		"kind": "Target: kind. Left out, since they name the rows: name. Left out: 10 rows without a target",
		"":     "Target: b, the last column; --target names another. Left out, since they name the rows: name",
		"nix":  "",
	} {
		about := ""
		spec := Spec{Benchmark: path, Target: target, Protocol: "grinsztajn", Methods: []string{"laplace"}, Configs: 1, Repeats: 1, Iters: 1}
		bench, err := OpenBenchmark(spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := bench.Run(t.Context(), Run{Progress: func(p Progress) { about += p.About }})
		if about != want {
			t.Errorf("%q: %q, want %q", target, about, want)
		}
		switch {
		case target == "nix":
			if !input.IsError(err) || !strings.Contains(err.Error(), `no column "nix": --target names one of name, a, kind, b`) {
				t.Errorf("%v", err)
			}
		case err != nil:
			t.Fatal(err)
		case target == "kind" && (r.Datasets[0].Rows != 50 || r.Datasets[0].Target != "kind" ||
			!slices.Contains(r.Datasets[0].Methods[0].Notes, "10 rows without a target left out")):
			t.Errorf("%+v", r.Datasets[0])
		}
	}
	if _, err := OpenBenchmark(Spec{Benchmark: UciProtocol, Target: "kind"}); !input.IsError(err) {
		t.Errorf("%v", err)
	}
}

func TestDataFolder(t *testing.T) {
	dir := t.TempDir()
	x, y := strip(40, 1)
	uciSet{x: x, y: y}.write(t, filepath.Join(dir, "uci121", "data"), "one")
	uciSet{x: x, y: y}.write(t, filepath.Join(dir, "uci121"), "two")
	digits := func(_ [4]float64, class int) string { return fmt.Sprint(class) }
	writeStrip(t, 60, 1, digits, dir, "grinsztajn", "clf_num", "x.csv")
	writeStrip(t, 60, 1, digits, dir, "grinsztajn", "reg_num", "x.csv")
	r := runBenchmark(t, Spec{Benchmark: "uci121", Dir: dir, Methods: []string{"laplace"}}, Run{})
	if len(r.Datasets) != 2 || len(datasetOf(t, r, "one").Methods[0].Folds) != 4 ||
		len(datasetOf(t, r, "two").Methods[0].Folds) != 4 {
		t.Errorf("%+v", r.Datasets)
	}
	p, err := r.Page()
	if err != nil || !slices.ContainsFunc(p.Sections, func(s report.Section) bool {
		return s.Heading == "What the paper prints" && len(s.Tables[0].Rows) == 12
	}) {
		t.Errorf("the paper's numbers are not in the page: %v", err)
	}
	r = runBenchmark(t, Spec{Benchmark: "grinsztajn", Dir: dir, Methods: []string{"laplace"}, Configs: 2, Repeats: 1},
		Run{})
	if r.Spec.Protocol != "grinsztajn" || datasetOf(t, r, "clf_num/x").Measure != "accuracy" ||
		datasetOf(t, r, "reg_num/x").Measure != "r2" {
		t.Errorf("%+v", r.Datasets)
	}
	for _, d := range r.Datasets {
		if d.Methods[0].Score == nil {
			t.Errorf("%+v", d)
		}
	}
}

// The iris table of UCI is run if it is present.
func TestRealTables(t *testing.T) {
	r := runBenchmark(t, Spec{Benchmark: realdata.File(t, "uci/iris.arff"), Iters: 2}, Run{})
	d := datasetOf(t, r, "iris")
	if d.Rows != 150 || d.Features != 4 || d.Classes != 3 || *d.Methods[0].Score < .88 || *d.Methods[1].Score < .88 {
		t.Errorf("%+v", d)
	}
}
