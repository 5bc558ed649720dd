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
	Offset      int
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
