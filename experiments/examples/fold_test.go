package examples

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// writeFoldRows writes a CSV file of 40 rows; last is the text of the last row.
func writeFoldRows(t *testing.T, last string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("a,colour,y\n")
	for i := range 39 {
		a := fmt.Sprint(i * i % 23)
		if i == 4 {
			a = ""
		}
		fmt.Fprintf(&b, "%s,%s,%d\n", a, []string{"red", "green", "blue"}[i%3], i)
	}
	b.WriteString(last + "\n")
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func openFolds(t *testing.T, path string, sphere bool) *Set {
	t.Helper()
	e, err := Open(context.Background(), Spec{Data: path, Target: "y", Train: 40, Test: 0, TestData: path, ForFolds: true,
		Sphere: sphere})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The values that fill in missing cells and the scales of a fold are fitted to its training rows: a validation row
// changes neither. A fold whose training rows are all rows has the training examples of the set.
func TestFoldSeesItsTrainingRowsAlone(t *testing.T) {
	plain, wild := openFolds(t, writeFoldRows(t, "3,red,7"), false), openFolds(t, writeFoldRows(t, "90000,red,-700"), false)
	all := make([]int, 40)
	for i := range all {
		all[i] = i
	}
	for _, transform := range []string{"standard", "quantile", "blocks"} {
		a, err1 := plain.Fold(all[:30], all[30:], transform)
		b, err2 := wild.Fold(all[:30], all[30:], transform)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !mat.Equal(a.Train.X, b.Train.X) || !mat.Equal(a.Train.Y, b.Train.Y) || a.Unit != b.Unit {
			t.Errorf("%s: the last row changes the training rows of a fold without it", transform)
		}
		if n, _ := a.Validation.X.Dims(); n != 10 || mat.Equal(a.Validation.Y, b.Validation.Y) {
			t.Errorf("%s: %d validation rows", transform, n)
		}
	}
	for _, sphere := range []bool{false, true} {
		e := openFolds(t, writeFoldRows(t, "3,red,7"), sphere)
		f, err := e.Fold(all, all[5:6], "standard")
		if err != nil || !mat.Equal(f.Train.X, e.Train.X) || !mat.Equal(f.Train.Y, e.Train.Y) || f.Unit != e.Unit {
			t.Errorf("sphere %v: a fold of all rows is not the training rows: %v", sphere, err)
		}
	}
	if got := plain.Transforms(); !slices.Equal(got, []string{"standard", "quantile", "blocks"}) {
		t.Errorf("transforms %v", got)
	}
	if _, err := plain.Fold(all, all, "nonsense"); err == nil {
		t.Error("a transform of no name is taken")
	}
}

// Examples that come from no table are divided as they are.
func TestFoldOfOtherExamples(t *testing.T) {
	e, err := Open(context.Background(), Spec{Data: "polynomial:product", Train: 20, Test: 5, ForFolds: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := e.Fold([]int{3, 5}, []int{4}, "")
	if err != nil || math.Abs(f.Train.X.At(1, 0)-e.Train.X.At(5, 0)) > 0 || f.Validation.Y.At(0, 0) != e.Train.Y.At(4, 0) ||
		e.Transforms() != nil {
		t.Errorf("%v, %v", f, err)
	}
}
