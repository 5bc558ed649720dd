// Package arena lays values out in memory by their lives.
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
	// Packed, Again and Resume are set by [Split]: after the step Last the values wait in Packed. Before the step Resume
	// they are unpacked to Again or, if that is nil, the steps from Resume on read them packed.
	Packed, Again *Span
	Resume        int
}

// At returns the span in which the values are for a step: s, or from Resume on Again or Packed.
func (s *Span) At(step int) *Span {
	switch {
	case s.Packed == nil || step < s.Resume:
		return s
	case s.Again == nil:
		return s.Packed
	}
	return s.Again
}

// Values that wait for at least so many steps, and are so many, are worth packing.
const (
	longWait = 8
	manyWait = 1 << 14
)

// Split lets values wait packed, in packed(size) elements, between the two uses that are farthest apart. Reads reports
// whether a step can read a span packed. Split returns all spans. Index spans, and those that are in use beyond their
// last step, stay as they are.
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

// align is in elements: 64 bytes of float32, which the native loops like.
const align = 16

// Place sets the offsets of the spans, the largest first: each the lowest at which it does not overlap with others
// in use at the same time.
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
