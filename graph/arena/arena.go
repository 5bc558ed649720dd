// Package arena places values in memory so that values whose lifetimes do not overlap share it.
package arena

import (
	"cmp"
	"slices"
)

// Span is a block of memory, and the steps during which it is in use.
type Span struct {
	Size        int  // elements
	Index       bool // of int32, in an arena of its own
	First, Last int
	Uses        []int // the steps that read or write it, in order
	Offset      int
	// Packed, Again and Resume are set by [Split]: after the step Last the values are kept in Packed. Before the step
	// Resume they are unpacked to Again or, if that is nil, the steps from Resume on read them packed.
	Packed, Again *Span
	Resume        int
}

// At returns the span that holds the values at a step: s itself or, from Resume on, Again or Packed.
func (s *Span) At(step int) *Span {
	switch {
	case s.Packed == nil || step < s.Resume:
		return s
	case s.Again == nil:
		return s.Packed
	}
	return s.Again
}

// Packing pays for at least manyWait values that no step reads for at least longWait steps.
const (
	longWait = 8
	manyWait = 1 << 14
)

// Split plans to keep values packed, in packed(size) elements, between the two uses that are farthest apart. reads
// reports whether a step can read a span packed. Split returns all spans, old and new. It does not change index spans,
// and spans that stay in use after the last step that reads them.
func Split(spans []*Span, packed func(size int) int, reads func(s *Span, step int) bool) []*Span {
	all := slices.Clone(spans)
	for _, s := range spans {
		wait, at := 0, 0
		for k := 1; k < len(s.Uses); k++ {
			if gap := s.Uses[k] - s.Uses[k-1]; gap > wait {
				wait, at = gap, k
			}
		}
		if s.Index || s.Size < manyWait || wait < longWait || s.Last != s.Uses[len(s.Uses)-1] {
			continue
		}
		s.Resume = s.Uses[at]
		s.Packed = &Span{Size: packed(s.Size), First: s.Uses[at-1], Last: s.Last}
		if slices.ContainsFunc(s.Uses[at:], func(step int) bool { return !reads(s, step) }) {
			s.Packed.Last = s.Resume
			s.Again = &Span{Size: s.Size, First: s.Resume, Last: s.Last}
			all = append(all, s.Again)
		}
		s.Last = s.Packed.First
		all = append(all, s.Packed)
	}
	return all
}

// align is in elements: 64 bytes of float32, an alignment with which the native loops are fast.
const align = 16

// Place sets the offsets of the spans, the largest first: each gets the lowest offset at which it overlaps no span that
// is in use at the same time. It returns the total number of elements of both arenas.
func Place(spans []*Span) (floats, index int) {
	slices.SortStableFunc(spans, func(a, b *Span) int { return cmp.Compare(b.Size, a.Size) })
	var placed []*Span // by offset
	for _, s := range spans {
		at := 0
		for _, other := range placed {
			if other.Index != s.Index || other.First > s.Last || other.Last < s.First {
				continue
			}
			if at+s.Size <= other.Offset {
				break
			}
			at = max(at, (other.Offset+other.Size+align-1)/align*align)
		}
		s.Offset = at
		i, _ := slices.BinarySearchFunc(placed, at, func(o *Span, at int) int { return cmp.Compare(o.Offset, at) })
		placed = slices.Insert(placed, i, s)
		if s.Index {
			index = max(index, at+s.Size)
		} else {
			floats = max(floats, at+s.Size)
		}
	}
	return floats, index
}
