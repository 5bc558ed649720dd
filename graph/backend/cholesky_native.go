//go:build native && cgo

package backend

// void dpotrf_(char *uplo, int *n, double *a, int *lda, int *info);
import "C"

// cholesky overwrites the upper half of the symmetric n×n matrix a by U with
// UᵀU = a. It is LAPACK's in OpenBLAS, which divides the matrix in halves and
// keeps all cores busy.
func cholesky(n, stride int, a []float64) bool {
	lower, order, lead, info := C.char('L'), C.int(n), C.int(stride), C.int(0) // LAPACK's columns are our rows
	C.dpotrf_(&lower, &order, (*C.double)(&a[0]), &lead, &info)
	return info == 0
}
