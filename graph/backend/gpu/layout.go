package gpu

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Keys of constants that belong to the same object.
type (
	startsOf struct{ of any }
	rowsOf   struct{ of any }
	aroundOf struct{ of any }
)

// SumSets implements backend.Engine.
func (e *engine[T]) SumSets(sets *backend.Sets, x, dst []T) {
	starts, rows := sets.Lists()
	c := e.begin()
	c.constant(startsOf{sets}, func() []int32 { return starts })
	c.constant(rowsOf{sets}, func() []int32 { return rows })
	c.in(x)
	c.out(dst)
	c.longs(len(dst), len(dst)/sets.Len())
	c.each("sum_sets", len(dst))
	c.end()
}

// square is SQUARE of the kernels.
const square = 16

// Transpose implements backend.Engine.
func (e *engine[T]) Transpose(batch, rows, cols int, x, dst []T) {
	c := e.begin()
	c.in(x)
	c.out(dst)
	c.longs(rows, cols)
	tiles := (cols + square - 1) / square * ((rows + square - 1) / square)
	c.run("transpose", [3]int{batch * tiles, 1, 1}, [3]int{square, square, 1})
	c.end()
}

// offsetsOf lists a view as kernels read it.
func offsetsOf(v *backend.View) []int32 {
	list := []int32{int32(len(v.Axes()))}
	for _, a := range v.Axes() {
		list = append(list, int32(len(a)))
	}
	for _, a := range v.Axes() {
		for _, offset := range a {
			list = append(list, int32(offset))
		}
	}
	return list
}

// countable fails for a view of so many elements that an int of a kernel does not count them.
func countable(elements int) {
	if elements > math.MaxInt32 {
		panic(failure{fmt.Errorf("backend gpu: a view of %d elements: want at most %d", elements, math.MaxInt32)})
	}
}

// TakeView implements backend.Engine.
func (e *engine[T]) TakeView(v *backend.View, x, y []T) {
	countable(len(x))
	c := e.begin()
	c.constant(v, func() []int32 { return offsetsOf(v) })
	c.in(x)
	c.out(y)
	c.longs(v.Len())
	c.each("take_view", v.Len())
	c.end()
}

// PutView implements backend.Engine.
func (e *engine[T]) PutView(v *backend.View, y []T, fill T, x []T) {
	countable(len(x))
	c := e.begin()
	if !v.Distinct() {
		countable(v.Len())
		var starts, reads []int32
		lists := func() {
			if starts == nil {
				starts, reads = readersOf(v, len(x))
			}
		}
		c.constant(startsOf{v}, func() []int32 { lists(); return starts })
		c.constant(rowsOf{v}, func() []int32 { lists(); return reads })
		c.in(y)
		c.out(x)
		c.longs(len(x))
		c.each("add_view", len(x))
		c.end()
		return
	}
	buffer, offset := c.place(bytesOf(x), false, true)
	from := offset / sizeOf(fill)
	if !v.All() {
		c.operand(buffer, from)
		c.longs(len(x))
		c.reals(float64(fill))
		c.each("fill", len(x))
		c.args.Reset()
	}
	c.constant(v, func() []int32 { return offsetsOf(v) })
	c.in(y)
	c.operand(buffer, from)
	c.longs(v.Len())
	c.each("put_view", v.Len())
	c.end()
}

// readersOf returns, for every element of an x of n, which elements of y read it: where the list of each starts, and the
// lists.
func readersOf(v *backend.View, n int) (starts, reads []int32) {
	from := make([]int32, 1, v.Len())
	for _, a := range v.Axes() {
		longer := make([]int32, 0, len(from)*len(a))
		for _, base := range from {
			for _, offset := range a {
				longer = append(longer, base+int32(offset))
			}
		}
		from = longer
	}
	starts, reads = make([]int32, n+1), make([]int32, len(from))
	for _, at := range from {
		starts[at+1]++
	}
	for i := range n {
		starts[i+1] += starts[i]
	}
	next := append([]int32(nil), starts...)
	for i, at := range from {
		reads[next[at]] = int32(i)
		next[at]++
	}
	return starts, reads
}

// Concat implements backend.Engine.
func (e *engine[T]) Concat(outer int, operands [][]T, dst []T) {
	c := e.begin()
	var t T
	buffer, offset := c.place(bytesOf(dst), false, true)
	from, apart := offset/sizeOf(t), len(dst)/outer
	for _, x := range operands {
		c.args.Reset()
		c.in(x)
		c.operand(buffer, from)
		c.longs(len(x), max(1, len(x)/outer), apart)
		c.each("put_blocks", len(x))
		from += len(x) / outer
	}
	c.end()
}

// pool adds the struct Pool.
func (c *call[T]) pool(w *backend.Windows) { c.ints(w.H, w.W, w.C, len(w.Rows), len(w.Cols)) }

// spans lists the windows.
func spans(w *backend.Windows) (list []int32) {
	for _, along := range [][]backend.Span{w.Rows, w.Cols} {
		for _, s := range along {
			list = append(list, int32(s.Lo), int32(s.Hi), int32(s.Divisor))
		}
	}
	return list
}

// around lists for every row, then for every column, the first window that has it and the one after the last. All windows
// between them have it too, since windows begin and end one after another.
func around(w *backend.Windows) (list []int32) {
	along := func(n int, windows []backend.Span) {
		for i := range n {
			first, end := 0, 0
			for k, s := range windows {
				if i >= s.Lo && i < s.Hi {
					if end == 0 {
						first = k
					}
					end = k + 1
				}
			}
			list = append(list, int32(first), int32(end))
		}
	}
	along(w.H, w.Rows)
	along(w.W, w.Cols)
	return list
}

// ArgMax implements backend.Engine.
func (e *engine[T]) ArgMax(w *backend.Windows, x []T, idx []int32) {
	c := e.begin()
	c.pool(w)
	c.constant(w, func() []int32 { return spans(w) })
	c.in(x)
	c.out(idx)
	c.longs(len(idx))
	c.each("arg_max", len(idx))
	c.end()
}

// Gather implements backend.Engine.
func (e *engine[T]) Gather(w *backend.Windows, idx []int32, x, y []T) {
	c := e.begin()
	c.in(idx)
	c.in(x)
	c.out(y)
	c.longs(len(y), w.InSize(), w.OutSize())
	c.each("gather", len(y))
	c.end()
}

// Scatter implements backend.Engine.
func (e *engine[T]) Scatter(w *backend.Windows, idx []int32, dy, dx []T) {
	c := e.begin()
	c.pool(w)
	c.constant(aroundOf{w}, func() []int32 { return around(w) })
	c.in(idx)
	c.in(dy)
	c.out(dx)
	c.longs(len(dx))
	c.each("scatter", len(dx))
	c.end()
}

// Average implements backend.Engine.
func (e *engine[T]) Average(w *backend.Windows, x, y []T) {
	c := e.begin()
	c.pool(w)
	c.constant(w, func() []int32 { return spans(w) })
	c.in(x)
	c.out(y)
	c.longs(len(y))
	c.each("average", len(y))
	c.end()
}

// Spread implements backend.Engine.
func (e *engine[T]) Spread(w *backend.Windows, dy, dx []T) {
	c := e.begin()
	c.pool(w)
	c.constant(w, func() []int32 { return spans(w) })
	c.constant(aroundOf{w}, func() []int32 { return around(w) })
	c.in(dy)
	c.out(dx)
	c.longs(len(dx))
	c.each("spread", len(dx))
	c.end()
}
