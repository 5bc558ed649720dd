package gpu

import "unsafe"

func sizeOf[E any](e E) int { return int(unsafe.Sizeof(e)) }

const (
	// joinedLength is the length up to which rows are joined for sums of columns, and mostChunks the number of chunks into
	// which they are divided at most, of at least leastRows rows.
	joinedLength = 256
	mostChunks   = 256
	leastRows    = 32
)

// columns runs a kernel that sums over rows of len(dst) elements.
func (e *engine[T]) columns(name string, x, y []T, scale float64, dst []T) {
	cols := len(dst)
	length := max(1, joinedLength/cols) * cols
	rows := (len(x) + length - 1) / length
	chunks := min(mostChunks, max(1, rows/leastRows))
	each := (rows + chunks - 1) / chunks
	chunks = (rows + each - 1) / each
	c := e.begin()
	part := c.take(chunks * length * e.wide)
	c.in(x)
	c.in(y)
	c.operand(part, 0)
	c.longs(len(x), cols, length, each)
	c.run(name, [3]int{(length + lane - 1) / lane, chunks, 1}, [3]int{lane, 1, 1})
	c.args.Reset()
	c.operand(part, 0)
	c.out(dst)
	c.longs(chunks*length/cols, cols)
	c.reals(scale)
	c.rows("columns_end", cols)
	c.end()
}

// SumRows implements backend.Engine.
func (e *engine[T]) SumRows(x, dst []T) { e.columns("sum_rows", x, nil, 1, dst) }

// DotRows implements backend.Engine.
func (e *engine[T]) DotRows(x, y, dst []T) { e.columns("dot_rows", x, y, 1, dst) }

// VarRows implements backend.Engine.
func (e *engine[T]) VarRows(x, mean, dst []T) {
	e.columns("var_rows", x, mean, float64(len(dst))/float64(len(x)), dst)
}

// Dot implements backend.Engine.
func (e *engine[T]) Dot(x, y, dst []T) { e.columns("dot_rows", x, y, 1, dst[:1]) }

// byRow runs a kernel with a group for each row of cols of x.
func (e *engine[T]) byRow(name string, cols int, x, dst []T, reals ...float64) {
	c := e.begin()
	c.in(x)
	c.out(dst)
	c.longs(cols)
	c.reals(reals...)
	c.rows(name, len(x)/cols)
	c.end()
}

// SumCols implements backend.Engine.
func (e *engine[T]) SumCols(x, dst []T) { e.byRow("sum_cols", len(x)/len(dst), x, dst) }

// LogSumExp implements backend.Engine.
func (e *engine[T]) LogSumExp(cols int, x, dst []T) { e.byRow("log_sum_exp", cols, x, dst) }

// Softmax implements backend.Engine.
func (e *engine[T]) Softmax(cols int, x, dst []T) { e.byRow("softmax", cols, x, dst) }

// NormaliseRows implements backend.Engine.
func (e *engine[T]) NormaliseRows(cols int, eps float64, x, dst []T) {
	e.byRow("normalise_rows", cols, x, dst, eps)
}

// RowScales implements backend.Engine.
func (e *engine[T]) RowScales(eps float64, x, dst []T) {
	e.byRow("row_scales", len(x)/len(dst), x, dst, eps)
}

// DotCols implements backend.Engine.
func (e *engine[T]) DotCols(x, y, dst []T) {
	c := e.begin()
	c.in(x)
	c.in(y)
	c.out(dst)
	c.longs(len(x) / len(dst))
	c.rows("dot_cols", len(dst))
	c.end()
}

// SumMiddle implements backend.Engine.
func (e *engine[T]) SumMiddle(outer, n, inner int, x, dst []T) {
	c := e.begin()
	c.in(x)
	c.out(dst)
	c.longs(outer, n, inner)
	c.each("sum_middle", outer*inner)
	c.end()
}
