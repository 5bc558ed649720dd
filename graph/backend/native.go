//go:build native && cgo

package backend

/*
#cgo pkg-config: openblas
#cgo CFLAGS: -O3 -fopenmp -Wall -ffast-math
#cgo LDFLAGS: -ldnnl -lgomp -lm
#include "native.h"
#include <oneapi/dnnl/dnnl.h>
void openblas_set_num_threads(int);
int openblas_get_num_threads(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/netlib/blas/netlib"
)

func init() {
	blas64.Use(netlib.Implementation{}) // gonum, too, multiplies its matrices with OpenBLAS
	forgetProcessor()
}

// forgetProcessor removes the processor that native_env.c has chosen from the environment, when OpenBLAS has read it: a job
// that this process submits may run on an older processor. The name in small letters tells it from a user's choice.
func forgetProcessor() {
	const variable = "OPENBLAS_CORETYPE"
	if p := os.Getenv(variable); p == "skylakex" || p == "haswell" {
		os.Unsetenv(variable)
	}
}

func nativeVersion() string {
	v := C.dnnl_version()
	config := strings.Fields(C.GoString(C.openblas_get_config()))
	return fmt.Sprintf("oneDNN %d.%d.%d, %s for %s", v.major, v.minor, v.patch,
		strings.Join(config[:min(2, len(config))], " "), C.GoString(C.openblas_get_corename()))
}

// HasBF16 reports whether [Options.BF16] works with this build and processor.
func HasBF16() bool { return C.nn_has_bf16() != 0 }

func setBLASThreads(n int) { C.openblas_set_num_threads(C.int(n)) }

func blasThreads() int { return int(C.openblas_get_num_threads()) }

func openNative(threads int, bf16 bool) (*Device, error) {
	if bf16 && !HasBF16() {
		return nil, ErrNoBF16
	}
	single := &native{
		pure:  pure[float32]{threads: threads},
		convs: map[convKey]*C.conv{},
		bf16:  bf16,
	}
	single.pure.gemm = single.Gemm
	w := newThread(func() { C.threads_set(C.int(threads)) })
	if err := w.do(func() error { return status("engine", C.nn_new(&single.nn, flag(bf16))) }); err != nil {
		w.close()
		return nil, err
	}
	return &Device{
		name: "native", threads: threads, worker: w, bf16: bf16,
		f32:     single,
		f64:     &pure[float64]{threads: threads, gemm: openblasDgemm},
		release: single.free,
	}, nil
}

func openblasDgemm(transA, transB bool, m, n, k int, a, b []float64, beta float64, c []float64) {
	ta, lda := transpose(transA, m, k)
	tb, ldb := transpose(transB, k, n)
	netlib.Implementation{}.Dgemm(ta, tb, m, n, k, 1, a, lda, b, ldb, beta, c, n)
}

func status(what string, s C.int) error {
	if s == 0 {
		return nil
	}
	return fmt.Errorf("backend: oneDNN %s: status %d", what, int(s))
}

// native is the float32 engine on oneDNN and vectorised loops in C. It inherits the other methods from the Go engine.
type native struct {
	pure[float32]
	nn    *C.nn
	convs map[convKey]*C.conv
	bf16  bool
}

// convKey identifies a oneDNN convolution. Preparing one takes milliseconds, so the engine keeps them.
type convKey struct {
	kind       C.int
	shape      ConvShape
	bias, relu bool
}

func (e *native) conv(k convKey) (*C.conv, error) {
	if c, ok := e.convs[k]; ok {
		return c, nil
	}
	s := k.shape
	shape := nativeConv(s)
	var c *C.conv
	if st := C.conv_new(e.nn, k.kind, &shape, flag(k.bias), flag(k.relu), &c); st != 0 {
		if c != nil {
			C.conv_free(c)
		}
		return nil, status(fmt.Sprintf("convolution of %d×%d×%d×%d with %d filters of %d×%d",
			s.N, s.H, s.W, s.C, s.Filters, s.KH, s.KW), st)
	}
	e.convs[k] = c
	return c, nil
}

func nativeConv(s ConvShape) C.conv_shape {
	return C.conv_shape{
		n: C.int64_t(s.N), h: C.int64_t(s.H), w: C.int64_t(s.W), c: C.int64_t(s.C),
		filters: C.int64_t(s.Filters), kh: C.int64_t(s.KH), kw: C.int64_t(s.KW),
		sh: C.int64_t(s.StrideH), sw: C.int64_t(s.StrideW), ph: C.int64_t(s.PadH), pw: C.int64_t(s.PadW),
		dh: C.int64_t(s.DilateH), dw: C.int64_t(s.DilateW), groups: C.int64_t(s.Groups),
	}
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (e *native) free() {
	for _, c := range e.convs {
		C.conv_free(c)
	}
	C.nn_free(e.nn)
}

func ptr(x []float32) *C.float { return (*C.float)(unsafe.SliceData(x)) }

func (e *native) run(k convKey, src, filters, bias, dst []float32) error {
	c, err := e.conv(k)
	if err != nil {
		return err
	}
	return status("convolution", C.conv_run(e.nn, c, ptr(src), ptr(filters), ptr(bias), ptr(dst)))
}

func (e *native) Convolve(s ConvShape, x, w, bias []float32, relu bool, y []float32) error {
	return e.run(convKey{C.CONV_FORWARD, s, bias != nil, relu}, x, w, bias, y)
}

func (e *native) ConvolveData(s ConvShape, w, dy, dx []float32) error {
	return e.run(convKey{kind: C.CONV_DATA, shape: s}, dx, w, nil, dy)
}

func (e *native) ConvolveWeights(s ConvShape, x, dy, dw []float32) error {
	return e.run(convKey{kind: C.CONV_WEIGHTS, shape: s}, x, dw, nil, dy)
}

// smallBF16 is the size of matrices up to which rounding them to bfloat16 costs more time than it saves.
const smallBF16 = 32

func (e *native) Gemm(transA, transB bool, m, n, k int, a, b []float32, beta float32, c []float32) {
	ta, lda := nativeTranspose(transA, m, k)
	tb, ldb := nativeTranspose(transB, k, n)
	if e.bf16 && min(m, n, k) > smallBF16 {
		if s := C.nn_gemm_bf16(e.nn, ta, tb, C.int64_t(m), C.int64_t(n), C.int64_t(k), ptr(a), ptr(b), C.float(beta),
			ptr(c)); s != 0 {
			panic(status(fmt.Sprintf("matrix product %d×%d×%d in bfloat16", m, n, k), s))
		}
		return
	}
	if s := C.nn_gemm(ta, tb, C.int64_t(m), C.int64_t(n), C.int64_t(k), ptr(a), lda, ptr(b), ldb, C.float(beta), ptr(c),
		C.int64_t(n)); s != 0 {
		panic(status(fmt.Sprintf("matrix product %d×%d×%d", m, n, k), s))
	}
}

// Gram computes panels of rows of C, each from the diagonal on: little more than half the work of a full product.
func (e *native) Gram(n int, a []float32, beta float32, c []float32) {
	rows := len(a) / n
	for i := 0; i < n; i += gramPanel {
		m := min(gramPanel, n-i)
		if s := C.nn_gemm('T', 'N', C.int64_t(m), C.int64_t(n-i), C.int64_t(rows), ptr(a[i:]), C.int64_t(n), ptr(a[i:]),
			C.int64_t(n), C.float(beta), ptr(c[i*n+i:]), C.int64_t(n)); s != 0 {
			panic(status(fmt.Sprintf("product of a matrix %d×%d with itself", rows, n), s))
		}
	}
}

// GemmBatch divides the matrices among the threads.
func (e *native) GemmBatch(transA, transB bool, batch, m, n, k int, a, b, c []float32) {
	ta, lda := nativeTranspose(transA, m, k)
	tb, ldb := nativeTranspose(transB, k, n)
	if s := C.nn_gemm_batch(C.int64_t(batch), ta, tb, C.int64_t(m), C.int64_t(n), C.int64_t(k), ptr(a), lda, ptr(b), ldb,
		ptr(c)); s != 0 {
		panic(status(fmt.Sprintf("%d matrix products %d×%d×%d", batch, m, n, k), s))
	}
}

func nativeTranspose(trans bool, rows, cols int) (C.char, C.int64_t) {
	if trans {
		return 'T', C.int64_t(rows)
	}
	return 'N', C.int64_t(cols)
}

// Pack implements [Packer].
func (e *native) Pack(x, packed []float32) { C.bf16_pack(C.int64_t(len(x)), ptr(x), ptr(packed)) }

// Unpack implements [Packer].
func (e *native) Unpack(packed, x []float32) { C.bf16_unpack(C.int64_t(len(x)), ptr(packed), ptr(x)) }

func (e *native) Elementwise(c *Chain, operands [][]float32, cols int, dst []float32) {
	e.ElementwisePacked(c, 0, operands, cols, dst)
}

// ElementwisePacked implements [Packer].
func (e *native) ElementwisePacked(c *Chain, packed uint32, operands [][]float32, cols int, dst []float32) {
	var o [MaxOperands]*C.float
	for i, x := range operands {
		o[i] = ptr(x)
	}
	C.ew_run((*C.ew_instr)(unsafe.Pointer(&c.Instrs[0])), C.int(len(c.Instrs)), C.int64_t(len(dst)),
		C.int64_t(cols), ptr(dst), C.uint32_t(packed),
		o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9])
}

func (e *native) SumRows(x, dst []float32)    { e.reduce(x, nil, nil, dst) }
func (e *native) DotRows(x, y, dst []float32) { e.reduce(x, y, nil, dst) }
func (e *native) VarRows(x, mean, dst []float32) {
	e.reduce(x, nil, mean, dst)
}

func (e *native) DotCols(x, y, dst []float32) {
	C.cols_dot(C.int64_t(len(dst)), C.int64_t(len(x)/len(dst)), ptr(x), ptr(y), ptr(dst))
}

func (e *native) SumCols(x, dst []float32) {
	C.cols_sum(C.int64_t(len(dst)), C.int64_t(len(x)/len(dst)), ptr(x), ptr(dst))
}

func (e *native) reduce(x, y, mean, dst []float32) {
	C.rows_reduce(C.int64_t(len(x)), C.int64_t(len(dst)), ptr(x), ptr(y), ptr(mean), ptr(dst))
}

func (e *native) Dot(x, y, dst []float32) {
	dst[0] = float32(C.dot(C.int64_t(len(x)), ptr(x), ptr(y)))
}

func poolShape(w *Windows) C.pool_shape {
	return C.pool_shape{
		n: C.int64_t(w.N), h: C.int64_t(w.H), w: C.int64_t(w.W), c: C.int64_t(w.C),
		rows: C.int64_t(len(w.Rows)), cols: C.int64_t(len(w.Cols)),
	}
}

// spans passes spans to C, which reads each as a triple of integers.
func spans(s []Span) *C.int64_t { return (*C.int64_t)(unsafe.Pointer(&s[0])) }

func (e *native) ArgMax(w *Windows, x []float32, idx []int32) {
	s := poolShape(w)
	C.pool_argmax(&s, spans(w.Rows), spans(w.Cols), ptr(x), (*C.int32_t)(&idx[0]))
}

func (e *native) Gather(w *Windows, idx []int32, x, y []float32) {
	C.pool_gather(C.int64_t(w.N), C.int64_t(w.InSize()), C.int64_t(w.OutSize()), (*C.int32_t)(&idx[0]),
		ptr(x), ptr(y))
}

func (e *native) Scatter(w *Windows, idx []int32, dy, dx []float32) {
	C.pool_scatter(C.int64_t(w.N), C.int64_t(w.InSize()), C.int64_t(w.OutSize()), (*C.int32_t)(&idx[0]),
		ptr(dy), ptr(dx))
}

func (e *native) Average(w *Windows, x, y []float32) {
	s := poolShape(w)
	C.pool_average(&s, spans(w.Rows), spans(w.Cols), ptr(x), ptr(y))
}

func (e *native) Spread(w *Windows, dy, dx []float32) {
	s := poolShape(w)
	C.pool_spread(&s, spans(w.Rows), spans(w.Cols), ptr(dy), ptr(dx))
}

// smallMatrix is the number of elements up to which a matrix and its transpose
// stay in the caches together.
const smallMatrix = 1 << 16

func (e *native) Transpose(batch, rows, cols int, x, dst []float32) {
	if rows == 1 || cols == 1 || rows*cols > smallMatrix {
		e.pure.Transpose(batch, rows, cols, x, dst) // copies, or transposes square by square
		return
	}
	C.transpose(C.int64_t(batch), C.int64_t(rows), C.int64_t(cols), ptr(x), ptr(dst))
}

func (e *native) DescendMomentum(s Momentum, w, g, v []float32) {
	C.descend_momentum((*C.momentum_step)(unsafe.Pointer(&s)), C.int64_t(len(w)), ptr(w), ptr(g), ptr(v))
}

func (e *native) DescendAdam(s Adam, w, g, m, v []float32) {
	C.descend_adam((*C.adam_step)(unsafe.Pointer(&s)), C.int64_t(len(w)), ptr(w), ptr(g), ptr(m), ptr(v))
}

func (e *native) DescendAdadelta(s Adadelta, w, g, squares, steps []float32) {
	C.descend_adadelta((*C.adadelta_step)(unsafe.Pointer(&s)), C.int64_t(len(w)), ptr(w), ptr(g),
		ptr(squares), ptr(steps))
}
