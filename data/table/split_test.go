package table

import (
	"slices"
	"strconv"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/random"
	"github.com/google/go-cmp/cmp"
)

// checkSplit fails the test unless the parts are in ascending order and contain each of n rows at most once, or, if all
// is true, exactly once.
func checkSplit(t *testing.T, s Split, n int, all bool) {
	t.Helper()
	seen := make([]bool, n)
	count := 0
	for _, part := range [][]int{s.Train, s.Validation, s.Test} {
		if !slices.IsSorted(part) {
			t.Errorf("not in order: %v", part)
		}
		for _, row := range part {
			if seen[row] {
				t.Fatalf("row %d twice", row)
			}
			seen[row] = true
			count++
		}
	}
	if all && count != n {
		t.Errorf("%d rows of %d", count, n)
	}
}

// classes returns a set that has counts[c] rows of each class c, in random order.
func classes(counts ...int) *Set {
	s := &Set{}
	for c, n := range counts {
		s.Classes = append(s.Classes, strconv.Itoa(c))
		for range n {
			s.Y = append(s.Y, float64(c))
		}
	}
	random.New(1, "test", 0).Shuffle(len(s.Y), func(i, j int) { s.Y[i], s.Y[j] = s.Y[j], s.Y[i] })
	return s
}

func TestSplit(t *testing.T) {
	set := classes(60, 30, 10, 0)
	s, err := set.Split(Fractions{Train: 0.7, Validation: 0.1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	checkSplit(t, s, 100, true)
	for part, want := range map[*[]int][]int{&s.Train: {42, 21, 7}, &s.Validation: {6, 3, 1}, &s.Test: {12, 6, 2}} {
		got := make([]int, 3)
		for _, row := range *part {
			got[int(set.Y[row])]++
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	again, _ := set.Split(Fractions{Train: 0.7, Validation: 0.1}, 1)
	other, _ := set.Split(Fractions{Train: 0.7, Validation: 0.1}, 2)
	if !cmp.Equal(s, again) || cmp.Equal(s, other) {
		t.Error("a split is not a function of its seed")
	}
}

// TestSplitIsStratified checks that the number of training rows of each class differs by less than one from its
// proportional share, and that the sizes of the parts do not depend on the classes.
func TestSplitIsStratified(t *testing.T) {
	for seed := range uint64(20) {
		set := classes(37, 1, 23, 2, 50)
		s, err := set.Split(Fractions{Train: 0.61, Validation: 0.2}, seed)
		if err != nil {
			t.Fatal(err)
		}
		checkSplit(t, s, 113, true)
		if len(s.Train) != 68 || len(s.Validation) != 22 {
			t.Errorf("%d and %d rows", len(s.Train), len(s.Validation))
		}
		count := make([]float64, 5)
		for _, row := range s.Train {
			count[int(set.Y[row])]++
		}
		for c, n := range []float64{37, 1, 23, 2, 50} {
			if due := 68 * n / 113; count[c] <= due-1 || count[c] >= due+1 {
				t.Errorf("seed %d: %v rows of class %d, due %v", seed, count[c], c, due)
			}
		}
	}
}

func TestSplitOfRegression(t *testing.T) {
	set := &Set{Y: make([]float64, 10)}
	s, err := set.Split(Fractions{Train: 0.7, Validation: 0.3}, 5)
	if err != nil {
		t.Fatal(err)
	}
	checkSplit(t, s, 10, true)
	if len(s.Train) != 7 || len(s.Validation) != 3 || len(s.Test) != 0 {
		t.Errorf("%v", s)
	}
	for _, f := range []Fractions{{}, {Train: -1}, {Train: 0.5, Validation: -0.1}, {Train: 0.6, Validation: 0.5},
		{Train: 0.05}} {
		_, err := set.Split(f, 1)
		wantFormatError(t, err)
	}
}

// TestSplitIsPinned checks that a split is the same on every machine and in every version.
func TestSplitIsPinned(t *testing.T) {
	s, err := (&Set{Y: make([]float64, 12)}).Split(Fractions{Train: 0.5, Validation: 0.25}, 7)
	if err != nil {
		t.Fatal(err)
	}
	want := Split{
		Train:      []int{0, 3, 5, 6, 7, 11},
		Validation: []int{4, 8, 9},
		Test:       []int{1, 2, 10},
	}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
}

// TestGrinsztajnSplit checks that the sizes of the parts are those that scikit-learn's train_test_split gives.
func TestGrinsztajnSplit(t *testing.T) {
	var want sklearn
	readJSON(t, "testdata/sklearn.json", &want)
	if len(want.Grinsztajn) != 13 {
		t.Fatalf("%d sizes", len(want.Grinsztajn))
	}
	for text, sizes := range want.Grinsztajn {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		for i, medium := range []bool{true, false} {
			s, err := GrinsztajnSplit(n, 3, medium)
			if err != nil {
				t.Fatal(err)
			}
			checkSplit(t, s, n, false)
			if got := [3]int{len(s.Train), len(s.Validation), len(s.Test)}; got != sizes[i] {
				t.Errorf("%d rows, medium %v: %v, want %v", n, medium, got, sizes[i])
			}
		}
	}
	for _, n := range []int{-1, 0, 1, 10} {
		_, err := GrinsztajnSplit(n, 3, true)
		wantFormatError(t, err)
	}
}
