package study

import (
	"slices"
	"testing"
)

// If each seed draws its own data, their digests are only in the records of the seeds. The page says once that they are
// there.
func TestDataFacts(t *testing.T) {
	r := &Record{}
	for seed, digest := range []string{"aa", "bb", "cc"} {
		s := &seedRecord{Seed: uint64(seed)}
		s.Data = []DataUsed{{"test split of mnist", 10000, "ff"}, {"30, drawn by seed " + string(rune('0'+seed)) + ", of cifar10", 30,
			digest}}
		if seed == 1 {
			s.Data = append(s.Data, DataUsed{"abalone", 0, "ee"})
		}
		r.seeds, r.Seeds = append(r.seeds, s), append(r.Seeds, s.Seed)
	}
	var got []string
	for _, f := range r.dataFacts() {
		got = append(got, f.Value)
	}
	if want := []string{
		"test split of mnist: 10000 images, SHA-256 ff",
		"30, drawn by the seed, of cifar10: 30 images, drawn 3 times, SHA-256 in the run.json of the seeds",
		"abalone, SHA-256 ee (seed 1)",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
