package models

import (
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// ntkLayout says which blocks a kernel has, for some outputs: those of its form and then, where they are asked for, the trace
// kernels of its layers.
type ntkLayout struct {
	form    kernels.Form
	outputs int
	layers  int
}

// layout returns the layout of a network's kernels.
func (n *Network) layout(o NTKOptions) ntkLayout {
	l := ntkLayout{form: o.Form, outputs: n.Classes}
	if o.ByLayer {
		l.layers = len(n.ParametersByLayer())
	}
	return l
}

// sides returns how many rows an image has in each block.
func (l ntkLayout) sides() []int {
	blocks, side := l.form.Layout(l.outputs)
	return append(slices.Repeat([]int{side}, blocks), slices.Repeat([]int{1}, l.layers)...)
}

// rows returns how many rows an image has in all blocks of the form.
func (l ntkLayout) rows() int {
	blocks, side := l.form.Layout(l.outputs)
	return blocks * side
}

// summed reports whether the entries of a block are sums over outputs, to be divided by their number.
func (l ntkLayout) summed(block int) bool {
	blocks, _ := l.form.Layout(l.outputs)
	return block >= blocks || l.form == kernels.Trace
}

// bytes returns the memory of the blocks for some images (their rows) with others (their columns).
func (l ntkLayout) bytes(images, others int) int64 {
	entries := int64(0)
	for _, side := range l.sides() {
		entries += int64(images*side) * int64(others*side)
	}
	return 8 * entries
}

// NTKBlock is the kernel Θ(x, z) of some images x, its rows, with others z, its columns.
type NTKBlock struct {
	// Gram has the blocks of the form of [NTKOptions]: of [kernels.Full] one, with a row for every output of every x and a column
	// for those of every z; of the others one or several of images × images.
	Gram []*mat.Dense
	// Layers, with [NTKOptions.ByLayer], are the trace kernels of the layers, images × images.
	Layers []*mat.Dense
}

// newBlock returns zeros.
func (l ntkLayout) newBlock(images, others int) NTKBlock {
	var all []*mat.Dense
	for _, side := range l.sides() {
		all = append(all, mat.NewDense(images*side, others*side, nil))
	}
	return NTKBlock{all[:len(all)-l.layers], all[len(all)-l.layers:]}
}

// newNTK returns a kernel of zeros.
func (l ntkLayout) newNTK(images int) *NTK {
	var all []*mat.SymDense
	for _, side := range l.sides() {
		all = append(all, mat.NewSymDense(images*side, nil))
	}
	return &NTK{Gram: all[:len(all)-l.layers], Layers: all[len(all)-l.layers:]}
}

// gramBlock is where a part of Θ is written: the rows of the images from row on, and the columns of those from column on.
type gramBlock struct {
	ntkLayout
	blocks      []blas64.General // by sides
	row, column int
}

// toBlock returns where a block is written.
func (l ntkLayout) toBlock(b NTKBlock, row, column int) gramBlock {
	to := gramBlock{ntkLayout: l, row: row, column: column}
	for _, m := range slices.Concat(b.Gram, b.Layers) {
		to.blocks = append(to.blocks, m.RawMatrix())
	}
	return to
}

// toNTK returns where a whole kernel is written.
func (l ntkLayout) toNTK(k *NTK) gramBlock {
	to := gramBlock{ntkLayout: l}
	for _, m := range slices.Concat(k.Gram, k.Layers) {
		raw := m.RawSymmetric()
		to.blocks = append(to.blocks, blas64.General{Rows: raw.N, Cols: raw.N, Stride: raw.Stride, Data: raw.Data})
	}
	return to
}

// add sets a part, of zeros, to the products of the gradients of some images, rows, with those of others, columns, block by
// block. Of images with themselves only the upper half is valid.
func (g gramBlock) add(images, others [2]int, rows, columns []*jacobian.Rows) {
	for b, side := range g.sides() {
		stride := g.blocks[b].Stride
		at := (images[0]-g.row)*side*stride + (others[0]-g.column)*side
		to := blas64.General{Rows: (images[1] - images[0]) * side, Cols: (others[1] - others[0]) * side, Stride: stride,
			Data: g.blocks[b].Data[at:]}
		rows[b].AddGram(to, columns[b])
		if !g.summed(b) {
			continue
		}
		for i := range to.Rows {
			for j := range to.Cols {
				to.Data[i*stride+j] /= float64(g.outputs)
			}
		}
	}
}

// divide returns the rows whose products are the blocks.
func (l ntkLayout) divide(r *jacobian.Rows, layers [][]jacobian.PartColumns) []*jacobian.Rows {
	var all []*jacobian.Rows
	switch l.form {
	case kernels.Trace:
		all = append(all, r.Join())
	case kernels.Diagonal:
		all = append(all, r.Split()...)
	default:
		all = append(all, r)
	}
	for _, keep := range layers {
		all = append(all, r.Columns(keep).Join())
	}
	return all
}

// columnsByLayer returns, for every layer, the columns that it has in the parts of a Jacobian.
func (n *Network) columnsByLayer(j *graph.Jacobian) (all [][]jacobian.PartColumns) {
	for _, l := range n.ParametersByLayer() {
		has := func(p *graph.Node) bool { return p != nil && slices.Contains(l.Names, p.Name()) }
		var own []jacobian.PartColumns
		for _, p := range j.Parameters() {
			own = append(own, jacobian.PartColumns{Weight: has(p.Weight), Bias: has(p.Bias)})
		}
		all = append(all, own)
	}
	return all
}
