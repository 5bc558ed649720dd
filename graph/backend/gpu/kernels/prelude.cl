// What differs between OpenCL C and CUDA C. REAL is the type of the numbers, WIDE that in which sums are added up; both are
// given when the program is built. A KERNEL_OF(x, y) runs in groups of x×y work items.

#ifdef __CUDACC_RTC__
#define KERNEL extern "C" __global__
#define KERNEL_OF(x, y) extern "C" __global__ __launch_bounds__((x) * (y))
#define FUNCTION static __device__
#define GLOBAL
#define LOCAL __shared__
#define LOCAL_POINTER(type) type *
#define AXIS_0 x
#define AXIS_1 y
#define AXIS_2 z
#define GROUP(axis) blockIdx.AXIS_##axis
#define ITEM(axis) threadIdx.AXIS_##axis
#define BARRIER __syncthreads()
#define ALIGNED(n) __align__(n)
#define UNROLL _Pragma("unroll")
#else
#if defined(cl_khr_fp64) && !defined(cl_khr_fp64_enabled)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define KERNEL __kernel
#define KERNEL_OF(x, y) __kernel __attribute__((reqd_work_group_size(x, y, 1)))
#define FUNCTION static
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER(type) __local type *
#define GROUP(axis) get_group_id(axis)
#define ITEM(axis) get_local_id(axis)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ALIGNED(n) __attribute__((aligned(n)))
#define UNROLL
#endif

typedef REAL real;
typedef WIDE wide;
typedef long index;

// Quad is four neighbours in memory, which are read at once.
typedef struct ALIGNED(16) {
	real v[4];
} Quad;

// An operand is a buffer and the element of it at which the operand begins.
#define IN(type, x) const GLOBAL type *x##_buffer, index x##_from
#define OUT(type, x) GLOBAL type *x##_buffer, index x##_from
#define USE_IN(type, x) const GLOBAL type *x = x##_buffer + x##_from
#define USE_OUT(type, x) GLOBAL type *x = x##_buffer + x##_from

// Kernels along one axis run in groups of LANE work items.
#define LANE 64
#define LINEAR ((index)GROUP(0) * LANE + ITEM(0))

// Conv is the geometry of a convolution.
typedef struct {
	int n, h, w, c, filters, kh, kw, sh, sw, ph, pw, dh, dw, groups, oh, ow;
} Conv;

// SATURATED is where tanh is 1 to the last bit.
#define SATURATED (sizeof(real) == 4 ? (real)9.1 : (real)19.1)
