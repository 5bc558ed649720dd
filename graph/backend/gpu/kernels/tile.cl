// A product C = A·B. This file is included once for every kind of product, which defines:
//
//	NAME               the name of the kernels: NAME_128, NAME_64 and NAME_32 are for so many columns at a time, and NAME_end
//	                   adds up splits
//	OPERANDS, USE      the parameters of the operands, and their use
//	STORE(i, j, v)     writes an element of C
//	A_ALONG_K, B_ALONG_K    1 where neighbours along k are neighbours in memory, 0 where those along the row or column are
//	A_FIXED_T, A_FIXED(i)   what row i, or the four from i on, has in common for all k; likewise B_FIXED_T, B_FIXED(j)
//	A_QUAD(fixed, i, k)     reads element (i, k) and its next count - 1 neighbours in memory into q; likewise B_QUAD. If
//	                   whole, count is 4, and they are a Quad
//
// There are several products side by side, of which batch is the current one. The sum over k may be split among groups,
// whose sums go to part and are added up in their order.

#define ACROSS 8
#define TILE JOIN(NAME, _128)
#include "tile_body.cl"

#define ACROSS 4
#define TILE JOIN(NAME, _64)
#include "tile_body.cl"

#define ACROSS 2
#define TILE JOIN(NAME, _32)
#include "tile_body.cl"

KERNEL void JOIN(NAME, _end)(OPERANDS, index m, index n, index depth, index splits, index each, int upper, int a_whole,
	int b_whole, OUT(real, part)) {
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
#undef A_FIXED_T
#undef A_FIXED
#undef A_QUAD
#undef A_ALONG_K
#undef B_FIXED_T
#undef B_FIXED
#undef B_QUAD
#undef B_ALONG_K
