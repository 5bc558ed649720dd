package table

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenUCI(t *testing.T) {
	u, err := OpenUCI("testdata/uci/tiny")
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, u.Table)
	class := u.Table.Columns[3]
	if u.Table.Name != "tiny" || u.Table.Rows != 12 || class.Name != "clase" ||
		!cmp.Equal(class.Categories, []string{"0", "1", "2"}) {
		t.Errorf("%+v", u.Table)
	}
	if got := []float64{u.Table.Columns[0].Values[0], u.Table.Columns[2].Values[11]}; !cmp.Equal(got,
		[]float64{1.62435, -0.0126646}) {
		t.Error(got)
	}
	if len(u.Tuning[0]) != 6 || len(u.Tuning[1]) != 6 || u.Test != nil {
		t.Errorf("tuning %v, test %v", u.Tuning, u.Test)
	}
	for _, f := range u.Folds {
		all := slices.Sorted(slices.Values(slices.Concat(f[0], f[1])))
		if len(f[0]) != 9 || !cmp.Equal(all, upTo(12)) {
			t.Errorf("fold %v", f)
		}
	}
}

func TestOpenUCIWithTest(t *testing.T) {
	u, err := OpenUCI("testdata/uci/pair")
	if err != nil {
		t.Fatal(err)
	}
	checkTable(t, u.Table)
	if d := cmp.Diff([]int{8, 9, 10, 11, 12}, u.Test); d != "" || u.Table.Rows != 13 {
		t.Errorf("%d rows; %s", u.Table.Rows, d)
	}
	if d := cmp.Diff([2][]int{{1, 4, 7, 6}, {5, 2, 0, 3}}, u.Tuning); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([2][]int{{5, 6, 1, 0, 3, 7}, {4, 2}}, u.Folds[3]); d != "" {
		t.Error(d)
	}
	dir := copyOf(t, "pair", "", "")
	if err := os.Remove(filepath.Join(dir, uciFoldsFile)); err != nil {
		t.Fatal(err)
	}
	if u, err := OpenUCI(dir); err != nil || u.Folds[0][0] != nil {
		t.Errorf("without folds: %v", err)
	}
}

// copyOf copies the folder of a data set and writes content to one file of the copy, unless file is "". It returns the
// path of the copy.
func copyOf(t *testing.T, name, file, content string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata/uci", name))); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenUCIErrors(t *testing.T) {
	const head = "n_entradas= 3\nn_clases= 3\nn_arquivos= 1\nfich1= tiny_R.dat\nn_patrons1= 12\n"
	lists := "0 1 2 3 4 5 \n6 7 8 9 10 11 \n"
	for _, c := range []struct {
		file, content string
		line          int
	}{
		{"tiny.txt", "", 0},
		{"tiny.txt", strings.Replace(head, "n_entradas= 3", "n_entradas", 1), 1},
		{"tiny.txt", strings.Replace(head, "n_entradas= 3", "n_entradas= -3", 1), 1},
		{"tiny.txt", head + "n_clases= 3\n", 6},
		{"tiny.txt", strings.Replace(head, "clases= 3", "clases= 70000", 1), 2},
		{"tiny.txt", strings.Replace(head, "arquivos= 1", "arquivos= 2", 1), 3},
		{"tiny.txt", strings.Replace(head, "tiny_R", "../tiny/tiny_R", 1), 4},
		{"tiny.txt", strings.Replace(head, "tiny_R.dat", "..", 1), 4},
		{"tiny.txt", strings.Replace(head, "1= 12", "1= 99999999999", 1), 5},
		{"tiny.txt", strings.Replace(head, "1= 12", "1= 100000000", 1), 5},
		{"tiny.txt", strings.Replace(head, "1= 12", "1= 13", 1), 13},
		{"tiny.txt", strings.Replace(head, "1= 12", "1= 11", 1), 13},
		{"tiny.txt", strings.Replace(head, "clases= 3", "clases= 2", 1), 4},
		{"tiny.txt", strings.Replace(head, "entradas= 3", "entradas= 7", 1), 1},
		{"tiny_R.dat", "\tf1\tf2\tf2\tclase\n", 1},
		{"tiny_R.dat", "\tf1\tf2\tf3\tclase\n1\t1\t2\t0\n", 2},
		{"tiny_R.dat", "\tf1\tf2\tf3\tclase\n1\t1\tx\t2\t0\n", 2},
		{"tiny_R.dat", "\tf1\tf2\tf3\tclase\n1\t1\t2\t3\t0.5\n", 2},
		{"conxuntos.dat", "0 1 2 3 4 5 \n", 1},
		{"conxuntos.dat", "0 1 2 3 4 5 \n6 7 8 9 10 12 \n", 2},
		{"conxuntos.dat", "0 1 2 3 4 5 \n6 7 8 9 10 -1 \n", 2},
		{"conxuntos.dat", "0 1 2 3 4 5 \n6 7 8 9 10 5 \n", 2},
		{"conxuntos.dat", "0 1 2 3 4 5 \n6 7 8 9 10 \n", 2},
		{"conxuntos.dat", lists + "0\n", 3},
		{"conxuntos_kfold.dat", lists + lists + lists, 6},
	} {
		_, err := OpenUCI(copyOf(t, "tiny", c.file, c.content))
		if f := wantFormatError(t, err); f.Line != c.line || f.Offset < 0 {
			t.Errorf("%s %q: %v, want line %d", c.file, c.content, err, c.line)
		}
	}
	for _, file := range []string{"tiny.txt", "tiny_R.dat", "conxuntos.dat", "conxuntos_kfold.dat"} {
		dir := copyOf(t, "tiny", "", "")
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenUCI(dir); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), file) {
			t.Errorf("without %s: %v", file, err)
		}
	}
}

// TestUCICutAnywhere checks that tables and lists that are cut anywhere give an error at a byte up to the cut. Only the
// blanks at the end may be missing.
func TestUCICutAnywhere(t *testing.T) {
	h := &uciHeader{inputs: 3, classes: 3}
	for file, parse := range map[string]func(text string) error{
		"tiny_R.dat":          func(text string) error { return h.addRows(&Table{}, "cut", text, 12) },
		"conxuntos.dat":       func(text string) error { return parseUCIPairs("cut", text, 12, make([][2][]int, 1)) },
		"conxuntos_kfold.dat": func(text string) error { return parseUCIPairs("cut", text, 12, make([][2][]int, 4)) },
	} {
		content, err := os.ReadFile(filepath.Join("testdata/uci/tiny", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := parse(string(content)); err != nil {
			t.Fatal(err)
		}
		whole := strings.TrimRight(string(content), " \n")
		for cut := range whole {
			if f := wantFormatError(t, parse(whole[:cut])); f.Offset < 0 || f.Offset > int64(cut) {
				t.Errorf("%s cut at %d: %v", file, cut, f)
			}
		}
	}
}
