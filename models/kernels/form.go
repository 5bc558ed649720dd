package kernels

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Form says which inner products Θ_cd(x, z) = ⟨∂f_c(x), ∂f_d(z)⟩ of a network's k outputs a kernel of n images contains.
type Form int

// The forms of a kernel.
const (
	// Full contains those of all pairs of outputs: one block, nk × nk. The outputs of the first image come first.
	Full Form = iota
	// Trace contains the mean over outputs, Σ_c Θ_cc(x, z)/k: one block, n × n, which all outputs share, like trace_axes =
	// (−1,) in neural-tangents. If the outputs are independent and have the same kernel, as in the limit of infinite width,
	// nothing is lost.
	Trace
	// Diagonal contains each output's own kernel Θ_cc: k blocks, n × n, like diagonal_axes = (−1,) in neural-tangents. If the
	// outputs are independent, nothing is lost.
	Diagonal
)

var formNames = []string{"full", "trace", "diagonal"}

// String returns full, trace or diagonal.
func (f Form) String() string { return formNames[f] }

// ParseForm returns the form of a name; "" is full.
func ParseForm(name string) (Form, error) {
	if name == "" {
		return Full, nil
	}
	if i := slices.Index(formNames, name); i >= 0 {
		return Form(i), nil
	}
	return 0, fmt.Errorf("%q: want full, trace or diagonal", name)
}

// Layout returns the number of blocks of a kernel of this form, and the number of rows of each image in a block.
func (f Form) Layout(outputs int) (blocks, rows int) {
	switch f {
	case Trace:
		return 1, 1
	case Diagonal:
		return outputs, 1
	}
	return 1, outputs
}

// Kernel is a symmetric positive semi-definite block-diagonal matrix, held as its blocks, all of the same size.
type Kernel []*mat.SymDense

// Rows returns the number of rows of all blocks together.
func (k Kernel) Rows() int {
	rows := 0
	for _, b := range k {
		rows += b.SymmetricDim()
	}
	return rows
}

// FormOf returns the form of a kernel, which it infers from the number and size of the blocks. With one output all forms are
// the same, and FormOf returns Full. It returns an error if no form fits.
func (k Kernel) FormOf(images, outputs int) (Form, error) {
	for f := range Form(len(formNames)) {
		blocks, rows := f.Layout(outputs)
		other := func(b *mat.SymDense) bool { return b.SymmetricDim() != images*rows }
		if len(k) == blocks && !slices.ContainsFunc(k, other) {
			return f, nil
		}
	}
	return 0, fmt.Errorf("kernels: %d blocks of %d rows for %d images and %d outputs", len(k), k.Rows(), images, outputs)
}

// Independent returns the kernel of k independent outputs that all have the same kernel of images, n × n. The blocks of a
// diagonal kernel all share this matrix.
func (f Form) Independent(one *mat.SymDense, outputs int) Kernel {
	blocks, rows := f.Layout(outputs)
	if rows == 1 {
		return slices.Repeat(Kernel{one}, blocks)
	}
	n := one.SymmetricDim()
	all := mat.NewSymDense(n*rows, nil)
	for i := range n {
		for j := i; j < n; j++ {
			for c := range rows {
				all.SetSym(i*rows+c, j*rows+c, one.At(i, j))
			}
		}
	}
	return Kernel{all}
}

// Vectors returns values, images × outputs, as the vectors that the blocks of a kernel multiply, one a row: a single vector
// of all values for a full kernel, and one vector for each output for the other forms.
func (f Form) Vectors(values *mat.Dense) *mat.Dense {
	images, outputs := values.Dims()
	if f == Full {
		return mat.NewDense(1, images*outputs, mat.DenseCopyOf(values).RawMatrix().Data)
	}
	return mat.DenseCopyOf(values.T())
}

// Values converts vectors to values, images × outputs. It is the inverse of [Form.Vectors].
func (f Form) Values(vectors *mat.Dense, outputs int) *mat.Dense {
	if f == Full {
		_, n := vectors.Dims()
		return mat.NewDense(n/outputs, outputs, mat.DenseCopyOf(vectors).RawMatrix().Data)
	}
	return mat.DenseCopyOf(vectors.T())
}

// Each calls do with every block b and the range first ≤ i < last of rows of [Form.Vectors] that it multiplies: in a diagonal
// kernel the row of the block's output, otherwise all rows.
func (f Form) Each(outputs int, do func(b, first, last int)) {
	blocks, _ := f.Layout(outputs)
	vectors := outputs
	if f == Full {
		vectors = 1
	}
	for b := range blocks {
		do(b, b*vectors/blocks, (b+1)*vectors/blocks)
	}
}

// Times returns Θ(x, z)α for each of several α of images z: values for images x. Each α and each result is images × outputs.
// The blocks of Θ(x, z) have a row for each x and a column for each z or, in the full kernel, for each of their outputs. In
// the full kernel every output depends on the α of all outputs, in the other forms only on its own.
func (f Form) Times(blocks []*mat.Dense, alphas ...*mat.Dense) []*mat.Dense {
	if len(alphas) == 0 {
		return nil
	}
	_, outputs := alphas[0].Dims()
	rows, columns := blocks[0].Dims()
	vectors := make([]*mat.Dense, len(alphas))
	for i, alpha := range alphas {
		vectors[i] = f.Vectors(alpha)
	}
	products := make([][]float64, len(alphas)) // for each α the resulting vectors, one after another
	f.Each(outputs, func(b, first, last int) {
		each := last - first
		right := mat.NewDense(len(alphas)*each, columns, nil)
		for i, v := range vectors {
			right.Slice(i*each, (i+1)*each, 0, columns).(*mat.Dense).Copy(v.Slice(first, last, 0, columns))
		}
		var out mat.Dense
		out.Mul(right, blocks[b].T())
		for i := range alphas {
			products[i] = append(products[i], out.RawMatrix().Data[i*each*rows:(i+1)*each*rows]...)
		}
	})
	all := make([]*mat.Dense, len(alphas))
	for i, p := range products {
		all[i] = f.Values(mat.NewDense(len(p)/rows, rows, p), outputs)
	}
	return all
}
