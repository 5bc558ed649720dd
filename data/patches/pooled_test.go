package patches

import (
	"math"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
)

// TestPool checks that the pooled components of the halves of a dataset are the components of the whole.
func TestPool(t *testing.T) {
	ds := noise(60, shape(2, 6, 6))
	for i := range 30 { // the halves differ in their means and in their variances
		for k := range ds.images[i] {
			ds.images[i][k] = .2 + .3*ds.images[i][k]
		}
	}
	first, err := data.Subset(ds, interval(0, 30))
	if err != nil {
		t.Fatal(err)
	}
	second, err := data.Subset(ds, interval(30, 60))
	if err != nil {
		t.Fatal(err)
	}
	want := mustComponents(t, ds, 3, 0)
	got, err := Pool(mustComponents(t, first, 3, 0), mustComponents(t, second, 3, 0))
	if err != nil {
		t.Fatal(err)
	}
	for k := range want.Variances {
		if math.Abs(got.Variances[k]-want.Variances[k]) > 1e-12 || math.Abs(got.Mean[k]-want.Mean[k]) > 1e-12 {
			t.Errorf("component %d: variance %v and mean %v, want %v and %v", k+1, got.Variances[k], got.Mean[k],
				want.Variances[k], want.Mean[k])
		}
		if along := math.Abs(dot(got.Vectors[k], want.Vectors[k])); math.Abs(along-1) > 1e-8 {
			t.Errorf("component %d: cosine %v", k+1, along)
		}
	}
	if got.Rank() != want.Rank() {
		t.Errorf("rank %d, want %d", got.Rank(), want.Rank())
	}
	if _, err := Pool(want, mustComponents(t, ds, 2, 0)); err == nil ||
		!strings.Contains(err.Error(), "cannot be pooled") {
		t.Errorf("patches of two sizes: %v", err)
	}
	if _, err := Pool(); err == nil {
		t.Error("components of nothing")
	}
}

// interval returns the numbers from low to high − 1.
func interval(low, high int) (all []int) {
	for i := low; i < high; i++ {
		all = append(all, i)
	}
	return all
}
