package tabular

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// loadFrom loads a table of a benchmark by its name.
func loadFrom(t *testing.T, spec Spec, name string) *Set {
	t.Helper()
	spec = spec.WithDefaults()
	members, err := findMembers(spec)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
	s, err := members[i].Load(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The grids have the sizes of Appendix D of paper rfm. Draws from a grid depend on the seed only.
func TestGrids(t *testing.T) {
	m := func(name string) *method { return findMethod(name) }
	for _, c := range []struct {
		what string
		grid []Config
		want int
	}{
		{"RFM, small", m("rfm").uciGrid(Spec{}, 4999, true), 5 * 2 * 2},
		{"RFM", m("rfm").uciGrid(Spec{}, 5000, true), 5 * 2},
		{"RFM, a zero row", m("rfm").uciGrid(Spec{}, 600, false), 5 * 2},
		{"Laplace", m("laplace").uciGrid(Spec{}, 100, true), 5 * 2},
		{"NTK", m("ntk").uciGrid(Spec{}, 100, true), 5 * 5 * 2},
		{"NTK, support vector machine", m("ntk-svm").uciGrid(Spec{}, 100, true), 5 * 7 * 2},
		{"RFM, classification", m("rfm").grinsztajnGrid(rfm.Classification, true), 5 * 2 * 2 * 2},
		{"RFM, medium regression", m("rfm").grinsztajnGrid(rfm.Regression, false), 5 * 2 * 3 * 2 * 2},
		{"RFM, large regression", m("rfm").grinsztajnGrid(rfm.Regression, true), 5 * 5 * 2 * 3 * 2 * 2},
		{"NTK, large regression", m("ntk").grinsztajnGrid(rfm.Regression, true), 5 * 5 * 2 * 3},
	} {
		seen := map[Config]bool{}
		for _, g := range c.grid {
			seen[g] = true
			if _, err := rfm.ParseKernel(g.Kernel, g.Bandwidth); err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		if len(c.grid) != c.want || len(seen) != c.want {
			t.Errorf("%s: %d configurations, %d different, want %d", c.what, len(c.grid), len(seen), c.want)
		}
	}
	grid := m("rfm").grinsztajnGrid(rfm.Regression, true)
	a, b := drawConfigs(grid, 30, 1, "x", "rfm"), drawConfigs(grid, 30, 1, "x", "rfm")
	other := drawConfigs(grid, 30, 2, "x", "rfm")
	for _, c := range a {
		if !slices.Contains(grid, c) {
			t.Errorf("%+v is not of the grid", c)
		}
	}
	if !slices.Equal(a, b) || slices.Equal(a, other) || len(a) != 30 ||
		!slices.Equal(drawConfigs(grid, 1000, 1, "x", "rfm"), grid) {
		t.Error("draws")
	}
	if got := (Config{Kernel: "laplace", Bandwidth: 10, Ridge: .1, Iteration: 2, Diagonal: true,
		Target: "none"}).String(); got != "laplace, ridge 0.1, bandwidth 10, iteration 2, diagonal" {
		t.Error(got)
	}
}

// If folds are drawn, each row is tested once, and every fold has its share of each class.
func TestFolds(t *testing.T) {
	dir := t.TempDir()
	writeStrip(t, 61, 1, func(x [4]float64, class int) string {
		return fmt.Sprint("c", class+int(2*math.Abs(x[1])/4))
	}, dir, "many.csv")
	spec := Spec{Benchmark: dir, Rows: 50}
	s := loadFrom(t, spec, "many")
	folds, tuning, err := s.folds(7)
	if err != nil || len(folds) != 4 || len(s.rows) != 50 {
		t.Fatal(err, len(folds), len(s.rows))
	}
	var tested []int
	for _, f := range folds {
		tested = append(tested, f.Test...)
		if all := slices.Sorted(slices.Values(slices.Concat(f.Train, f.Test))); !slices.Equal(all, s.rows) {
			t.Errorf("a fold has %d rows", len(all))
		}
	}
	if slices.Sort(tested); !slices.Equal(tested, s.rows) {
		t.Error("not every row is tested once")
	}
	if all := slices.Sorted(slices.Values(slices.Concat(tuning.Train, tuning.Test))); !slices.Equal(all, s.rows) ||
		len(tuning.Train) != 25 {
		t.Errorf("tuning: %d and %d", len(tuning.Train), len(tuning.Test))
	}
	for class := range s.Labels.Classes {
		counts := make([]int, 4)
		for k, f := range folds {
			for _, r := range f.Test {
				if int(s.Labels.Y[r]) == class {
					counts[k]++
				}
			}
		}
		if slices.Max(counts)-slices.Min(counts) > 1 {
			t.Errorf("class %d: %v", class, counts)
		}
	}
	again, _, _ := loadFrom(t, spec, "many").folds(7)
	other, _, _ := loadFrom(t, spec, "many").folds(8)
	if !cmp.Equal(fmt.Sprint(folds), fmt.Sprint(again)) || cmp.Equal(fmt.Sprint(folds), fmt.Sprint(other)) {
		t.Error("folds do not depend on the seed as they should")
	}
}

// The notes name the halves to tune on only if they are used.
func TestNoteOfHalves(t *testing.T) {
	dir := t.TempDir()
	writeStrip(t, 40, 1, func(_ [4]float64, class int) string { return fmt.Sprint("c", class) }, dir, "own.csv")
	for _, paper := range []bool{false, true} {
		r := runBenchmark(t, Spec{Benchmark: dir, Iters: 1, Methods: []string{"linear"}, PaperMode: paper}, Run{})
		if notes := fmt.Sprint(r.Notes()); strings.Contains(notes, "halves") != paper || !strings.Contains(notes, "four are drawn") {
			t.Errorf("paper mode %v: %s", paper, notes)
		}
	}
}

// The test repeats the published procedure with ridge regression and RFM: the best configuration of the tuning split
// and its metric are used in every fold.
func TestPaperMode(t *testing.T) {
	dir := t.TempDir()
	x, y := strip(60, 9)
	set := uciSet{x: x, y: y}
	set.write(t, dir, "s")
	r := runBenchmark(t, Spec{Benchmark: dir, Iters: 2, Methods: []string{"rfm"}, PaperMode: true}, Run{})
	if !r.Conventions.PaperMode || !strings.Contains(r.Conventions.Leak, "too good") ||
		!strings.Contains(r.Summary(), "Published procedure") {
		t.Errorf("the leak is not said: %+v", r.Conventions)
	}
	got := r.Datasets[0].Methods[0]
	examples := func(keep func(i int) bool, sphere bool) rfm.Examples {
		var rows [][]float64
		var labels []int
		for i, v := range x {
			if keep(i) {
				rows, labels = append(rows, slices.Clone(v[:])), append(labels, y[i])
			}
		}
		return rfm.Examples{X: denseRows(rows, sphere), Y: rfm.OneHot(labels, 2)}
	}
	best, metric, chosen := -1., (*rfm.Metric)(nil), Config{}
	for _, ridge := range []float64{10, 1, .1, .01, .001} {
		for _, sphere := range []bool{true, false} {
			for _, diagonal := range []bool{false, true} {
				validation := examples(func(i int) bool { return i%2 == 1 }, sphere)
				train := examples(func(i int) bool { return i%2 == 0 }, sphere)
				m := rfm.Machine{Ridge: ridge, Iterations: 2, Task: rfm.Classification, Diagonal: diagonal,
					Validation: &validation, Threads: 1}
				m.Each = func(it *rfm.Iteration) error {
					if it.Validation.Accuracy > best {
						best, metric = it.Validation.Accuracy, it.Metric
						chosen = Config{Kernel: "laplace", Bandwidth: 10, Ridge: ridge, Iteration: it.Index,
							Diagonal: diagonal, Sphere: sphere}
					}
					return nil
				}
				if _, err := m.Fit(t.Context(), train.X, train.Y); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if d := cmp.Diff(&chosen, got.Chosen); d != "" {
		t.Fatal(d)
	}
	for k, f := range got.ByFold {
		train := examples(func(i int) bool { return i%4 != k }, chosen.Sphere)
		test := examples(func(i int) bool { return i%4 == k }, chosen.Sphere)
		m := rfm.Machine{Ridge: chosen.Ridge, Task: rfm.Classification, Metric: metric, Select: rfm.Last, Threads: 1}
		model, err := m.Fit(t.Context(), train.X, train.Y)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.Score(t.Context(), test.X, test.Y)
		if err != nil || s.Accuracy != f.Score || f.Validated != best || f.Validation != 30 || f.Train != 45 ||
			f.Test != 15 {
			t.Errorf("fold %d: %+v, want %v, %v", k, f, s.Accuracy, err)
		}
	}
	if got.Fits != 20+4 {
		t.Errorf("%d fits", got.Fits)
	}
}

// Test labels do not affect the choice of a configuration, except in the published procedure.
func TestLeak(t *testing.T) {
	x, y := strip(60, 4)
	run := func(y []int, paper bool) Fold {
		dir := t.TempDir()
		uciSet{x: x, y: y}.write(t, dir, "s")
		r := runBenchmark(t, Spec{Benchmark: dir, Iters: 2, Methods: []string{"rfm"}, PaperMode: paper}, Run{})
		return r.Datasets[0].Methods[0].ByFold[0]
	}
	flipped := slices.Clone(y)
	for i := 0; i < len(y); i += 4 { // the test rows of fold 0
		flipped[i] = 1 - y[i]
	}
	honest, other := run(y, false), run(flipped, false)
	if honest.Chosen != other.Chosen || honest.Validated != other.Validated ||
		math.Abs(honest.Score+other.Score-1) > 1e-12 {
		t.Errorf("%+v became %+v when the labels of its test rows were flipped", honest, other)
	}
	published, other := run(y, true), run(flipped, true)
	if published.Validated == other.Validated || math.Abs(published.Score+other.Score-1) < 1e-12 {
		t.Errorf("the published procedure does not look at test labels: %+v, %+v", published, other)
	}
}

// A column that names the rows is left out, with a note. Missing values are filled in, and a column with few categories
// becomes one feature for each category.
func TestColumns(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,colour,x,class\n")
	for i := range 40 {
		fmt.Fprintf(&b, "row-%d,%s,%s,%s\n", i, []string{"red", "green", "blue"}[i%3],
			[]string{"1", "?", "3", "4"}[i%4], []string{"a", "b"}[i%2])
	}
	dir := t.TempDir()
	writeFile(t, b.String(), dir, "named.csv")
	s := loadFrom(t, Spec{Benchmark: dir}, "named")
	x, err := s.view(s.rows, "standard")
	if err != nil || s.features != 3+1 || len(s.notes) != 2 || !strings.Contains(s.notes[0],
		`"id" names the rows (40 names)`) || !strings.Contains(s.notes[1], "10 missing values") {
		t.Fatalf("%d features, notes %q, %v", s.features, s.notes, err)
	}
	mean, filled := 0., x.At(1, 3)
	for i := range 40 {
		mean += x.At(i, 3) / 40
	}
	if math.Abs(mean) > 1e-12 || math.Abs(filled) > 1e-12 {
		t.Errorf("the standardised column has mean %v, and %v where it was missing", mean, filled)
	}
}

// A fit for which there is not enough memory is recorded with an error that says what to do.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	writeStrip(t, 40, 1, className, dir, "t.csv")
	b, err := OpenBenchmark(Spec{Benchmark: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{Benchmark: b, memory: 1000}
	if err := s.readTables(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := s.runJob(t.Context(), s.jobs[0]); err != nil || r.Score != nil ||
		!strings.Contains(r.Error, "give fewer --threads") {
		t.Errorf("%+v", r)
	}
}

// Of the 121 datasets only the one of 130 064 rows is solved by EigenPro, as in the authors' code, without a ridge and
// with the number of passes selected. The benchmark of Grinsztajn et al. is solved in closed form.
func TestSolver(t *testing.T) {
	for _, c := range []struct {
		protocol string
		rows     int
		want     string
	}{{UciProtocol, 67557, "cholesky"}, {UciProtocol, 130064, "eigenpro"}, {GrinsztajnProtocol, 940160, "cholesky"}} {
		if got := (Spec{Protocol: c.protocol}).solver(Config{}, c.rows).String(); got != c.want {
			t.Errorf("%d rows of %s: %s, want %s", c.rows, c.protocol, got, c.want)
		}
	}
	s := Spec{Protocol: UciProtocol}
	if e := s.solver(Config{}, 130064).(rfm.EigenPro); !e.EarlyStopping || e.MaxEpochs != 51 {
		t.Errorf("the pass is not chosen among 50: %+v", e)
	}
	if e := s.solver(Config{Passes: 7}, 130064).(rfm.EigenPro); e.EarlyStopping || e.MaxEpochs != 8 {
		t.Errorf("a fold does not take the 7 passes that were chosen: %+v", e)
	}
	for rows, ridges := range map[int]int{67557: 5, 130064: 1} {
		grid := findMethod("rfm").uciGrid(s, rows, false)
		if len(grid) != ridges || (grid[0].Ridge == 0) != (ridges == 1) {
			t.Errorf("the grid of %d rows: %v", rows, grid)
		}
	}
}

// If a row has norm 0, configurations on the sphere are left out, with a note.
func TestZeroRow(t *testing.T) {
	dir := t.TempDir()
	x, y := strip(40, 6)
	x[3] = [4]float64{}
	uciSet{x: x, y: y}.write(t, dir, "zero")
	methods := runBenchmark(t, Spec{Benchmark: dir, Methods: []string{"laplace", "h-exponential"}},
		Run{}).Datasets[0].Methods
	if h := methods[1]; h.Score == nil || h.Fits != 4*(3*2*5+1) ||
		!strings.HasPrefix(h.Chosen.Kernel, "h-exponential:") {
		t.Errorf("%+v", h)
	}
	m := methods[0]
	for _, f := range m.ByFold {
		if f.Chosen.Sphere {
			t.Errorf("%+v", f)
		}
	}
	if m.Fits != 4*(5+1) || !slices.ContainsFunc(m.Notes, func(n string) bool {
		return strings.Contains(n, "norm 0")
	}) {
		t.Errorf("%d fits, notes %q", m.Fits, m.Notes)
	}
}

// TestGrinsztajn runs a classification and a regression by the protocol of Grinsztajn et al. The target of the
// regression is an exponential of the only feature that matters.
func TestGrinsztajn(t *testing.T) {
	dir := t.TempDir()
	writeStrip(t, 90, 1, className, dir, "classes.csv")
	writeStrip(t, 90, 2, func(x [4]float64, _ int) string { return fmt.Sprint(math.Exp(4 * x[0])) }, dir, "numbers.csv")
	writeStrip(t, 90, 2, func([4]float64, int) string { return "7" }, dir, "constant.csv")
	s := Spec{Benchmark: dir, Protocol: "grinsztajn", Configs: 24, Repeats: 2, Iters: 2,
		Methods: []string{"rfm", "laplace"}, Threads: 2}
	r := runBenchmark(t, s, Run{})
	if d := datasetOf(t, r, "constant"); !strings.Contains(d.Error, "the target \"class\" of all 90 rows is 7") {
		t.Errorf("constant: %+v", d)
	}
	for name, measure := range map[string]string{"classes": "accuracy", "numbers": "r2"} {
		d := datasetOf(t, r, name)
		if d.Measure != measure || len(d.Methods) != 2 {
			t.Errorf("%s: %+v", name, d)
		}
		for _, m := range d.Methods {
			f := m.ByFold
			if m.Error != "" || len(f) != 2 || f[0].Train != 62 || f[0].Validation != 8 || f[0].Test != 20 ||
				f[0].Chosen != f[1].Chosen || f[0].Chosen.Columns == "" ||
				(f[0].Chosen.Target != "") != (measure == "r2") {
				t.Errorf("%s: %+v", name, m)
			}
			task := map[string]rfm.Task{"accuracy": rfm.Classification, "r2": rfm.Regression}[measure]
			if n := len(findMethod(m.Method).drawGrinsztajn(s, task, name)); m.Fits != 2*(n+1) ||
				m.Method == "rfm" && n != 24 {
				t.Errorf("%s: %d fits", name, m.Fits)
			}
		}
	}
	if d := datasetOf(t, r, "numbers"); *d.Methods[0].Score < .8 || *d.Methods[0].Score > 1 {
		t.Errorf("R² of RFM is %v", *d.Methods[0].Score)
	}
	if d := cmp.Diff(timeless(r), timeless(runBenchmark(t, s, Run{})), cmp.AllowUnexported(Record{})); d != "" {
		t.Error(d)
	}
}

// denseRows returns the matrix of rows, each scaled to norm 1 if sphere is true.
func denseRows(rows [][]float64, sphere bool) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if sphere {
			floats.Scale(1/floats.Norm(row, 2), row)
		}
		m.SetRow(i, row)
	}
	return m
}
