//go:build native && cgo

package backend

// #include "native.h"
import "C"

import "unsafe"

func (e *native) RowMatMul(m, k, n int, a, s, b, dst []float32) {
	C.row_matmul(C.int64_t(len(dst)/(m*n)), C.int64_t(m), C.int64_t(k), C.int64_t(n), ptr(a), ptr(s), ptr(b), ptr(dst))
}

func (e *native) SumSets(sets *Sets, x, dst []float32) {
	C.sets_sum(C.int64_t(sets.Len()), C.int64_t(len(dst)/sets.Len()), indices(sets.starts), indices(sets.rows),
		ptr(x), ptr(dst))
}

func (e *native) Patches(s ConvShape, x, p []float32) {
	n := nativeConv(s)
	C.patches_write(&n, C.int64_t(s.OutH()), C.int64_t(s.OutW()), ptr(x), ptr(p))
}

func indices(x []int32) *C.int32_t { return (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(x))) }
