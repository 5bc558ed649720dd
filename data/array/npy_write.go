package array

import (
	"io"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
)

// WriteNPY writes a matrix as an NPY file of float64, whole or not at all.
func WriteNPY(path string, m mat.Matrix) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error { return npyio.Write(w, mat.DenseCopyOf(m)) })
}
