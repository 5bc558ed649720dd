package rfm

import (
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// put sets the value of an input or parameter to m, in the precision of the graph.
func put(g *graph.Graph, n *graph.Node, m *mat.Dense) {
	if g.Err() == nil {
		putRows(g.Data(n), m, 0)
	}
}

// putRows writes the rows of m from row i on into t, as many as both have, and sets the rest of t to zeros.
// It returns how many rows it wrote.
func putRows(t *tensor.Dense, m *mat.Dense, i int) int {
	n, d := m.Dims()
	count := min(t.Shape().TotalSize()/d, n-i)
	switch x := t.Data().(type) {
	case []float32:
		writeRows(x, m, i, count)
	case []float64:
		writeRows(x, m, i, count)
	}
	return count
}

func writeRows[T backend.Float](x []T, m *mat.Dense, i, count int) {
	_, d := m.Dims()
	for r := range count {
		writeRow(x[r*d:(r+1)*d], m.RawRowView(i+r))
	}
	clear(x[count*d:])
}

func writeRow[T backend.Float](x []T, row []float64) {
	for k, v := range row {
		x[k] = T(v)
	}
}

// takeRows writes the first count rows of t into m from row i on.
func takeRows(m *mat.Dense, i, count int, t *tensor.Dense) {
	switch x := t.Data().(type) {
	case []float32:
		readRows(m, i, count, x)
	case []float64:
		readRows(m, i, count, x)
	}
}

func readRows[T backend.Float](m *mat.Dense, i, count int, x []T) {
	_, d := m.Dims()
	for r := range count {
		row := m.RawRowView(i + r)
		for k, v := range x[r*d : (r+1)*d] {
			row[k] = float64(v)
		}
	}
}

// addRows adds the rows of t to those of m from row i on, as many as both have.
func addRows(m *mat.Dense, i int, t *tensor.Dense) {
	switch x := t.Data().(type) {
	case []float32:
		sumRows(m, i, x)
	case []float64:
		sumRows(m, i, x)
	}
}

func sumRows[T backend.Float](m *mat.Dense, i int, x []T) {
	n, d := m.Dims()
	for r := range min(len(x)/d, n-i) {
		row := m.RawRowView(i + r)
		for k, v := range x[r*d : (r+1)*d] {
			row[k] += float64(v)
		}
	}
}

// gatherRows writes the given rows of m into t, one after another.
func gatherRows(t *tensor.Dense, m *mat.Dense, rows []int) {
	_, d := m.Dims()
	switch x := t.Data().(type) {
	case []float32:
		for i, row := range rows {
			writeRow(x[i*d:(i+1)*d], m.RawRowView(row))
		}
	case []float64:
		for i, row := range rows {
			writeRow(x[i*d:(i+1)*d], m.RawRowView(row))
		}
	}
}

// updateRows writes the given rows of m to the same rows of t.
func updateRows(t *tensor.Dense, m *mat.Dense, rows []int) {
	_, d := m.Dims()
	switch x := t.Data().(type) {
	case []float32:
		for _, row := range rows {
			writeRow(x[row*d:(row+1)*d], m.RawRowView(row))
		}
	case []float64:
		for _, row := range rows {
			writeRow(x[row*d:(row+1)*d], m.RawRowView(row))
		}
	}
}

// matrix returns a copy of t; a vector becomes one row.
func matrix(t *tensor.Dense) *mat.Dense {
	shape := t.Shape()
	rows := 1
	if len(shape) == 2 {
		rows = shape[0]
	}
	m := mat.NewDense(rows, shape.TotalSize()/rows, nil)
	takeRows(m, 0, rows, t)
	return m
}
