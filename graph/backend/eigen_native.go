//go:build native && cgo

package backend

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// void dlatrd_(char *uplo, int *n, int *nb, double *a, int *lda, double *e, double *tau, double *w, int *ldw);
// void dsytd2_(char *uplo, int *n, double *a, int *lda, double *d, double *e, double *tau, int *info);
// void dstedc_(char *compz, int *n, double *d, double *e, double *z, int *ldz, double *work, int *lwork, int *iwork,
// int *liwork, int *info);
// void dormtr_(char *side, char *uplo, char *trans, int *m, int *n, double *a, int *lda, double *tau, double *c,
// int *ldc, double *work, int *lwork, int *info);
import "C"

// EigenbasisBytes returns the memory that [NewEigenbasis] needs in addition to a matrix of n rows: the eigenvectors of
// the tridiagonal matrix, and as much work space.
func EigenbasisBytes(n int) int64 { return 16 * int64(n) * int64(n) }

// eigenvectors are V = QS.
type eigenvectors struct {
	vectors blas64.General // Sᵀ, one eigenvector per row
	reflections
}

// reflections are Q, n×n: a product of reflections below the diagonal of a, in LAPACK's order.
type reflections struct {
	a, tau []float64
	stride int
}

// The number of columns that are made tridiagonal at a time, and the largest number that are done one by one at the end.
const (
	tridiagonalPanel = 32
	tridiagonalLast  = 64
)

// tridiagonalShare is the fraction of the time that making a large matrix tridiagonal takes.
const tridiagonalShare = .9

// decompose is LAPACK's dsyevd without the product of Q and the eigenvectors. LAPACK's columns are our rows.
func (e *Eigenbasis) decompose(ctx context.Context, raw blas64.Symmetric, progress func(float64)) error {
	n := raw.N
	e.reflections = reflections{raw.Data, make([]float64, n), raw.Stride}
	off := make([]float64, n)
	if err := e.tridiagonal(ctx, raw, off, progress); err != nil {
		return err
	}
	e.vectors = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	work, iwork := make([]float64, 1+4*n+n*n), make([]C.int, 3+5*n)
	all, order, info := C.char('I'), C.int(n), C.int(0)
	size, isize := C.int(len(work)), C.int(len(iwork))
	C.dstedc_(&all, &order, (*C.double)(&e.Values[0]), (*C.double)(&off[0]), (*C.double)(&e.vectors.Data[0]), &order,
		(*C.double)(&work[0]), &size, &iwork[0], &isize, &info)
	if info != 0 {
		return fmt.Errorf("%w (%d×%d)", ErrEigen, n, n)
	}
	return nil
}

// tridiagonal overwrites the matrix by Q, as LAPACK's dsytrd does, and sets the diagonal of QᵀAQ, e.Values, and the
// elements beside it, off. Between panels of columns it reports progress and checks the context.
func (e *Eigenbasis) tridiagonal(ctx context.Context, raw blas64.Symmetric, off []float64,
	progress func(float64)) error {
	n, ld := raw.N, raw.Stride
	lower, lead, at := C.char('L'), C.int(ld), 0
	pointer := func(x []float64, k int) *C.double { return (*C.double)(&x[k]) }
	w := blas64.General{Rows: tridiagonalPanel, Cols: n, Stride: n, Data: make([]float64, tridiagonalPanel*n)}
	for ; n-at > tridiagonalLast; at += tridiagonalPanel {
		if err := ctx.Err(); err != nil {
			return err
		}
		left, panel, wide := C.int(n-at), C.int(tridiagonalPanel), C.int(n)
		C.dlatrd_(&lower, &left, &panel, pointer(raw.Data, at*ld+at), &lead, pointer(off, at), pointer(e.tau, at),
			pointer(w.Data, 0), &wide)
		rest := at + tridiagonalPanel
		v := blas64.General{Rows: tridiagonalPanel, Cols: n - rest, Stride: ld, Data: raw.Data[at*ld+rest:]}
		u := blas64.General{Rows: tridiagonalPanel, Cols: n - rest, Stride: n, Data: w.Data[tridiagonalPanel:]}
		blas64.Syr2k(blas.Trans, -1, v, u, 1, blas64.Symmetric{Uplo: blas.Upper, N: n - rest, Stride: ld,
			Data: raw.Data[rest*ld+rest:]})
		for j := at; j < rest; j++ {
			raw.Data[j*ld+j+1], e.Values[j] = off[j], raw.Data[j*ld+j]
		}
		done := 1 - float64(n-rest)/float64(n)
		progress(tridiagonalShare * (1 - (1-done)*(1-done)*(1-done)))
	}
	left, info := C.int(n-at), C.int(0)
	C.dsytd2_(&lower, &left, pointer(raw.Data, at*ld+at), &lead, pointer(e.Values, at), pointer(off, at),
		pointer(e.tau, at), &info)
	return nil
}

// transform returns XV, or XVᵀ unless forward.
func (e *Eigenbasis) transform(x *mat.Dense, forward bool) *mat.Dense {
	rows, n := x.Dims()
	out := mat.NewDense(rows, n, nil)
	if forward {
		in := mat.DenseCopyOf(x)
		e.reflect(in.RawMatrix(), 'T')
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, in.RawMatrix(), e.vectors, 0, out.RawMatrix())
		return out
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x.RawMatrix(), e.vectors, 0, out.RawMatrix())
	e.reflect(out.RawMatrix(), 'N')
	return out
}

// reflect multiplies the rows of x by Q, or by Qᵀ if trans is T. The rows must be contiguous.
func (e *Eigenbasis) reflect(x blas64.General, trans C.char) {
	left, lower, n, vectors, lead, info := C.char('L'), C.char('L'), C.int(x.Cols), C.int(x.Rows), C.int(e.stride), C.int(0)
	run := func(work []float64, size C.int) {
		C.dormtr_(&left, &lower, &trans, &n, &vectors, (*C.double)(&e.a[0]), &lead, (*C.double)(&e.tau[0]),
			(*C.double)(&x.Data[0]), &n, (*C.double)(&work[0]), &size, &info)
	}
	work := make([]float64, 1)
	run(work, -1) // queries the size of the work space
	work = make([]float64, max(1, int(work[0])))
	run(work, C.int(len(work)))
}
