package record

import (
	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"gonum.org/v1/gonum/mat"
)

// ReadLargeMatrix reads a matrix from an NPY file of at most limit bytes, as ansatz writes it: row
// by row. A file of another form is an [*input.Error].
func ReadLargeMatrix(path string, limit int64) (*mat.Dense, error) {
	a, err := array.ReadLargeNPY(path, limit)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Len() == 0 || a.Fortran {
		return nil, input.Errorf("%s has the shape %v: want a matrix, row by row, as ansatz writes them", path, a.Shape)
	}
	return mat.NewDense(a.Shape[0], a.Shape[1], a.Float64s()), nil
}

// ReadMatrix is [ReadLargeMatrix] with the usual limit, [array.MaxBytes].
func ReadMatrix(path string) (*mat.Dense, error) { return ReadLargeMatrix(path, array.MaxBytes) }
