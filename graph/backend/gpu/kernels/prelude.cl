// What differs between OpenCL C and CUDA C. REAL is the type of the numbers, WIDE that in which sums are added up; both are
// given when the program is built.

#if defined(cl_khr_fp64) && !defined(cl_khr_fp64_enabled)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define KERNEL __kernel
#define FUNCTION static
#define GLOBAL __global
#define LOCAL __local
#define LOCAL_POINTER(type) __local type *
#define GROUP(axis) get_group_id(axis)
#define ITEM(axis) get_local_id(axis)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

typedef REAL real;
typedef WIDE wide;
typedef long index;

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
