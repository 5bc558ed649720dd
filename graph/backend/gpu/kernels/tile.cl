// A product C = A·B. This file is included once for every kind of product, which defines:
//
//	NAME            the name of the kernel; NAME_narrow is for few columns, and NAME_end adds up splits
//	OPERANDS, USE   the parameters of the operands, and their use
//	STORE(i, j, v)  writes an element of C
//	A_ROW_T, A_ROW(i), A_K_T, A_K(k), A_AT(row, k)    the elements of A, and
//	B_COL_T, B_COL(j), B_K_T, B_K(k), B_AT(col, k)    those of B: what of their places belongs to a row or column,
//	                which is found once, what to a place in the sum, and the element at both
//	A_ALONG_K, B_ALONG_K     1 where neighbours along k are neighbours in memory
//
// There are several products side by side, of which batch is the current one. The sum over k may be split among groups,
// whose sums go to part and are added up in their order.

#define ACROSS 4
#define TILE NAME
#include "tile_body.cl"

#define ACROSS 1
#define TILE JOIN(NAME, _narrow)
#include "tile_body.cl"

KERNEL void JOIN(NAME, _end)(OPERANDS, index m, index n, index depth, index splits, index each, int upper, OUT(real, part)) {
	USE;
	USE_OUT(real, part);
	index at = LINEAR, batch = GROUP(2);
	if (at >= m * n) return;
	index i = at / n, j = at % n;
	wide sum = 0;
	for (index s = 0; s < splits; s++) sum += part[(batch * splits + s) * m * n + at];
	if (upper && i > j) return;
	STORE(i, j, (real)sum);
}

#undef NAME
#undef OPERANDS
#undef USE
#undef STORE
#undef A_ROW_T
#undef A_ROW
#undef A_K_T
#undef A_K
#undef A_AT
#undef A_ALONG_K
#undef B_COL_T
#undef B_COL
#undef B_K_T
#undef B_K
#undef B_AT
#undef B_ALONG_K
