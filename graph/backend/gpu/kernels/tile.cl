// A product C = A·B of which a group of 16×16 work items computes a tile of SIDE×SIDE, from panels of A and B in local
// memory. The file is included once for every kind of product, which defines:
//
//	NAME            the name of the kernel; NAME_end adds up its splits
//	OPERANDS, USE   the parameters of the operands, and their use
//	A_AT(i, k), B_AT(k, j)   the elements of A and B
//	STORE(i, j, v)  writes an element of C
//	A_ALONG_K, B_ALONG_K     1 where neighbours along k are neighbours in memory
//
// There are several products side by side, of which batch is the current one. The sum over k may be split among groups,
// whose sums go to part and are added up in their order.

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

KERNEL void NAME(OPERANDS, index m, index n, index depth, index splits, index each, int upper, OUT(real, part)) {
	USE;
	USE_OUT(real, part);
	LOCAL real as[DEPTH][SIDE + 1];
	LOCAL real bs[DEPTH][SIDE + 1];
	int tx = ITEM(0), ty = ITEM(1), at = ty * 16 + tx;
	index i0 = (index)GROUP(1) * SIDE, j0 = (index)GROUP(0) * SIDE;
	index batch = GROUP(2) / splits, split = GROUP(2) % splits;
	if (upper && i0 >= j0 + SIDE) return; // below the diagonal
	real sum[EACH][EACH];
	for (int down = 0; down < EACH; down++)
		for (int across = 0; across < EACH; across++) sum[down][across] = 0;
	index end = (split + 1) * each < depth ? (split + 1) * each : depth;
	for (index k0 = split * each; k0 < end; k0 += DEPTH) {
		for (int e = 0; e < SIDE * DEPTH; e += 256) {
			int place = at + e;
			int ka = A_ALONG_K ? place % DEPTH : place / SIDE, i = A_ALONG_K ? place / DEPTH : place % SIDE;
			int kb = B_ALONG_K ? place % DEPTH : place / SIDE, j = B_ALONG_K ? place / DEPTH : place % SIDE;
			as[ka][i] = i0 + i < m && k0 + ka < end ? A_AT(i0 + i, k0 + ka) : 0;
			bs[kb][j] = j0 + j < n && k0 + kb < end ? B_AT(k0 + kb, j0 + j) : 0;
		}
		BARRIER;
		for (int k = 0; k < DEPTH; k++) {
			real bk[EACH];
			for (int across = 0; across < EACH; across++) bk[across] = bs[k][tx + 16 * across];
			for (int down = 0; down < EACH; down++) {
				real ak = as[k][ty + 16 * down];
				for (int across = 0; across < EACH; across++) sum[down][across] += ak * bk[across];
			}
		}
		BARRIER;
	}
	for (int down = 0; down < EACH; down++) {
		for (int across = 0; across < EACH; across++) {
			index i = i0 + ty + 16 * down, j = j0 + tx + 16 * across;
			if (i >= m || j >= n) continue;
			if (splits > 1) {
				part[((index)GROUP(2) * m + i) * n + j] = sum[down][across];
			} else {
				STORE(i, j, sum[down][across]);
			}
		}
	}
}

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
#undef A_AT
#undef B_AT
#undef STORE
#undef A_ALONG_K
#undef B_ALONG_K
