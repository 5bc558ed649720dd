// Package backend does the numeric work behind the ops of package graph.
//
// [Open] returns a [Device], and [EngineOf] its [Engine] for a type of numbers, which
// has all operations. This package has two implementations of Engine: pure Go on
// gonum's BLAS, and, with the build tag native, oneDNN and OpenBLAS through
// cgo for float32 (for float64 only the matrix products use OpenBLAS). Package
// gpu has a third. They agree to rounding, which the conformance suite of
// package graph checks.
//
// Images are laid out channels last, (image, row, column, channel), so that
// every array that belongs to a layer is also a matrix of rows × channels, and
// a bias, a batch norm or a Gram matrix of channels is an operation on the
// rows of that matrix. Filters stay in PyTorch's order,
// (filter, channel, row, column).
package backend

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend/kernel"
)

// Float is the type of the numbers in a graph.
type Float interface{ float32 | float64 }

// Engine has the numeric operations for one element type. Slices are dense and have exactly the elements of the shapes;
// callers check shapes, engines do not. Unless a method says otherwise, dst must not overlap the operands.
//
// An engine belongs to its [Device]: its methods run inside [Device.Do].
type Engine[T Float] interface {
	// Gemm computes C = op(A)·op(B) + beta·C for row-major A, B and C, where
	// op(A) is m×k, op(B) is k×n and op transposes when its flag is set.
	Gemm(transA, transB bool, m, n, k int, a, b []T, beta T, c []T)

	// Gram computes C = AᵀA + beta·C for row-major A with n columns. The elements of C, n×n, below its diagonal are
	// undefined.
	Gram(n int, a []T, beta T, c []T)

	// Convolve computes y = w ∗ x (+ bias, one per filter, unless nil), then the
	// ReLU of that if relu is set.
	Convolve(s ConvShape, x, w, bias []T, relu bool, y []T) error
	// ConvolveData computes dx, the adjoint of Convolve in x, applied to dy.
	ConvolveData(s ConvShape, w, dy, dx []T) error
	// ConvolveWeights computes dw, the adjoint of Convolve in w, applied to dy.
	ConvolveWeights(s ConvShape, x, dy, dw []T) error

	// Elementwise runs a chain of elementwise instructions over len(dst)
	// elements, in rows of cols. dst may be the same slice as an operand.
	Elementwise(c *Chain, operands [][]T, cols int, dst []T)

	// RowMatMul reads the rows of a as matrices m×k and those of b as matrices k×n, and writes their products to the
	// rows of dst. If s is not nil, it first multiplies every row of a by s, element by element.
	RowMatMul(m, k, n int, a, s, b, dst []T)
	// SumSets computes, for every set, the sum of its rows of x; rows have len(dst)/sets.Len() elements.
	SumSets(sets *Sets, x, dst []T)

	// SumRows computes dst[j] = Σᵢ x[i,j]; len(dst) is the row length.
	SumRows(x, dst []T)
	// DotRows computes dst[j] = Σᵢ x[i,j]·y[i,j].
	DotRows(x, y, dst []T)
	// VarRows computes dst[j] = Σᵢ (x[i,j] − mean[j])² / rows.
	VarRows(x, mean, dst []T)
	// DotCols computes dst[i] = Σⱼ x[i,j]·y[i,j]; len(dst) is the number of rows.
	DotCols(x, y, dst []T)
	// SumCols computes dst[i] = Σⱼ x[i,j]; len(dst) is the number of rows.
	SumCols(x, dst []T)
	// Dot computes dst[0] = Σ x[i]·y[i].
	Dot(x, y, dst []T)

	// SumMiddle computes dst[i,j] = Σₖ x[i,k,j] for x of outer×n×inner elements.
	SumMiddle(outer, n, inner int, x, dst []T)
	// GemmBatch computes C = op(A)·op(B) for batch pairs of matrices, stored one after another.
	GemmBatch(transA, transB bool, batch, m, n, k int, a, b, c []T)

	// NormaliseRows computes (x − mean)/√(var + eps) of every row of cols, with the variance divided by cols.
	NormaliseRows(cols int, eps float64, x, dst []T)
	// RowScales computes 1/√(var + eps) of every row; len(dst) is the number of rows.
	RowScales(eps float64, x, dst []T)

	// TakeView computes y[i₀,i₁,…] = x[Σₖ Axes[k][iₖ]].
	TakeView(v *View, x, y []T)
	// PutView computes its adjoint. Elements of x that the view does not read become fill, which must be 0 if the
	// view reads an element twice.
	PutView(v *View, y []T, fill T, x []T)

	// ArgMax finds, for every window and channel, the largest element, as its
	// offset within the image. The first of equals wins, and a NaN wins over
	// numbers, as in PyTorch.
	ArgMax(w *Windows, x []T, idx []int32)
	// Gather computes y[n,i] = x[n, idx[n,i]], with idx from ArgMax.
	Gather(w *Windows, idx []int32, x, y []T)
	// Scatter computes its adjoint, dx[n, idx[n,i]] += dy[n,i] from zero.
	Scatter(w *Windows, idx []int32, dy, dx []T)
	// Average computes the mean over every window, with the windows' divisors.
	Average(w *Windows, x, y []T)
	// Spread computes its adjoint.
	Spread(w *Windows, dy, dx []T)

	// SumDifferences computes dst[i,j] = Σₖ c[i,k]·w[j,k]·f(u[i,k] − v[j,k]);
	// c and w may be nil, for ones.
	SumDifferences(s Differences, u, v, c, w, dst []T)
	// WeighDifferences computes dst[i,k] = Σⱼ p[i,j]·w[j,k]·f(u[i,k] − v[j,k]),
	// where p holds p[j,i] if trans is set; w may be nil, for ones.
	WeighDifferences(s Differences, trans bool, p, u, v, w, dst []T)

	// LogSumExp computes dst[i] = log Σⱼ exp x[i,j] for rows of cols.
	LogSumExp(cols int, x, dst []T)
	// Softmax computes the softmax of every row of cols.
	Softmax(cols int, x, dst []T)

	// Concat writes outer blocks to dst. Each block holds an equal part of every operand, in their order.
	Concat(outer int, operands [][]T, dst []T)

	// Transpose writes the transposes of the batch matrices in x, row-major and
	// rows×cols each.
	Transpose(batch, rows, cols int, x, dst []T)
	// Patches writes the patches that a convolution of shape s reads, one per
	// row, ordered (channel, row, column), zero where they overhang.
	Patches(s ConvShape, x, p []T)
	// Fold computes its adjoint.
	Fold(s ConvShape, p, dx []T)

	// DescendMomentum, DescendAdam and DescendAdadelta do one step of an optimiser
	// and update w and the state in place; all are as long as the gradient g.
	DescendMomentum(s Momentum, w, g, v []T)
	DescendAdam(s Adam, w, g, m, v []T)
	DescendAdadelta(s Adadelta, w, g, squares, steps []T)
}

// Kernels names the instruction set of the pure Go backend's innermost loops: AVX-512,
// AVX2, or portable for loops without assembly.
func Kernels() string { return kernel.Fastest.Name }

// Device is a backend with a number of threads, on which graphs run. Graphs on different devices may run at the same
// time.
type Device struct {
	name    string
	threads int
	f32     Engine[float32]
	f64     Engine[float64] // nil if the device cannot compute in float64
	worker  worker
	release func()
	bf16    bool
	memory  Memory // nil if the engines work in host memory
	model   string // the name of the hardware
}

// Options says which device to open. The zero value is the best backend of this build on
// all the cores that Go may use.
type Options struct {
	// Backend is "native", "go", "gpu", or "" for [Default].
	Backend string
	// Threads is the number of threads, 0 for runtime.GOMAXPROCS(0).
	Threads int
	// BF16 rounds the operands of convolutions and matrix products to bfloat16, with sums in float32, and lets graphs
	// keep values in bfloat16 between uses. It needs the native backend and a processor with bfloat16 instructions, else
	// Open returns [ErrNoBF16]. It changes neither Gram matrices, nor batches of products, nor computations in float64.
	BF16 bool
}

// Packer rounds float32 to bfloat16, to the nearest, ties to even, and back.
type Packer interface {
	// Pack writes x to packed, of [PackedLen](len(x)) elements, two numbers in place of one.
	Pack(x, packed []float32)
	// Unpack writes the numbers in packed to x.
	Unpack(packed, x []float32)
	// ElementwisePacked is [Engine.Elementwise] with packed operands: those k with packed>>k&1 = 1. The chain must not
	// read them as vectors.
	ElementwisePacked(c *Chain, packed uint32, operands [][]float32, cols int, dst []float32)
}

// PackedLen returns the number of float32 that hold n packed numbers.
func PackedLen(n int) int { return (n + 1) / 2 }

// Packer returns the packer with which graphs keep values in bfloat16, nil unless Open was called with [Options.BF16].
func (d *Device) Packer() Packer {
	if !d.bf16 {
		return nil
	}
	return d.f32.(Packer)
}

// Native reports whether oneDNN and OpenBLAS are built in.
func Native() bool { return nativeVersion() != "" }

// Version returns the versions of the native backend's libraries and the processor whose code OpenBLAS uses, such as
// "oneDNN 2.6.3, OpenBLAS 0.3.21 for Haswell". It returns "" without the native backend.
func Version() string { return nativeVersion() }

// Default returns the name of the backend that "" stands for: the value of the environment variable ANSATZ_BACKEND, else
// native if it is built in, else go.
func Default() string {
	if name := os.Getenv("ANSATZ_BACKEND"); name != "" {
		return name
	}
	if Native() {
		return "native"
	}
	return "go"
}

// Open opens a device. [Device.Close] frees its thread and memory.
func Open(o Options) (*Device, error) {
	if o.Threads < 0 {
		return nil, fmt.Errorf("backend: %d threads: want 1 or more, or 0 for all cores", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Backend == "" {
		o.Backend = Default()
	}
	switch {
	case o.Backend == "native":
		return openNative(o.Threads, o.BF16)
	case o.BF16:
		return nil, ErrNoBF16
	case o.Backend == "go":
		return openPure(o.Threads), nil
	}
	if open := drivers[o.Backend]; open != nil {
		return open(o.Threads)
	}
	names := append([]string{"native", "go"}, slices.Sorted(maps.Keys(drivers))...)
	return nil, fmt.Errorf("backend: unknown backend %q: there are %s", o.Backend, strings.Join(names, ", "))
}

// ErrNoNative is returned by [Open] for the native backend where it is not built in.
var ErrNoNative = errors.New(
	"backend: this binary was built without oneDNN and OpenBLAS: build it with make (or -tags native), or ask for " +
		"the backend go")

// ErrNoBF16 is returned by [Open] if the backend or the processor does not support bfloat16.
var ErrNoBF16 = errors.New(
	"backend: bfloat16 needs the native backend (make, or -tags native) and a processor with AVX512-BF16 or AMX: " +
		"compute in float32")

// Name returns "native", "go" or "gpu".
func (d *Device) Name() string { return d.name }

// Threads returns the number of threads of the device.
func (d *Device) Threads() int { return d.threads }

// Float32 returns the single precision engine.
func (d *Device) Float32() Engine[float32] { return d.f32 }

// Float64 returns the double precision engine, nil if the device cannot compute in float64.
func (d *Device) Float64() Engine[float64] { return d.f64 }

// Do runs f, which may use the device's engines, and waits for it. A panic in f becomes an error. Calls run one after
// another; f must not call Do of the same device.
func (d *Device) Do(f func() error) error { return d.worker.do(f) }

// Close ends the device. It must not be used afterwards.
func (d *Device) Close() {
	d.worker.close()
	if d.release != nil {
		d.release()
	}
}

// EngineOf returns the device's engine for T, nil if the device cannot compute in T.
func EngineOf[T Float](d *Device) Engine[T] {
	var e any = d.f32
	if _, double := any(T(0)).(float64); double {
		e = d.f64
	}
	engine, _ := e.(Engine[T])
	return engine
}
