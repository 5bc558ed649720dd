package arena

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSplit checks with random spans that values are in memory from their first use to their last, packed or not, that
// a step that cannot read packed values finds them unpacked, and that spans that are in use at the same time do not
// overlap.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	packed := func(n int) int { return (n + 1) / 2 }
	split := 0
	for range 200 {
		const steps = 60
		var spans []*Span
		for range 25 {
			s := &Span{Size: 1 + rng.IntN(3*manyWait), Index: rng.IntN(6) == 0, First: rng.IntN(steps)}
			s.Uses = []int{s.First}
			for at := s.First; rng.IntN(4) > 0 && at < steps-1; {
				at += 1 + rng.IntN(steps-1-at)
				s.Uses = append(s.Uses, at)
			}
			if s.Last = s.Uses[len(s.Uses)-1]; rng.IntN(8) == 0 {
				s.Last = steps // an output
			}
			spans = append(spans, s)
		}
		reads := func(s *Span, step int) bool { return (step+s.Size)%3 > 0 }
		last := map[*Span]int{}
		for _, s := range spans {
			last[s] = s.Last
		}
		all := Split(spans, packed, reads)
		floats, index := Place(all)
		for _, s := range spans {
			if s.Packed == nil {
				if s.Last != last[s] {
					t.Fatal("a span that does not wait has changed")
				}
				continue
			}
			split++
			if s.Index || last[s] == steps || s.Packed.Size != packed(s.Size) || s.Resume-s.Last < longWait {
				t.Fatalf("%+v waits packed", *s)
			}
			for _, u := range s.Uses {
				at := s.At(u)
				if u < at.First || u > at.Last || at == s.Packed && !reads(s, u) {
					t.Fatalf("step %d of %+v", u, *s)
				}
			}
			if s.Packed.First > s.Last || s.Again != nil && s.Packed.Last < s.Again.First {
				t.Fatalf("%+v is in no memory between two steps", *s)
			}
		}
		for i, a := range all {
			if end := a.Offset + a.Size; end > floats && !a.Index || end > index && a.Index {
				t.Fatal("a span beyond the end")
			}
			for _, b := range all[:i] {
				if a.Index == b.Index && a.First <= b.Last && b.First <= a.Last &&
					a.Offset < b.Offset+b.Size && b.Offset < a.Offset+a.Size {
					t.Fatalf("%+v and %+v overlap", *a, *b)
				}
			}
		}
		for _, s := range spans {
			if !slices.Contains(all, s) || s.Packed != nil && !slices.Contains(all, s.Packed) || s.Again != nil && !slices.Contains(all, s.Again) {
				t.Fatal("a span has no place")
			}
		}
	}
	if split < 200 {
		t.Errorf("only %d spans waited", split)
	}
}
