//go:build native && cgo

package backend

// OpenBLAS contains LAPACK. Its eigenvalue solvers divide and conquer, while gonum has only the
// slower QR iteration.

// void dpotrf_(char *uplo, int *n, double *a, int *lda, int *info);
// void dsyevd_(char *jobz, char *uplo, int *n, double *a, int *lda, double *w, double *work, int *lwork, int *iwork,
// int *liwork, int *info);
// void dsyevd_2stage_(char *jobz, char *uplo, int *n, double *a, int *lda, double *w, double *work, int *lwork,
// int *iwork, int *liwork, int *info);
import "C"

// twoStages is the size from which LAPACK finds the eigenvalues alone faster by way of a band matrix: in half the time
// at 3072.
const twoStages = 1024

// cholesky overwrites the upper half of the symmetric n×n matrix a by U with
// UᵀU = a. OpenBLAS divides the matrix in halves and keeps all cores busy.
func cholesky(n, stride int, a []float64) bool {
	lower, order, lead, info := C.char('L'), C.int(n), C.int(stride), C.int(0) // LAPACK's columns are our rows
	C.dpotrf_(&lower, &order, (*C.double)(&a[0]), &lead, &info)
	return info == 0
}

// eigenSym overwrites the symmetric n×n matrix a by its eigenvectors, one per
// row.
func eigenSym(n int, a, values []float64, vectors bool) bool {
	job, lower := C.char('N'), C.char('L')
	if vectors {
		job = 'V'
	}
	order, info := C.int(n), C.int(0)
	run := func(work []float64, lwork C.int, iwork []C.int, liwork C.int) bool {
		if !vectors && n >= twoStages {
			C.dsyevd_2stage_(&job, &lower, &order, (*C.double)(&a[0]), &order, (*C.double)(&values[0]),
				(*C.double)(&work[0]), &lwork, &iwork[0], &liwork, &info)
			return info == 0
		}
		C.dsyevd_(&job, &lower, &order, (*C.double)(&a[0]), &order, (*C.double)(&values[0]), (*C.double)(&work[0]),
			&lwork, &iwork[0], &liwork, &info)
		return info == 0
	}
	work, iwork := make([]float64, 1), make([]C.int, 1)
	if !run(work, -1, iwork, -1) { // queries the size of the work space
		return false
	}
	work, iwork = make([]float64, int(work[0])), make([]C.int, int(iwork[0]))
	return run(work, C.int(len(work)), iwork, C.int(len(iwork)))
}
