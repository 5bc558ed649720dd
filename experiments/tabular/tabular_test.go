package tabular

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/checkpoint"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/job/jobtest"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/google/go-cmp/cmp"
)

func writeFile(t *testing.T, text string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// strip is a table of n rows whose class, one of two, is told by the first of
// four features alone: a band of it. The others are noise of a larger scale.
func strip(n int, seed uint64) (x [][4]float64, y []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		row := [4]float64{rng.Float64()*2 - 1, 4 * rng.NormFloat64(), 4 * rng.NormFloat64(), 4 * rng.NormFloat64()}
		class := 0
		if math.Abs(row[0]) < .5 {
			class = 1
		}
		x, y = append(x, row), append(y, class)
	}
	return x, y
}

// writeStrip writes the table as CSV, of classes or of numbers to predict.
func writeStrip(t *testing.T, n int, seed uint64, target func(x [4]float64, class int) string, path ...string) {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,b,c,d,class\n")
	x, y := strip(n, seed)
	for i, row := range x {
		fmt.Fprintf(&b, "%g,%g,%g,%g,%s\n", row[0], row[1], row[2], row[3], target(row, y[i]))
	}
	writeFile(t, b.String(), path...)
}

func className(_ [4]float64, class int) string { return []string{"out", "in"}[class] }

// uciSet is a set in the layout of the 121 sets that a test writes.
type uciSet struct {
	x     [][4]float64
	y     []int
	tests int // rows at the end that are test rows of its own
}

// write writes the set into the folder NAME of a folder. Fold k tests every
// fourth row, and rows are tuned on by halves.
func (s uciSet) write(t *testing.T, root, name string) {
	t.Helper()
	rows := func(from, to int) string {
		var b strings.Builder
		b.WriteString("\tf1\tf2\tf3\tf4\tclase\n")
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "%d\t%g\t%g\t%g\t%g\t%d\n", i-from+1, s.x[i][0], s.x[i][1], s.x[i][2], s.x[i][3], s.y[i])
		}
		return b.String()
	}
	train := len(s.x) - s.tests
	header := fmt.Sprintf("n_entradas= 4\nn_clases= 2\nfich1= %s_R.dat\nn_patrons1= %d\n", name, train)
	if s.tests > 0 {
		header += fmt.Sprintf("n_arquivos= 2\nfich2= %s_test_R.dat\nn_patrons2= %d\n", name, s.tests)
		writeFile(t, rows(train, len(s.x)), root, name, name+"_test_R.dat")
	} else {
		header += "n_arquivos= 1\n"
	}
	writeFile(t, header, root, name, name+".txt")
	writeFile(t, rows(0, train), root, name, name+"_R.dat")
	pick := func(keep func(i int) bool) string {
		var b strings.Builder
		for i := range train {
			if keep(i) {
				fmt.Fprint(&b, i, " ")
			}
		}
		return b.String() + "\n"
	}
	writeFile(t, pick(func(i int) bool { return i%2 == 0 })+pick(func(i int) bool { return i%2 == 1 }), root, name,
		"conxuntos.dat")
	folds := ""
	for k := range 4 {
		folds += pick(func(i int) bool { return i%4 != k }) + pick(func(i int) bool { return i%4 == k })
	}
	if s.tests == 0 {
		writeFile(t, folds, root, name, "conxuntos_kfold.dat")
	}
}

// tables writes a folder with all kinds of tables: good ones and bad ones.
func tables(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	writeStrip(t, 60, 1, className, dir, "strip.csv")
	x, y := strip(48, 2)
	uciSet{x: x, y: y}.write(t, dir, "folded")
	uciSet{x: x, y: y, tests: 16}.write(t, dir, "tested")
	writeStrip(t, 20, 3, func([4]float64, int) string { return "same" }, dir, "one-class.csv")
	writeStrip(t, 20, 3, func(x [4]float64, _ int) string { return fmt.Sprint(x[0]) }, dir, "numeric.csv")
	writeFile(t, "a,class\n1,x,extra\n", dir, "broken.csv")
	writeFile(t, "a,b,class\n1,2,x\n3,?,y\n2,1,x\n", dir, "tiny.csv")
	return dir
}

func runTabularOn(t *testing.T, s Spec, r Run) *Record {
	t.Helper()
	b, err := OpenBenchmark(s)
	if err != nil {
		t.Fatal(err)
	}
	record, err := b.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// timeless takes out what differs between two runs of the same.
func timeless(r *Record) *Record {
	out := *r
	out.Seconds, out.Datasets, out.Spec.Threads = 0, nil, 0
	for _, d := range r.Datasets {
		d.Methods = slices.Clone(d.Methods)
		for i := range d.Methods {
			d.Methods[i].Seconds = 0
		}
		out.Datasets = append(out.Datasets, d)
	}
	return &out
}

func datasetOf(t *testing.T, r *Record, name string) Dataset {
	t.Helper()
	i := slices.IndexFunc(r.Datasets, func(d Dataset) bool { return d.Name == name })
	if i < 0 {
		t.Fatalf("no %s", name)
	}
	return r.Datasets[i]
}

func TestTabular(t *testing.T) {
	dir, out := tables(t), filepath.Join(t.TempDir(), "new", "run")
	ended, work := 0, 0.
	r := runTabularOn(t, Spec{Benchmark: dir, Iters: 3, Threads: 2}, Run{Out: out, Progress: func(p Progress) {
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

// checkLeaderboardOf holds the leaderboard to that of results.csv.
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

// However many threads, and wherever it is stopped, the results are the same to
// the bit.
func TestTabularResumed(t *testing.T) {
	dir := tables(t)
	spec := Spec{Benchmark: dir, Iters: 2, Methods: []string{"laplace", "rfm"}, Threads: 1}
	whole := filepath.Join(t.TempDir(), "whole")
	want := timeless(runTabularOn(t, spec, Run{Out: whole}))
	results, err := os.ReadFile(filepath.Join(whole, "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, every := range []int{1, 3} {
		out := filepath.Join(t.TempDir(), "cut")
		s := spec
		s.Threads = every
		runs := 0
		var got *Record
		for got == nil {
			runs++
			got = stopAfter(t, s, Run{Out: out, Resume: runs > 1}, every)
		}
		if d := cmp.Diff(want, timeless(got), cmp.AllowUnexported(Record{})); d != "" {
			t.Errorf("stopped every %d: %s", every, d)
		}
		if text, err := os.ReadFile(filepath.Join(out, "results.csv")); err != nil || string(text) != string(results) {
			t.Errorf("stopped every %d: results.csv differs, %v", every, err)
		}
		if every == 1 && runs < 3 { // with more threads, what is under way may be all there is
			t.Errorf("%d runs", runs)
		}
	}
}

// stopAfter runs a benchmark and stops it after n results; it returns nil if it
// was stopped.
func stopAfter(t *testing.T, s Spec, r Run, n int) *Record {
	t.Helper()
	b, err := OpenBenchmark(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r.Progress = func(p Progress) {
		if p.Ended != nil && p.Ended.Error == "" {
			if n--; n == 0 {
				stop()
			}
		}
	}
	record, err := b.Run(ctx, r)
	if err != nil && (!checkpoint.Interrupted(err) || !strings.Contains(err.Error(), "--resume")) {
		t.Fatal(err)
	}
	return record
}

// A folder that holds another run is refused, and nothing in it changes.
func TestTabularFolder(t *testing.T) {
	dir, out := tables(t), t.TempDir()
	spec := Spec{Benchmark: dir, Datasets: "^folded$", Methods: []string{"laplace"}}
	runTabularOn(t, spec, Run{Out: out})
	other := spec
	other.Rows, other.Seed = 40, 3
	elsewhere := t.TempDir()
	writeFile(t, "{}", elsewhere, "record.json")
	damaged := t.TempDir()
	writeFile(t, "{", damaged, specFile)
	for _, c := range []struct {
		spec    Spec
		run     Run
		message string
	}{
		{spec, Run{Out: out}, "give --resume to go on"},
		{other, Run{Out: out, Resume: true}, "--rows was not given, is 40; --seed was 0, is 3"},
		{spec, Run{Out: elsewhere}, "something else (record.json)"},
		{spec, Run{Out: damaged, Resume: true}, "cannot be read"},
	} {
		b, err := OpenBenchmark(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{b.Check(c.run), second(b.Run(t.Context(), c.run))} {
			if !input.IsError(err) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%q: %v", c.message, err)
			}
		}
	}
	b, err := OpenBenchmark(spec)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "not JSON", out, "records", "folded--laplace.json")
	if _, err := b.Run(t.Context(), Run{Out: out, Resume: true}); !input.IsError(err) ||
		!strings.Contains(err.Error(), "remove it") {
		t.Errorf("a damaged record: %v", err)
	}
}

func second[A, B any](_ A, b B) B { return b }

// A table that changed since is done again; one that did not is not.
func TestTabularChanged(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	x, y := strip(40, 5)
	uciSet{x: x, y: y}.write(t, dir, "a")
	uciSet{x: x, y: y}.write(t, dir, "b")
	spec := Spec{Benchmark: dir, Methods: []string{"laplace"}}
	runTabularOn(t, spec, Run{Out: out})
	y[0] = 1 - y[0]
	uciSet{x: x, y: y}.write(t, dir, "a")
	swept := jobtest.LeaveTemporary(t, out, filepath.Join(out, "tables"), filepath.Join(out, resultsFolder))
	var ended []string
	runTabularOn(t, spec, Run{Out: out, Resume: true, Progress: func(p Progress) {
		if p.Ended != nil {
			ended = append(ended, p.Dataset)
		}
	}})
	swept()
	if !slices.Equal(ended, []string{"a"}) {
		t.Errorf("%v was done again", ended)
	}
}

func TestTabularSpec(t *testing.T) {
	dir := tables(t)
	good := Spec{Benchmark: dir}
	for _, c := range []struct {
		change  func(s *Spec)
		message string
	}{
		{func(s *Spec) { s.Benchmark = filepath.Join(dir, "nowhere") }, "want uci121, grinsztajn or the path"},
		{func(s *Spec) { s.Benchmark = t.TempDir() }, "there are no tables"},
		{func(s *Spec) { s.Benchmark, s.Dir = "uci121", t.TempDir() }, "uci121"},
		{func(s *Spec) { s.Protocol = "mine" }, `--protocol "mine"`},
		{func(s *Spec) { s.Methods = []string{"rfm", "forest"} },
			`"forest": want some of rfm, laplace, ntk, h-exponential`},
		{func(s *Spec) { s.Methods = []string{"rfm", "rfm"} }, "twice"},
		{func(s *Spec) { s.Datasets = "(" }, "not a regular expression"},
		{func(s *Spec) { s.Datasets = "nothing" }, "no table"},
		{func(s *Spec) { s.Rows = -1 }, "--rows -1"},
		{func(s *Spec) { s.Iters = -1 }, "--iters -1"},
		{func(s *Spec) { s.Configs = 5 }, "of the grinsztajn protocol"},
		{func(s *Spec) { s.Size = "large" }, "of the grinsztajn protocol"},
		{func(s *Spec) { s.Protocol, s.PaperMode = "grinsztajn", true }, "--paper-mode"},
		{func(s *Spec) { s.Protocol, s.Size = "grinsztajn", "huge" }, "medium or large"},
		{func(s *Spec) { s.Precision = 16 }, "--precision 16"},
		{func(s *Spec) { s.Backend = "abacus" }, "abacus"},
	} {
		s := good
		c.change(&s)
		if _, err := OpenBenchmark(s); !input.IsError(err) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%q: %v", c.message, err)
		}
	}
}

// Names of files that are none everywhere, or too long, stay in the folder and
// apart.
func TestTabularNotePaths(t *testing.T) {
	f := &folder{dir: "run"}
	seen := map[string]string{}
	for _, name := range []string{"iris", "Iris", "IRIS", "a/b", "a-b", `a\b`, "../../etc/passwd", "", ".", "..", "é",
		strings.Repeat("x", 300), strings.Repeat("x", 301), "con:aux"} {
		path := f.resultPath(name, "rfm")
		key := strings.ToLower(path)
		if other, again := seen[key]; again {
			t.Errorf("%q and %q have one file %s", name, other, path)
		}
		seen[key] = name
		if filepath.Dir(path) != filepath.Join("run", "records") || len(filepath.Base(path)) > 140 {
			t.Errorf("%q: %s", name, path)
		}
	}
}

// The benchmarks of the data folder, in the layouts that they come in.
func TestTabularDataFolder(t *testing.T) {
	dir := t.TempDir()
	x, y := strip(40, 1)
	uciSet{x: x, y: y}.write(t, filepath.Join(dir, "uci121", "data"), "one")
	uciSet{x: x, y: y}.write(t, filepath.Join(dir, "uci121"), "two")
	digits := func(_ [4]float64, class int) string { return fmt.Sprint(class) }
	writeStrip(t, 60, 1, digits, dir, "grinsztajn", "clf_num", "x.csv")
	writeStrip(t, 60, 1, digits, dir, "grinsztajn", "reg_num", "x.csv")
	r := runTabularOn(t, Spec{Benchmark: "uci121", Dir: dir, Methods: []string{"laplace"}}, Run{})
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
	r = runTabularOn(t, Spec{Benchmark: "grinsztajn", Dir: dir, Methods: []string{"laplace"}, Configs: 2, Repeats: 1},
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

// The real tables, where they are.
func TestTabularReal(t *testing.T) {
	path := "../../shared/data/uci/iris.arff"
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		t.Skip("no real tables here")
	}
	r := runTabularOn(t, Spec{Benchmark: path, Iters: 2}, Run{})
	d := datasetOf(t, r, "iris")
	if d.Rows != 150 || d.Features != 4 || d.Classes != 3 || *d.Methods[0].Score < .88 || *d.Methods[1].Score < .88 {
		t.Errorf("%+v", d)
	}
}
