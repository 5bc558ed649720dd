package tabular

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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

// strip returns a table of n rows and two classes. The class depends only on whether the first of four features lies in
// a band. The other features are noise of a larger scale.
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

// writeStrip writes the table of strip as CSV. The function target returns the last column, classes or numbers.
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

// uciSet is a dataset that a test writes in the layout of the 121 datasets.
type uciSet struct {
	x     [][4]float64
	y     []int
	tests int // number of rows at the end that are the set's own test rows
}

// write writes the set into the folder root/name. Fold k tests on every fourth row. For tuning, even rows are trained
// on and odd rows validated.
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

// tables writes a folder of tables, some that can be learned and some that cannot or are damaged.
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

func runBenchmark(t *testing.T, s Spec, r Run) *Record {
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

// timeless returns the record without the times and the number of threads, in which two runs may differ.
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
