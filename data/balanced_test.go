package data

import (
	"slices"
	"strings"
	"testing"
)

// uneven returns a set of three classes with 2, 5 and 3 images.
func uneven(t *testing.T) Dataset {
	t.Helper()
	ds, err := Relabel(numbered(10), []int{1, 2, 1, 0, 1, 2, 1, 0, 2, 1}, []string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	return ds
}

func mustBalance(t *testing.T, ds Dataset, perClass int, seed uint64) []int {
	t.Helper()
	balanced, err := Balanced(ds, perClass, seed)
	if err != nil {
		t.Fatal(err)
	}
	return balanced.(*subset).indices
}

func TestBalanced(t *testing.T) {
	ds := uneven(t)
	labels := mustLabels(t, ds)
	for perClass, want := range map[int]int{0: 2, 1: 1, 2: 2} {
		indices := mustBalance(t, ds, perClass, 3)
		counts := make([]int, 3)
		for _, i := range indices {
			counts[labels[i]]++
		}
		if !slices.Equal(counts, []int{want, want, want}) {
			t.Errorf("%d a class: %v", perClass, counts)
		}
		if !slices.IsSorted(indices) || len(slices.Compact(slices.Clone(indices))) != len(indices) {
			t.Errorf("%d a class: images %v, want the order of the set", perClass, indices)
		}
	}
}

// TestBalancedIsRandom counts how often each image is chosen, over many seeds.
func TestBalancedIsRandom(t *testing.T) {
	const seeds = 2000
	ds := uneven(t)
	counts := make([]int, 10)
	for seed := range seeds {
		for _, i := range mustBalance(t, ds, 0, uint64(seed)) {
			counts[i]++
		}
	}
	for i, l := range mustLabels(t, ds) {
		wantShare(t, "an image", counts[i], seeds, []float64{1, 2. / 5, 2. / 3}[l])
	}
	if !slices.Equal(mustBalance(t, ds, 1, 4), mustBalance(t, ds, 1, 4)) {
		t.Error("the images differ from call to call")
	}
}

func TestBalancedErrors(t *testing.T) {
	ds := uneven(t)
	none, err := Relabel(numbered(2), []int{0, 0}, []string{"all", "nobody"})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		ds       Dataset
		perClass int
		want     string
	}{
		"negative":     {ds, -1, "1 to 2"},
		"too many":     {ds, 3, `"a"`},
		"empty class":  {none, 0, `"nobody"`},
		"unclassified": {numbered(4), 0, "no classes"},
	} {
		if _, err := Balanced(test.ds, test.perClass, 0); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v does not mention %s", name, err, test.want)
		}
	}
}
