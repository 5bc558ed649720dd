// Matrix products, with either operand transposed.

#define DOWN 4
#define DEPTH 16
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

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
#define A_ROW_T index
#define A_ROW(i) (batch * m * depth + (index)(i) * depth)
#define A_K_T index
#define A_K(k) ((k))
#define A_AT(row, k) a[row + k]
#define A_ALONG_K 1
#define B_COL_T index
#define B_COL(j) (batch * depth * n + (j))
#define B_K_T index
#define B_K(k) ((index)(k) * n)
#define B_AT(col, k) b[col + k]
#define B_ALONG_K 0
#include "tile.cl"

#define NAME gemm_nt
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ROW_T index
#define A_ROW(i) (batch * m * depth + (index)(i) * depth)
#define A_K_T index
#define A_K(k) ((k))
#define A_AT(row, k) a[row + k]
#define A_ALONG_K 1
#define B_COL_T index
#define B_COL(j) (batch * depth * n + (index)(j) * depth)
#define B_K_T index
#define B_K(k) ((k))
#define B_AT(col, k) b[col + k]
#define B_ALONG_K 1
#include "tile.cl"

#define NAME gemm_tn
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ROW_T index
#define A_ROW(i) (batch * m * depth + (i))
#define A_K_T index
#define A_K(k) ((index)(k) * m)
#define A_AT(row, k) a[row + k]
#define A_ALONG_K 0
#define B_COL_T index
#define B_COL(j) (batch * depth * n + (j))
#define B_K_T index
#define B_K(k) ((index)(k) * n)
#define B_AT(col, k) b[col + k]
#define B_ALONG_K 0
#include "tile.cl"

#define NAME gemm_tt
#define OPERANDS MATRICES
#define USE USE_MATRICES
#define STORE STORE_MATRIX
#define A_ROW_T index
#define A_ROW(i) (batch * m * depth + (i))
#define A_K_T index
#define A_K(k) ((index)(k) * m)
#define A_AT(row, k) a[row + k]
#define A_ALONG_K 0
#define B_COL_T index
#define B_COL(j) (batch * depth * n + (index)(j) * depth)
#define B_K_T index
#define B_K(k) ((k))
#define B_AT(col, k) b[col + k]
#define B_ALONG_K 1
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
