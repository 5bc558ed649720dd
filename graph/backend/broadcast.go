package backend

import (
	"fmt"
	"slices"
)

// BroadcastShape returns the shape to which two shapes are expanded, by numpy's rules.
func BroadcastShape(a, b []int) ([]int, error) {
	shape := make([]int, max(len(a), len(b)))
	at := func(s []int, k int) int {
		if k -= len(shape) - len(s); k < 0 {
			return 1
		}
		return s[k]
	}
	for k := range shape {
		x, y := at(a, k), at(b, k)
		if x != y && x != 1 && y != 1 {
			return nil, fmt.Errorf("shapes %v and %v do not broadcast: axis %d has %d and %d elements", a, b, k, x, y)
		}
		shape[k] = max(x, y)
	}
	return shape, nil
}

// KeptRun returns the range {from, to} of the axes that an expansion does not repeat, if they are adjacent and lie at the
// beginning or at the end; {0, 0} if there are none, and {-1, -1} otherwise. Axes of one element count on either side.
func KeptRun(from, to []int) [2]int {
	first, last := -1, 0
	for k, n := range from {
		if n > 1 {
			if first < 0 {
				first = k
			}
			last = k + 1
		}
	}
	if first < 0 {
		return [2]int{0, 0}
	}
	if slices.Equal(from[first:last], to[first:last]) {
		if elements(to[last:]) == 1 {
			return [2]int{first, len(to)}
		}
		if elements(to[:first]) == 1 {
			return [2]int{0, last}
		}
	}
	return [2]int{-1, -1}
}

// elements returns the number of elements of a shape.
func elements(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}
