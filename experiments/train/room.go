package train

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/words"
	"github.com/ansatz-lab/ansatz/models/kernels"
)

// KernelRoom holds the sizes that decide whether copies of a network's weights and a kernel of
// images fit into memory.
type KernelRoom struct {
	Parameters, Outputs int
	Width               float64 // of the network
	Copies              int     // number of arrays as large as the weights, these included
	Images              int     // of the kernel; 0 if there is none
	Form                kernels.Form
	Layers              int     // number of layers' kernels beside it, with a row for each image
	Element             float64 // bytes for an element of the kernel, with its copies and workspace
	Flag                string  // the flag that sets the number of images, for errors
}

// Bytes needed at most for an element of a kernel: for the kernel itself, another kernel, the copy that is decomposed
// and LAPACK's workspace. The eigenvectors for the pseudo-inverse of a singular kernel need five times as much
// besides.
const (
	ValuesElement  = 8 * 4
	VectorsElement = 8 * 6
)

// Bytes returns the bytes of the weights and of the kernel together.
func (r KernelRoom) Bytes() float64 {
	return r.fixed() + float64(r.Images)*float64(r.Images)*r.pair()
}

// pair returns the bytes that a pair of images needs in the kernel and in the layers' kernels.
func (r KernelRoom) pair() float64 {
	blocks, rows := r.Form.Layout(r.Outputs)
	return float64(blocks)*float64(rows)*float64(rows)*r.Element + 8*float64(r.Layers)
}

// fixed returns the bytes that do not depend on the number of images.
func (r KernelRoom) fixed() float64 { return 4 * float64(r.Parameters) * float64(r.Copies) }

// Check returns an error if the weights and the kernel do not fit into have bytes; the error suggests what would fit.
// 0 bytes stands for no limit.
func (r KernelRoom) Check(have int64) error {
	need := r.Bytes()
	if have == 0 || need <= float64(have) {
		return nil
	}
	what := fmt.Sprintf("a network of %d weights, with its gradients and the optimiser's state,", r.Parameters)
	if r.Images > 0 {
		what = fmt.Sprintf("the %s kernel of %s × %s in %d weights", r.Form, words.Count(r.Images, "image"),
			words.Count(r.Outputs, "output"), r.Parameters)
	}
	return input.Errorf("%s needs about %s, but %s are free: %s", what, words.Bytes(need), words.Bytes(have),
		r.suggest(float64(have)))
}

// suggest says what would fit: fewer images; fewer outputs, if even one image has too many; or a smaller width, if the
// weights alone are too many. The number of weights grows with the square of the width.
func (r KernelRoom) suggest(have float64) string {
	if left := have - r.fixed(); left > 0 && r.Images > 0 {
		if n := math.Floor(math.Sqrt(left / r.pair())); n >= 1 {
			return fmt.Sprintf("%s %.0f would fit", r.Flag, n)
		}
		return fmt.Sprintf("an image of %.0f outputs would fit, with fewer classes", math.Floor(math.Sqrt(left/r.Element)))
	}
	return "--width " + roundDown(r.Width*math.Sqrt(have/2/r.fixed())) + " would fit"
}

// roundDown writes a number above 0 rounded down to two digits.
func roundDown(v float64) string {
	last := int(math.Floor(math.Log10(v))) - 1 // power of ten of the last digit
	unit := math.Pow(10, float64(last))
	return strconv.FormatFloat(math.Floor(v/unit)*unit, 'f', max(0, -last), 64)
}
