package kernels

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/jacobian"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Layout says which blocks the kernel of a network has: those of its form, and then the trace kernels of layers.
type Layout struct {
	Form    Form
	Outputs int
	Layers  int // 0 for none
}

// sides returns the number of rows of an image in each block.
func (l Layout) sides() []int {
	blocks, side := l.Form.Layout(l.Outputs)
	return append(slices.Repeat([]int{side}, blocks), slices.Repeat([]int{1}, l.Layers)...)
}

// Rows returns the number of rows of an image in all blocks of the form together.
func (l Layout) Rows() int {
	blocks, side := l.Form.Layout(l.Outputs)
	return blocks * side
}

// summed reports whether the entries of a block are sums over outputs, to be divided by their number.
func (l Layout) summed(block int) bool {
	blocks, _ := l.Form.Layout(l.Outputs)
	return block >= blocks || l.Form == Trace
}

// Bytes returns the memory of the blocks for images as rows and others as columns.
func (l Layout) Bytes(images, others int) int64 {
	entries := int64(0)
	for _, side := range l.sides() {
		entries += int64(images*side) * int64(others*side)
	}
	return 8 * entries
}

// Block is the part of a kernel that has some images x as its rows and others z as its columns.
type Block struct {
	// Gram has a matrix for every block of the form. For [Full] it is one matrix, with a row for every output of every x and
	// a column for every output of every z. For the others it is one matrix or several, images × images.
	Gram []*mat.Dense
	// Layers are the trace kernels of layers, images × images, if the layout has them.
	Layers []*mat.Dense
}

// NewBlock returns a block of zeros for images as rows and others as columns.
func (l Layout) NewBlock(images, others int) Block {
	var all []*mat.Dense
	for _, side := range l.sides() {
		all = append(all, mat.NewDense(images*side, others*side, nil))
	}
	return Block{all[:len(all)-l.Layers], all[len(all)-l.Layers:]}
}

// NewKernel returns a kernel of zeros for images with themselves: the blocks of the form, and those of the layers.
func (l Layout) NewKernel(images int) (gram Kernel, layers []*mat.SymDense) {
	var all []*mat.SymDense
	for _, side := range l.sides() {
		all = append(all, mat.NewSymDense(images*side, nil))
	}
	return all[:len(all)-l.Layers], all[len(all)-l.Layers:]
}

// Target is where parts of a kernel are written: the block whose first row belongs to image row and first column to
// image column.
type Target struct {
	layout      Layout
	blocks      []blas64.General // in the order of Layout.sides
	row, column int
}

// InBlock returns a block as a target. Its rows are the images from row on, and its columns the images from column on.
func (l Layout) InBlock(b Block, row, column int) Target {
	to := Target{layout: l, row: row, column: column}
	for _, m := range slices.Concat(b.Gram, b.Layers) {
		to.blocks = append(to.blocks, m.RawMatrix())
	}
	return to
}

// InKernel returns a kernel that NewKernel returned as a target.
func (l Layout) InKernel(gram Kernel, layers []*mat.SymDense) Target {
	to := Target{layout: l}
	for _, m := range slices.Concat(gram, layers) {
		raw := m.RawSymmetric()
		to.blocks = append(to.blocks, blas64.General{Rows: raw.N, Cols: raw.N, Stride: raw.Stride, Data: raw.Data})
	}
	return to
}

// Add adds to a part, which must be zero, the products of the gradients of the ranges images (rows) and others (columns),
// first ≤ i < last each, which [Layout.Divide] returned. If both ranges are the same, only the upper half is valid.
func (t Target) Add(images, others [2]int, rows, columns []*jacobian.Rows) {
	for b, side := range t.layout.sides() {
		stride := t.blocks[b].Stride
		at := (images[0]-t.row)*side*stride + (others[0]-t.column)*side
		to := blas64.General{Rows: (images[1] - images[0]) * side, Cols: (others[1] - others[0]) * side, Stride: stride,
			Data: t.blocks[b].Data[at:]}
		rows[b].AddGram(to, columns[b])
		if !t.layout.summed(b) {
			continue
		}
		for i := range to.Rows {
			for j := range to.Cols {
				to.Data[i*stride+j] /= float64(t.layout.Outputs)
			}
		}
	}
}

// Divide divides the rows of a Jacobian for a batch of images into the rows whose products are the blocks. Layers has the
// columns of each layer in the parts of the rows.
func (l Layout) Divide(r *jacobian.Rows, layers [][]jacobian.PartColumns) []*jacobian.Rows {
	var all []*jacobian.Rows
	switch l.Form {
	case Trace:
		all = append(all, r.Join())
	case Diagonal:
		all = append(all, r.Split()...)
	default:
		all = append(all, r)
	}
	for _, keep := range layers {
		all = append(all, r.Columns(keep).Join())
	}
	return all
}

// Put copies a block for two ranges first ≤ i < last of images, its rows and its columns, into a kernel that NewKernel
// returned. If both are the same, it copies the upper half. It returns an error if the number or size of matrices differs.
func (l Layout) Put(gram Kernel, layers []*mat.SymDense, block *Block, images, others [2]int) error {
	if len(block.Gram) != len(gram) || len(block.Layers) != len(layers) {
		return fmt.Errorf("kernels: a part of a kernel has %d blocks and %d layers: want %d and %d", len(block.Gram),
			len(block.Layers), len(gram), len(layers))
	}
	parts, sides := slices.Concat(block.Gram, block.Layers), l.sides()
	for b, to := range slices.Concat(gram, layers) {
		side := sides[b]
		rows, columns := (images[1]-images[0])*side, (others[1]-others[0])*side
		if r, c := parts[b].Dims(); r != rows || c != columns {
			return fmt.Errorf("kernels: a part of a kernel is %d×%d: want %d×%d", r, c, rows, columns)
		}
		first, left := images[0]*side, others[0]*side
		for i := range rows {
			for j := max(0, first+i-left); j < columns; j++ {
				to.SetSym(first+i, left+j, parts[b].At(i, j))
			}
		}
	}
	return nil
}
