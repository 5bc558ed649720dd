package tabular

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/rfm"
)

// splitRows holds the rows of a table by fold and part, as splits.csv lists them.
type splitRows map[int]map[string][]int

// writeSplits writes the splits of a benchmark and reads them again.
func writeSplits(t *testing.T, s Spec) (dir string, about *Splits, rows map[string]splitRows) {
	t.Helper()
	b, err := OpenBenchmark(s)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "splits")
	if about, err = b.WriteSplits(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	rows = map[string]splitRows{}
	for _, line := range readCSV(t, dir, "splits.csv")[1:] {
		fold, err := strconv.Atoi(line[1])
		row, err2 := strconv.Atoi(line[2])
		if err != nil || err2 != nil {
			t.Fatal(line)
		}
		if rows[line[0]] == nil {
			rows[line[0]] = splitRows{}
		}
		if rows[line[0]][fold] == nil {
			rows[line[0]][fold] = map[string][]int{}
		}
		rows[line[0]][fold][line[3]] = append(rows[line[0]][fold][line[3]], row)
	}
	return dir, about, rows
}

func readCSV(t *testing.T, path ...string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// writtenTable is a table of numbers and two classes, as WriteSplits wrote it.
type writtenTable struct {
	x      [][]float64
	labels []int
}

func readWritten(t *testing.T, dir string, about SplitTable) (w writtenTable) {
	t.Helper()
	classes := map[string]int{}
	for _, line := range readCSV(t, dir, about.File)[1:] {
		var row []float64
		for _, cell := range line[:len(line)-1] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		class := line[len(line)-1]
		if _, seen := classes[class]; !seen {
			classes[class] = len(classes)
		}
		w.x, w.labels = append(w.x, row), append(w.labels, classes[class])
	}
	return w
}

// examples returns rows of the table. Each column is scaled to mean 0 and variance 1 over the rows standardised, unless
// these are empty.
func (w writtenTable) examples(rows, standardised []int, sphere bool) rfm.Examples {
	var x [][]float64
	var labels []int
	for _, r := range rows {
		x, labels = append(x, slices.Clone(w.x[r])), append(labels, w.labels[r])
	}
	for j := range x[0] {
		n, mean, variance := float64(len(standardised)), 0., 0.
		for _, r := range standardised {
			mean += w.x[r][j] / n
		}
		for _, r := range standardised {
			variance += (w.x[r][j] - mean) * (w.x[r][j] - mean) / n
		}
		for i := range x {
			if n > 0 {
				x[i][j] = (x[i][j] - mean) / math.Sqrt(variance)
			}
		}
	}
	return rfm.Examples{X: denseRows(x, sphere), Y: rfm.OneHot(labels, 2)}
}

// accuracy trains the Laplace kernel of a configuration on some rows and scores it on others.
func (w writtenTable) accuracy(t *testing.T, c Config, train, test []int, standardise bool) float64 {
	t.Helper()
	var by []int
	if standardise {
		by = train
	}
	on, off := w.examples(train, by, c.Sphere), w.examples(test, by, c.Sphere)
	m := rfm.Machine{Ridge: c.Ridge, Task: rfm.Classification, Select: rfm.Last, Threads: 1}
	model, err := m.Fit(t.Context(), on.X, on.Y)
	if err != nil {
		t.Fatal(err)
	}
	s, err := model.Score(t.Context(), off.X, off.Y)
	if err != nil {
		t.Fatal(err)
	}
	return s.Accuracy
}

// Fits on the rows that splits.csv lists give the scores of the benchmark. This holds for published folds, for drawn
// folds and for a dataset with its own test rows, for a subset of the rows, and in paper mode.
func TestSplitsAreThoseOfTheFits(t *testing.T) {
	source := t.TempDir()
	writeStrip(t, 90, 1, className, source, "strip.csv")
	x, y := strip(64, 2)
	uciSet{x: x, y: y}.write(t, source, "folded")
	uciSet{x: x, y: y, tests: 16}.write(t, source, "tested")
	for _, spec := range []Spec{{Seed: 3}, {PaperMode: true}, {Rows: 50, Seed: 1}} {
		spec.Benchmark, spec.Methods = source, []string{"laplace"}
		dir, about, rows := writeSplits(t, spec)
		r := runBenchmark(t, spec, Run{})
		if len(about.Tables) != 3 || len(r.Datasets) != 3 {
			t.Fatalf("%+v", about)
		}
		for _, a := range about.Tables {
			written, split, d := readWritten(t, dir, a), rows[a.Name], datasetOf(t, r, a.Name)
			if a.SHA256 != d.SHA256 || a.Rows != d.TableRows || a.Features != d.Features || a.Measure != d.Measure ||
				a.Folds != len(d.Methods[0].ByFold) {
				t.Errorf("%s: %+v, not %+v", a.Name, a, d)
			}
			for k, f := range d.Methods[0].ByFold {
				fold := split[k+1]
				choice, train := fold, fold["train"]
				if spec.PaperMode {
					choice = split[0]
				} else {
					train = slices.Sorted(slices.Values(slices.Concat(train, fold["validation"])))
				}
				standardise := a.Name == "strip"
				validated := written.accuracy(t, f.Chosen, choice["train"], choice["validation"], standardise)
				score := written.accuracy(t, f.Chosen, train, fold["test"], standardise)
				if validated != f.Validated || score != f.Score || len(train) != f.Train ||
					len(choice["validation"]) != f.Validation || len(fold["test"]) != f.Test {
					t.Errorf("%+v: fold %d of %s: %v and %v, want %+v", spec, k+1, a.Name, validated, score, f)
				}
			}
		}
	}
}

// In the protocol of Grinsztajn et al. the labels of the test rows affect only the test scores, and those of the
// validation rows affect the validation scores.
func TestSplitsOfGrinsztajn(t *testing.T) {
	source := t.TempDir()
	writeStrip(t, 90, 1, className, source, "s.csv")
	spec := Spec{Benchmark: filepath.Join(source, "s.csv"), Protocol: GrinsztajnProtocol, Configs: 4, Repeats: 1,
		Methods: []string{"laplace"}, Seed: 5}
	_, about, rows := writeSplits(t, spec)
	if about.Tables[0].Folds != 1 || !slices.Equal(about.Refit, []string{"train"}) {
		t.Errorf("%+v", about)
	}
	before := runBenchmark(t, spec, Run{}).Datasets[0].Methods[0].ByFold[0]
	lines := strings.Split(strings.TrimSpace(readFile(t, source, "s.csv")), "\n")
	flip := func(part string) Fold {
		changed := slices.Clone(lines)
		for _, r := range rows["s"][1][part] {
			line := changed[r+1] // the first line has the names
			if strings.HasSuffix(line, ",in") {
				changed[r+1] = strings.TrimSuffix(line, "in") + "out"
			} else {
				changed[r+1] = strings.TrimSuffix(line, "out") + "in"
			}
		}
		writeFile(t, strings.Join(changed, "\n"), source, "flipped", "s.csv")
		other := spec
		other.Benchmark = filepath.Join(source, "flipped", "s.csv")
		return runBenchmark(t, other, Run{}).Datasets[0].Methods[0].ByFold[0]
	}
	after := flip("test")
	if math.Abs(before.Score+after.Score-1) > 1e-12 || before.Validated != after.Validated ||
		before.Chosen != after.Chosen {
		t.Errorf("%+v became %+v with other labels of the test rows", before, after)
	}
	if after = flip("validation"); before.Validated == after.Validated {
		t.Errorf("%+v became %+v with other labels of the rows to validate on", before, after)
	}
}

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mixedTable returns a table with numbers, categories, missing values of both, and a column that names the rows.
func mixedTable(rows int) string {
	var b strings.Builder
	b.WriteString("id,colour,x,z,class\n")
	for i := range rows {
		fmt.Fprintf(&b, "row-%d,%s,%s,%d,%s\n", i, []string{"red", "\"dark, green\"", "?", "blue"}[i%4],
			[]string{"1", "?", "3"}[i%3], i*i%7, []string{"a", "b"}[i/2%2])
	}
	return b.String()
}

// A written table has the columns that methods see: not the column that names the rows. Missing values are empty.
// Tables that cannot be split are listed with the reason. If no table can be split, this is an error.
func TestSplitsTables(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, mixedTable(40), dir, "Mixed table.csv")
	writeFile(t, "a,b,class\n1,2,x\n3,?,y\n2,1,x\n", dir, "tiny.csv")
	out, about, rows := writeSplits(t, Spec{Benchmark: dir})
	a := about.Tables[0]
	lines := readCSV(t, out, a.File)
	if a.Name != "Mixed table" || a.Target != "class" || len(lines) != 41 || a.Features != 5 ||
		!slices.Equal(a.Nominal["colour"], []string{"blue", "dark, green", "red"}) || len(a.Nominal) != 1 ||
		!slices.Equal(lines[0], []string{"colour", "x", "z", "class"}) ||
		!slices.Equal(lines[2], []string{"dark, green", "", "1", "a"}) ||
		!slices.Equal(lines[3], []string{"", "3", "4", "b"}) {
		t.Errorf("%+v\n%q", a, lines[:4])
	}
	if tiny := about.Tables[1]; !strings.Contains(tiny.Error, "too few") || rows["tiny"] != nil ||
		!strings.Contains(about.Summary(), "not written: tiny") {
		t.Errorf("%+v: %s", tiny, about.Summary())
	}
	b, err := OpenBenchmark(Spec{Benchmark: filepath.Join(dir, "tiny.csv")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.WriteSplits(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "can be split") {
		t.Errorf("of no table: %v", err)
	}
}

// The script of baselines reads the files of WriteSplits. The same seed gives the same results, which --others can
// read.
func TestBaselinesScript(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import sklearn").Run(); err != nil {
		t.Skip("python3-sklearn is not there: ", err)
	}
	dir := t.TempDir()
	writeFile(t, mixedTable(40), dir, "mixed.csv")
	writeStrip(t, 200, 1, className, dir, "strip.csv")
	out, _, _ := writeSplits(t, Spec{Benchmark: dir})
	var texts []string
	for k := range 2 {
		to := filepath.Join(t.TempDir(), fmt.Sprint(k))
		c := exec.Command(python, filepath.Join("..", "..", "examples", "baselines", "tables.py"), out, to, "--methods",
			"svm,gradient-boosting", "--jobs", "1")
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		texts = append(texts, readFile(t, to, "results.csv"))
	}
	if texts[0] != texts[1] {
		t.Errorf("two runs with one seed: %s%s", texts[0], texts[1])
	}
	path := filepath.Join(t.TempDir(), "script.csv")
	writeFile(t, texts[0], path)
	r := runBenchmark(t, Spec{Benchmark: dir, Methods: []string{"laplace"}}, Run{Others: []string{path}})
	results := r.Results() // the tables mixed and strip, the methods laplace, svm and gradient-boosting
	if strip := results.Scores[1]; !slices.Equal(results.Methods[1:], []string{"svm", "gradient-boosting"}) ||
		strip[2] < .9 || strip[1] < .5 || results.Scores[0][2] > 1 {
		t.Errorf("%+v", results)
	}
}
