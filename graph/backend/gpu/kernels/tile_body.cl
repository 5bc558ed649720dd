// The kernel TILE of tile.cl: a group of 16×16 work items computes a tile of C of 16·DOWN rows and 16·ACROSS columns, from
// panels of A and B in local memory, which all of them read. A work item reads A_LOADS and B_LOADS elements of each panel.

#define ROWS (16 * DOWN)
#define COLS (16 * ACROSS)
#define A_LOADS (ROWS * DEPTH / 256)
#define B_LOADS (COLS * DEPTH / 256)

KERNEL void TILE(OPERANDS, index m, index n, index depth, index splits, index each, int upper, OUT(real, part)) {
	USE;
	USE_OUT(real, part);
	LOCAL real as[DEPTH][ROWS + 1];
	LOCAL real bs[DEPTH][COLS + 1];
	int tx = ITEM(0), ty = ITEM(1), item = ty * 16 + tx;
	index i0 = (index)GROUP(0) * ROWS, j0 = (index)GROUP(1) * COLS; // GPUs have few groups along the second axis
	index batch = GROUP(2) / splits, split = GROUP(2) % splits;
	if (upper && i0 >= j0 + COLS) return; // below the diagonal
	A_ROW_T rows[A_LOADS];
	B_COL_T cols[B_LOADS];
	for (int e = 0; e < A_LOADS; e++) {
		index i = i0 + (A_ALONG_K ? (item + 256 * e) / DEPTH : (item + 256 * e) % ROWS);
		rows[e] = A_ROW(i < m ? i : 0);
	}
	for (int e = 0; e < B_LOADS; e++) {
		index j = j0 + (B_ALONG_K ? (item + 256 * e) / DEPTH : (item + 256 * e) % COLS);
		cols[e] = B_COL(j < n ? j : 0);
	}
	real sum[DOWN][ACROSS];
	for (int down = 0; down < DOWN; down++)
		for (int across = 0; across < ACROSS; across++) sum[down][across] = 0;
	index end = (split + 1) * each < depth ? (split + 1) * each : depth;
	for (index k0 = split * each; k0 < end; k0 += DEPTH) {
		for (int e = 0; e < A_LOADS; e++) {
			int place = item + 256 * e;
			int k = A_ALONG_K ? place % DEPTH : place / ROWS, i = A_ALONG_K ? place / DEPTH : place % ROWS;
			real v = 0;
			if (i0 + i < m && k0 + k < end) {
				A_K_T at = A_K(k0 + k);
				v = A_AT(rows[e], at);
			}
			as[k][i] = v;
		}
		for (int e = 0; e < B_LOADS; e++) {
			int place = item + 256 * e;
			int k = B_ALONG_K ? place % DEPTH : place / COLS, j = B_ALONG_K ? place / DEPTH : place % COLS;
			real v = 0;
			if (j0 + j < n && k0 + k < end) {
				B_K_T at = B_K(k0 + k);
				v = B_AT(cols[e], at);
			}
			bs[k][j] = v;
		}
		BARRIER;
		for (int k = 0; k < DEPTH; k++) {
			real bk[ACROSS];
			for (int across = 0; across < ACROSS; across++) bk[across] = bs[k][tx + 16 * across];
			for (int down = 0; down < DOWN; down++) {
				real ak = as[k][ty + 16 * down];
				for (int across = 0; across < ACROSS; across++) sum[down][across] += ak * bk[across];
			}
		}
		BARRIER;
	}
	for (int down = 0; down < DOWN; down++) {
		for (int across = 0; across < ACROSS; across++) {
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

#undef ROWS
#undef COLS
#undef A_LOADS
#undef B_LOADS
#undef ACROSS
#undef TILE
