// Package tensors copies rows of matrices of float64 into and out of tensors of a graph, of either precision, and into other
// matrices.
package tensors

import (
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Put sets the value of an input or parameter to m, in the precision of the graph.
func Put(g *graph.Graph, n *graph.Node, m *mat.Dense) {
	if g.Err() == nil {
		PutRows(g.Data(n), m, 0)
	}
}

// PutRows writes the rows of m from row i on into t, as many as both have, and sets the rest of t to zeros.
// It returns how many rows it wrote.
func PutRows(t *tensor.Dense, m *mat.Dense, i int) int { return PutRowsFrom(nil, t, m, i) }

// PutRowsFrom is like [PutRows], but subtracts an origin from every row, in float64; nil is 0.
func PutRowsFrom(origin []float64, t *tensor.Dense, m *mat.Dense, i int) int {
	n, d := m.Dims()
	elements, count := t.Data(), min(t.Shape().TotalSize()/d, n-i)
	for r := range count {
		if origin == nil {
			writeRow(elements, r, m.RawRowView(i+r))
			continue
		}
		switch x := elements.(type) {
		case []float32:
			writeDifference(x[r*d:][:d], m.RawRowView(i+r), origin)
		case []float64:
			writeDifference(x[r*d:][:d], m.RawRowView(i+r), origin)
		}
	}
	switch x := elements.(type) {
	case []float32:
		clear(x[count*d:])
	case []float64:
		clear(x[count*d:])
	}
	return count
}

// PickRows returns a matrix with copies of the given rows of m, or nil if there are none.
func PickRows(m *mat.Dense, rows []int) *mat.Dense {
	if len(rows) == 0 {
		return nil
	}
	_, d := m.Dims()
	picked := mat.NewDense(len(rows), d, nil)
	for i, row := range rows {
		picked.SetRow(i, m.RawRowView(row))
	}
	return picked
}

// GatherRows writes the given rows of m into t, one after another.
func GatherRows(t *tensor.Dense, m *mat.Dense, rows []int) {
	elements := t.Data()
	for i, row := range rows {
		writeRow(elements, i, m.RawRowView(row))
	}
}

// UpdateRows writes the given rows of m to the same rows of t.
func UpdateRows(t *tensor.Dense, m *mat.Dense, rows []int) {
	elements := t.Data()
	for _, row := range rows {
		writeRow(elements, row, m.RawRowView(row))
	}
}

// writeRow writes row r of the elements of a tensor, []float32 or []float64.
func writeRow(elements any, r int, row []float64) {
	switch x := elements.(type) {
	case []float32:
		x = x[r*len(row):][:len(row)]
		for k, v := range row {
			x[k] = float32(v)
		}
	case []float64:
		copy(x[r*len(row):], row)
	}
}

func writeDifference[T backend.Float](to []T, row, origin []float64) {
	for k := range to {
		to[k] = T(row[k] - origin[k])
	}
}

// TakeRows writes the first count rows of t into m from row i on.
func TakeRows(m *mat.Dense, i, count int, t *tensor.Dense) {
	elements, d := t.Data(), m.RawMatrix().Cols
	for r := range count {
		row := m.RawRowView(i + r)
		clear(row)
		AddElements(row, elements, r*d)
	}
}

// AddRows adds the rows of t to those of m from row i on, as many as both have.
func AddRows(m *mat.Dense, i int, t *tensor.Dense) {
	n, d := m.Dims()
	elements := t.Data()
	for r := range min(t.Shape().TotalSize()/d, n-i) {
		AddElements(m.RawRowView(i+r), elements, r*d)
	}
}

// AddElements adds the elements of a tensor, []float32 or []float64, to row, from the element at on.
func AddElements(row []float64, elements any, at int) {
	switch x := elements.(type) {
	case []float32:
		addTo(row, x[at:])
	case []float64:
		addTo(row, x[at:])
	}
}

func addTo[T backend.Float](row []float64, x []T) {
	x = x[:len(row)]
	for k, v := range x {
		row[k] += float64(v)
	}
}

// Matrix returns a copy of t; a vector becomes one row.
func Matrix(t *tensor.Dense) *mat.Dense {
	shape := t.Shape()
	rows := 1
	if len(shape) == 2 {
		rows = shape[0]
	}
	m := mat.NewDense(rows, shape.TotalSize()/rows, nil)
	TakeRows(m, 0, rows, t)
	return m
}

// PutPixels writes pixels into t, and zeros after them.
func PutPixels(t *tensor.Dense, px []float32) {
	switch x := t.Data().(type) {
	case []float32:
		clear(x[copy(x, px):])
	case []float64:
		for i, v := range px {
			x[i] = float64(v)
		}
		clear(x[len(px):])
	}
}
