// Matrix products, with either operand transposed.

#define DOWN 8
#define DEPTH 8
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

// read_quad reads elements that are neighbours in memory.
FUNCTION void read_quad(const GLOBAL real *x, int count, int whole, real *q) {
	if (whole) {
		Quad all = *(const GLOBAL Quad *)x;
		UNROLL for (int r = 0; r < 4; r++) q[r] = all.v[r];
	} else {
		UNROLL for (int r = 0; r < 4; r++) if (r < count) q[r] = x[r];
	}
}

#define MATRICES IN(real, a), IN(real, b), OUT(real, c), real beta
#define USE_MATRICES \
	USE_IN(real, a); \
	USE_IN(real, b); \
	USE_OUT(real, c)
#define STORE_MATRIX(i, j, v) \
	index to = batch * m * n + (i) * n + (j); \
	c[to] = beta == 0 ? (v) : (v) + beta * c[to]

#define NAME gemm_nn
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ALONG_K 1
#define A_FIXED_T index
#define A_FIXED(i) ((batch * m + (i)) * depth)
#define A_QUAD(fixed, i, k) read_quad(a + fixed + (k), count, whole, q)
#define B_ALONG_K 0
#define B_FIXED_T index
#define B_FIXED(j) (batch * depth * n + (j))
#define B_QUAD(fixed, j, k) read_quad(b + fixed + (k) * n, count, whole, q)
#include "tile.cl"

#define NAME gemm_nt
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ALONG_K 1
#define A_FIXED_T index
#define A_FIXED(i) ((batch * m + (i)) * depth)
#define A_QUAD(fixed, i, k) read_quad(a + fixed + (k), count, whole, q)
#define B_ALONG_K 1
#define B_FIXED_T index
#define B_FIXED(j) ((batch * n + (j)) * depth)
#define B_QUAD(fixed, j, k) read_quad(b + fixed + (k), count, whole, q)
#include "tile.cl"

#define NAME gemm_tn
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ALONG_K 0
#define A_FIXED_T index
#define A_FIXED(i) (batch * m * depth + (i))
#define A_QUAD(fixed, i, k) read_quad(a + fixed + (k) * m, count, whole, q)
#define B_ALONG_K 0
#define B_FIXED_T index
#define B_FIXED(j) (batch * depth * n + (j))
#define B_QUAD(fixed, j, k) read_quad(b + fixed + (k) * n, count, whole, q)
#include "tile.cl"

#define NAME gemm_tt
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ALONG_K 0
#define A_FIXED_T index
#define A_FIXED(i) (batch * m * depth + (i))
#define A_QUAD(fixed, i, k) read_quad(a + fixed + (k) * m, count, whole, q)
#define B_ALONG_K 1
#define B_FIXED_T index
#define B_FIXED(j) ((batch * n + (j)) * depth)
#define B_QUAD(fixed, j, k) read_quad(b + fixed + (k), count, whole, q)
#include "tile.cl"

// Products of the rows of a, m×k, and of b, k×n, as matrices. With s, rows of a are multiplied by it first.
KERNEL void row_matmul(IN(real, a), IN(real, s), int scaled, IN(real, b), OUT(real, dst), index rows, index m, index k,
	index n) {
	USE_IN(real, a);
	USE_IN(real, s);
	USE_IN(real, b);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at >= rows * m * n) return;
	index row = at / (m * n), i = at / n % m, j = at % n;
	real sum = 0;
	for (index l = 0; l < k; l++) {
		real v = a[(row * m + i) * k + l];
		if (scaled) v *= s[i * k + l];
		sum += v * b[(row * k + l) * n + j];
	}
	dst[at] = sum;
}
