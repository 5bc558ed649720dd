//go:build !native || !cgo

package backend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// EigenbasisBytes returns the memory that [NewEigenbasis] needs in addition to a matrix of n rows: next to none, since
// the eigenvectors overwrite the matrix.
func EigenbasisBytes(n int) int64 { return 8 * 100 * int64(n) }

// eigenvectors are V, one per column.
type eigenvectors struct{ vectors blas64.General }

// decompose overwrites the matrix by its eigenvectors, one per column.
func (e *Eigenbasis) decompose(ctx context.Context, raw blas64.Symmetric, _ func(float64)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	work := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, raw, e.Values, work, -1)
	work = make([]float64, int(work[0]))
	if !lapack64.Syev(lapack.EVCompute, raw, e.Values, work, len(work)) {
		return fmt.Errorf("%w (%d×%d)", ErrEigen, raw.N, raw.N)
	}
	e.vectors = blas64.General{Rows: raw.N, Cols: raw.N, Stride: raw.Stride, Data: raw.Data}
	return nil
}

// transform returns XV, or XVᵀ unless forward.
func (e *Eigenbasis) transform(x *mat.Dense, forward bool) *mat.Dense {
	rows, n := x.Dims()
	out, trans := mat.NewDense(rows, n, nil), blas.Trans
	if forward {
		trans = blas.NoTrans
	}
	blas64.Gemm(blas.NoTrans, trans, 1, x.RawMatrix(), e.vectors, 0, out.RawMatrix())
	return out
}
