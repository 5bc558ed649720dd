package backend

import (
	"fmt"
	"slices"
	"strings"
)

// View is a rearrangement of elements: y[i₀,i₁,…] = x[Σₖ Axes[k][iₖ]]. Every axis of y has an offset into x for each of
// its indices. So transpositions, slices, repetitions, and reading elements by constant indices are all views.
type View struct {
	size     int     // elements of y
	axes     [][]int // neighbours are merged where their offsets are evenly spaced
	step     int     // between the elements of the last axis, 0 if they are not evenly spaced
	distinct bool    // no element of x is read twice
	all      bool    // every element of x is read, if distinct
	tiled    int     // an axis with contiguous elements in x, if the last one has not; -1 if there is none
}

// NewView returns the view with these offsets into an x of n elements.
func NewView(axes [][]int, n int) (*View, error) {
	v := &View{size: 1, tiled: -1}
	least, most := 0, 0
	for _, a := range axes {
		if len(a) == 0 {
			return nil, fmt.Errorf("a view with an axis of no elements")
		}
		v.size *= len(a)
		least, most = least+slices.Min(a), most+slices.Max(a)
		if len(a) == 1 && a[0] == 0 {
			continue
		}
		if last := len(v.axes) - 1; last >= 0 {
			if both := merged(v.axes[last], a); both != nil {
				v.axes[last] = both
				continue
			}
		}
		v.axes = append(v.axes, a)
	}
	if least < 0 || most >= n {
		return nil, fmt.Errorf("a view of the elements %d to %d of %d", least, most, n)
	}
	if len(v.axes) == 0 {
		v.axes = [][]int{{0}}
	}
	last := v.axes[len(v.axes)-1]
	v.step = spacing(last)
	v.distinct = distinct(v.axes)
	v.all = v.distinct && v.size == n
	if v.step != 1 && len(v.axes) > 1 && len(last) >= 8 {
		v.tiled = slices.IndexFunc(v.axes, func(a []int) bool { return spacing(a) == 1 && len(a) >= 8 })
	}
	return v, nil
}

// spacing returns the distance of evenly spaced offsets, 1 for a single one, and 0 for offsets that are all the same or not
// evenly spaced.
func spacing(a []int) int {
	if len(a) == 1 {
		return 1
	}
	d := a[1] - a[0]
	for i := 1; i < len(a); i++ {
		if a[i]-a[i-1] != d {
			return 0
		}
	}
	return d
}

// merged returns two neighbouring axes as one if the offsets of that are evenly spaced, else nil.
func merged(a, b []int) []int {
	d := spacing(b)
	if d == 0 || b[0] != 0 || len(a) > 1 && spacing(a) != d*len(b) {
		return nil
	}
	all := make([]int, len(a)*len(b))
	for i := range all {
		all[i] = a[0] + i*d
	}
	return all
}

// distinct reports whether all sums of one offset per axis differ. It may report false although they do.
func distinct(axes [][]int) bool {
	type spread struct{ gap, extent int }
	var all []spread
	for _, a := range axes {
		if len(a) == 1 {
			continue
		}
		s := slices.Sorted(slices.Values(a))
		gap := s[1] - s[0]
		for i := 1; i < len(s); i++ {
			gap = min(gap, s[i]-s[i-1])
		}
		all = append(all, spread{gap, s[len(s)-1] - s[0]})
	}
	slices.SortFunc(all, func(a, b spread) int { return a.gap - b.gap })
	reach := 0
	for _, s := range all {
		if s.gap <= reach {
			return false
		}
		reach += s.extent
	}
	return true
}

// Offsets returns the offsets of the elements of a row-major array of the given shape, axis by axis.
func Offsets(shape []int) [][]int {
	offsets := make([][]int, len(shape))
	stride := 1
	for k := len(shape) - 1; k >= 0; k-- {
		offsets[k] = make([]int, shape[k])
		for i := range offsets[k] {
			offsets[k][i] = i * stride
		}
		stride *= shape[k]
	}
	return offsets
}

// Key returns a text that identifies the view's offsets; three numbers stand for evenly spaced ones.
func (v *View) Key() string {
	var b strings.Builder
	for _, a := range v.axes {
		switch d := spacing(a); {
		case d != 0:
			fmt.Fprintf(&b, "%d+%d×%d ", a[0], d, len(a))
		case slices.Min(a) == slices.Max(a):
			fmt.Fprintf(&b, "%d×%d ", a[0], len(a))
		default:
			fmt.Fprint(&b, a, " ")
		}
	}
	return b.String()
}

// Len returns the number of elements of y.
func (v *View) Len() int { return v.size }

// runs calls f for the runs along the last axis from lo to hi, with the offset in x of each.
func (v *View) runs(lo, hi int, f func(run, from int)) {
	outer := v.axes[:len(v.axes)-1]
	index := make([]int, len(outer))
	for k, rest := len(outer)-1, lo; k >= 0; k-- {
		index[k] = rest % len(outer[k])
		rest /= len(outer[k])
	}
	for run := lo; run < hi; run++ {
		from := 0
		for k, i := range index {
			from += outer[k][i]
		}
		f(run, from)
		for k := len(index) - 1; k >= 0; k-- {
			if index[k]++; index[k] < len(outer[k]) {
				break
			}
			index[k] = 0
		}
	}
}

// TakeView computes y from x.
func (e *pure[T]) TakeView(v *View, x, y []T) {
	last := v.axes[len(v.axes)-1]
	n := len(last)
	if v.tiled >= 0 {
		e.tiles2(v, func(to, from, across, along int) {
			transposeStrided(x[from:], y[to:], v, across, along)
		})
		return
	}
	constant := slices.Min(last) == slices.Max(last)
	e.parallel(v.size/n, max(1, block/n), func(_, lo, hi int) {
		v.runs(lo, hi, func(run, from int) {
			out := y[run*n : (run+1)*n]
			switch {
			case v.step == 1:
				copy(out, x[from+last[0]:])
			case constant:
				value := x[from+last[0]]
				for i := range out {
					out[i] = value
				}
			default:
				for i, at := range last {
					out[i] = x[from+at]
				}
			}
		})
	})
}

// PutView computes the adjoint of TakeView: each element of x becomes the sum of the elements of y that TakeView reads
// from it, or fill if it reads none. The fill must be 0 unless the view reads every element at most once.
func (e *pure[T]) PutView(v *View, y []T, fill T, x []T) {
	if !v.all {
		for i := range x {
			x[i] = fill
		}
	}
	last := v.axes[len(v.axes)-1]
	n := len(last)
	if v.tiled >= 0 && v.distinct {
		e.tiles2(v, func(to, from, across, along int) {
			transposeBack(y[to:], x[from:], v, across, along)
		})
		return
	}
	put := func(lo, hi int) {
		v.runs(lo, hi, func(run, from int) {
			in := y[run*n : (run+1)*n]
			switch {
			case v.distinct && v.step == 1:
				copy(x[from+last[0]:], in)
			case v.distinct:
				for i, at := range last {
					x[from+at] = in[i]
				}
			default:
				for i, at := range last {
					x[from+at] += in[i]
				}
			}
		})
	}
	if !v.distinct { // two threads must not add to the same element
		put(0, v.size/n)
		return
	}
	e.parallel(v.size/n, max(1, block/n), func(_, lo, hi int) { put(lo, hi) })
}

// square is the side of the tiles in which two axes are swapped, so that source and destination stay in the cache.
const square = 16

// tiles2 calls f for every tile of the last axis (across) and the tiled axis (along), with the tile's offsets in y and in
// x, and its first indices on the two axes.
func (e *pure[T]) tiles2(v *View, f func(to, from, across, along int)) {
	strides := make([]int, len(v.axes))
	for k, s := len(v.axes)-1, 1; k >= 0; k-- {
		strides[k] = s
		s *= len(v.axes[k])
	}
	var others []int
	count := 1
	for k, a := range v.axes[:len(v.axes)-1] {
		if k != v.tiled {
			others = append(others, k)
			count *= len(a)
		}
	}
	across, along := v.axes[len(v.axes)-1], v.axes[v.tiled]
	parts := (len(along) + square - 1) / square
	e.parallel(count*parts, 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := 0, 0
			for j, rest := len(others)-1, i/parts; j >= 0; j-- {
				k := others[j]
				at := rest % len(v.axes[k])
				rest /= len(v.axes[k])
				to, from = to+at*strides[k], from+v.axes[k][at]
			}
			first := i % parts * square
			for c := 0; c < len(across); c += square {
				f(to+first*strides[v.tiled]+c, from, c, first)
			}
		}
	})
}

// tile returns a tile's offsets on the last and on the tiled axis, and the distance in y between neighbours on the latter.
func (v *View) tile(across, along int) (over, down []int, apart int) {
	last, run := v.axes[len(v.axes)-1], v.axes[v.tiled]
	apart = 1
	for _, a := range v.axes[v.tiled+1:] {
		apart *= len(a)
	}
	return last[across:min(across+square, len(last))], run[along:min(along+square, len(run))], apart
}

func transposeStrided[T Float](x, y []T, v *View, across, along int) {
	over, down, apart := v.tile(across, along)
	for c, a := range over {
		in := x[a+down[0]:][:len(down)]
		for r, value := range in {
			y[r*apart+c] = value
		}
	}
}

func transposeBack[T Float](y, x []T, v *View, across, along int) {
	over, down, apart := v.tile(across, along)
	for c, a := range over {
		out := x[a+down[0]:][:len(down)]
		for r := range out {
			out[r] = y[r*apart+c]
		}
	}
}
