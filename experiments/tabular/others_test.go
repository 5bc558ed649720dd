package tabular

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/google/go-cmp/cmp"
)

// others writes a file of results and returns its path.
func others(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "peers", name)
	writeFile(t, text, path)
	return path
}

// Results from other files are added to the table, to all metrics and to the page, with the path and the digest of
// their file. Missing scores are treated as --missing says. A finished run adds them without fitting again.
func TestOthers(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "run")
	for k, name := range []string{"one", "two", "three"} {
		writeStrip(t, 48, uint64(k), className, dir, name+".csv")
	}
	spec := Spec{Benchmark: dir, Iters: 1, Methods: []string{"rfm", "laplace"}}
	alone := runBenchmark(t, spec, Run{Out: out})
	text := "dataset,forest,net\nthree,1,.25\none,.5,-\n"
	path := others(t, "peers.csv", text)
	for _, missing := range []string{"", "impute"} {
		r := runBenchmark(t, spec, Run{Out: out, Resume: true, Others: []string{path}, Missing: missing})
		if d := cmp.Diff(alone.Datasets, r.Datasets); d != "" {
			t.Errorf("the run was not resumed: %s", d)
		}
		results := r.Results()
		i := slices.Index(results.Datasets, "one")
		if !slices.Equal(results.Methods, []string{"rfm", "laplace", "forest", "net"}) || results.Scores[i][2] != .5 ||
			!math.IsNaN(results.Scores[i][3]) {
			t.Errorf("%+v", results)
		}
		rule := DropMissing
		if missing != "" {
			rule = ImputeMissing
		}
		forest := standingOf(t, r.Leaderboard, "forest")
		if d := cmp.Diff(results.Leaderboard(rule), r.Leaderboard); d != "" {
			t.Error(d)
		}
		if forest.Datasets != 2 || (*forest.Average == .75) != (rule == DropMissing) || forest.From != "peers/peers.csv" ||
			standingOf(t, r.Leaderboard, "rfm").From != "" {
			t.Errorf("%s: %+v", missing, forest)
		}
		sum := sha256.Sum256([]byte(text))
		if o := r.Others[0]; len(r.Others) != 1 || o.File != path || o.SHA256 != hex.EncodeToString(sum[:]) ||
			*o.Scores["three"][1] != .25 || o.Scores["one"][1] != nil {
			t.Errorf("%+v", o)
		}
		for name, page := range map[string]string{"report.html": "from peers/peers.csv, SHA-256 " + hex.EncodeToString(sum[:]),
			"record.json": `"from": "peers/peers.csv"`} {
			if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(text), page) {
				t.Errorf("%s has no %q: %v", name, page, err)
			}
		}
		own, _, err := openResults(filepath.Join(out, "results.csv"))
		if err != nil || !slices.Equal(own.Methods, spec.Methods) {
			t.Errorf("results.csv has %v, %v", own, err)
		}
	}
}

func TestOthersRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		writeStrip(t, 40, 1, className, dir, name+".csv")
	}
	good := others(t, "good.csv", "dataset,forest\none,.5\ntwo,.75\n")
	for message, c := range map[string]struct {
		datasets string
		others   []string
		missing  string
	}{
		`"three" is no table of`:           {others: []string{others(t, "a.csv", "dataset,net\none,.5\nthree,.5\n")}},
		"has a method rfm, and so have":    {others: []string{others(t, "b.csv", "dataset,rfm\none,.5\n")}},
		"has a method forest, and so have": {others: []string{good, others(t, "c.csv", "dataset,forest\none,1\n")}},
		"75 of net on one: want an accura": {others: []string{others(t, "d.csv", "dataset,net\none,75\n")}},
		"on none of the tables that --dat": {datasets: "two", others: []string{others(t, "e.csv", "dataset,net\none,1\n")}},
		"no such file":                     {others: []string{filepath.Join(dir, "nowhere.csv")}},
		"want drop or impute":              {others: []string{good}, missing: "forget"},
	} {
		b, err := OpenBenchmark(Spec{Benchmark: dir, Datasets: c.datasets, Methods: []string{"rfm"}})
		if err != nil {
			t.Fatal(err)
		}
		run := Run{Others: c.others, Missing: c.missing, Progress: func(Progress) { t.Error("it began") }}
		if err := b.Check(run); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("checked: %v, want %q", err, message)
		}
		if _, err := b.Run(t.Context(), run); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("run: %v, want %q", err, message)
		}
	}
	// Tables that are not selected are left out, and not refused.
	r := runBenchmark(t, Spec{Benchmark: dir, Datasets: "two", Iters: 1, Methods: []string{"rfm"}},
		Run{Others: []string{good}})
	if s := standingOf(t, r.Leaderboard, "forest"); s.Datasets != 1 || *s.Average != .75 {
		t.Errorf("%+v", s)
	}
}

// CompareMethods joins several files into one table. It has the datasets of all, matched by name, and a column for each
// method, with its file.
func TestLeaderboardOfSeveralFiles(t *testing.T) {
	first := others(t, "first.csv", "dataset,rows,a,b\none,10,.9,.81\ntwo,20,.5,.5\n")
	second := others(t, "second.csv", "dataset,c\ntwo,1\nthree,.4\n")
	third := others(t, "third.csv", "dataset,d,e\none,.45,-\ntwo,.25,.5\n")
	whole := readText(t, "dataset,a,b,c,d,e\none,.9,.81,-,.45,-\ntwo,.5,.5,1,.25,.5\nthree,-,-,.4,-,-\n")
	for _, missing := range []string{"drop", "impute"} {
		r, results, err := CompareMethods(LeaderboardSpec{Source: first, Others: []string{second, third}, Missing: missing})
		if err != nil {
			t.Fatal(err)
		}
		rule, _ := parseMissing(missing)
		want := whole.Leaderboard(rule)
		for i := range want {
			want[i].From = map[string]string{"a": "peers/first.csv", "b": "peers/first.csv", "c": "peers/second.csv", "d": "peers/third.csv",
				"e": "peers/third.csv"}[want[i].Method]
		}
		if d := cmp.Diff(want, r.Leaderboard); d != "" {
			t.Error(d)
		}
		if !slices.Equal(results.Datasets, whole.Datasets) || r.Datasets != 3 || r.Methods != 5 ||
			len(r.SHA256) != 64 || len(r.Others) != 2 || r.Title != "peers/first.csv, peers/second.csv, peers/third.csv" {
			t.Errorf("%+v", r)
		}
		board := BoardTable(r.Leaderboard)
		if last := len(board.Columns) - 1; board.Columns[last].Name != "from" || board.Rows[0][last].Mark != report.Unmarked {
			t.Errorf("%+v", board.Columns)
		}
	}
	checkDifferences(t, whole)
	// A table of the paper is still compared with its figure.
	more := others(t, "mine.csv", "dataset,mine\nwine,81\n")
	r, _, err := CompareMethods(LeaderboardSpec{Source: "rfm-table3", Others: []string{more}})
	if err != nil || len(r.Figure) == 0 || standingOf(t, r.Leaderboard, "mine").Datasets != 1 || r.SHA256 != "" {
		t.Errorf("%+v, %v", r, err)
	}
	r2 := others(t, "r2.csv", "dataset,z\none,-2\n") // an R² has no lower bound
	if _, _, err := CompareMethods(LeaderboardSpec{Source: first, Others: []string{r2}}); err != nil {
		t.Error(err)
	}
	for message, path := range map[string]string{
		"no dataset in common":       others(t, "x.csv", "dataset,z\nfour,.5\n"),
		"has a method b, and so":     others(t, "y.csv", "dataset,b\none,.5\n"),
		"both as fractions, or both": others(t, "z.csv", "dataset,z\none,50\n"),
		"or one of rfm-table2":       "nowhere.csv",
	} {
		if _, _, err := CompareMethods(LeaderboardSpec{Source: first, Others: []string{path}}); err == nil ||
			!strings.Contains(err.Error(), message) {
			t.Errorf("%v, want %q", err, message)
		}
	}
}

// checkDifferences checks the map of differences: its methods are in the order of the leaderboard, and each value is a
// score minus the mean of its dataset.
func checkDifferences(t *testing.T, r *Results) {
	t.Helper()
	board := r.Leaderboard(DropMissing)
	f, err := r.DifferencesFigure(board)
	if err != nil {
		t.Fatal(err)
	}
	m := f.Description.Matrices[0]
	for i, row := range r.Scores {
		sum := 0.
		for j, s := range board {
			v, score := m.Data[j*len(r.Scores)+i], row[slices.Index(r.Methods, s.Method)]
			if math.IsNaN(score) != math.IsNaN(v) || m.RowNames[j] != s.Method {
				t.Errorf("%s of %s: %v for %v", m.RowNames[j], m.ColNames[i], v, score)
			}
			if !math.IsNaN(v) {
				sum += v
			}
		}
		if math.Abs(sum) > 1e-12 {
			t.Errorf("the differences of %s add up to %v", m.ColNames[i], sum)
		}
	}
	at := func(dataset, method string) float64 {
		return m.Data[slices.Index(m.RowNames, method)*len(r.Scores)+slices.Index(m.ColNames, dataset)]
	}
	if d := at("one", "a") - at("one", "d"); math.Abs(d-.45) > 1e-12 {
		t.Errorf("a is %v above d on one, want .45", d)
	}
}
