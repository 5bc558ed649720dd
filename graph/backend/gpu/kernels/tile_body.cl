// The kernel TILE of tile.cl: a group of 16×16 work items computes a tile of C of 16·DOWN rows and 16·ACROSS columns, from
// panels of A and B in local memory. There are two of each: while one is used, every work item reads a quad of the next.
// A work item computes DOWN×ACROSS elements, which lie in blocks of 4 rows and SIDE columns.

#define ROWS (16 * DOWN)
#define COLS (16 * ACROSS)
#define SIDE (ACROSS < 4 ? ACROSS : 4)

KERNEL_OF(16, 16) void TILE(OPERANDS, index m, index n, index depth, index splits, index each, int upper, int a_whole,
	int b_whole, OUT(real, part)) {
	USE;
	USE_OUT(real, part);
	LOCAL Quad as[2][DEPTH][ROWS / 4 + 1];
	LOCAL Quad bs[2][DEPTH][COLS / 4 + 1];
	int tx = ITEM(0), ty = ITEM(1), item = ty * 16 + tx;
	index i0 = (index)GROUP(0) * ROWS, j0 = (index)GROUP(1) * COLS; // GPUs have few groups along the second axis
	index batch = GROUP(2) / splits, split = GROUP(2) % splits;
	if (upper && i0 >= j0 + COLS) return; // below the diagonal

	// Where the quads of the work item are in the panels.
	int ai = A_ALONG_K ? item / (DEPTH / 4) : item % (ROWS / 4) * 4, ak = A_ALONG_K ? item % (DEPTH / 4) * 4 : item / (ROWS / 4);
	int bj = B_ALONG_K ? item / (DEPTH / 4) : item % (COLS / 4) * 4, bk = B_ALONG_K ? item % (DEPTH / 4) * 4 : item / (COLS / 4);
	int reads_b = item < COLS * DEPTH / 4;
	A_FIXED_T a_fixed = A_FIXED(i0 + ai < m ? i0 + ai : 0);
	B_FIXED_T b_fixed = B_FIXED(j0 + bj < n ? j0 + bj : 0);
	Quad mine_a, mine_b;

	real sum[DOWN][ACROSS];
	UNROLL for (int down = 0; down < DOWN; down++)
		UNROLL for (int across = 0; across < ACROSS; across++) sum[down][across] = 0;
	index start = split * each, end = start + each < depth ? start + each : depth;
	int now = 1;
	for (index k0 = start - DEPTH; k0 < end; k0 += DEPTH, now ^= 1) {
		index next = k0 + DEPTH;
		if (next < end) {
			index beyond_i = m - i0 - ai, beyond_j = n - j0 - bj, beyond_a = end - next - ak, beyond_b = end - next - bk;
			mine_a.v[0] = mine_a.v[1] = mine_a.v[2] = mine_a.v[3] = mine_b.v[0] = mine_b.v[1] = mine_b.v[2] = mine_b.v[3] = 0;
			if (beyond_i > 0 && beyond_a > 0) {
				index left = A_ALONG_K ? beyond_a : beyond_i;
				int count = left < 4 ? left : 4, whole = a_whole;
				real *q = mine_a.v;
				A_QUAD(a_fixed, i0 + ai, next + ak);
			}
			if (reads_b && beyond_j > 0 && beyond_b > 0) {
				index left = B_ALONG_K ? beyond_b : beyond_j;
				int count = left < 4 ? left : 4, whole = b_whole;
				real *q = mine_b.v;
				B_QUAD(b_fixed, j0 + bj, next + bk);
			}
		}
		if (k0 >= start) {
			UNROLL for (int k = 0; k < DEPTH; k++) {
				real ar[DOWN], br[ACROSS];
				UNROLL for (int block = 0; block < DOWN / 4; block++) {
					Quad q = as[now][k][block * 16 + ty];
					UNROLL for (int r = 0; r < 4; r++) ar[4 * block + r] = q.v[r];
				}
				if (SIDE == 4) {
					UNROLL for (int block = 0; block < ACROSS / 4; block++) {
						Quad q = bs[now][k][block * 16 + tx];
						UNROLL for (int r = 0; r < 4; r++) br[4 * block + r] = q.v[r];
					}
				} else {
					UNROLL for (int r = 0; r < ACROSS; r++) br[r] = bs[now][k][(ACROSS * tx + r) / 4].v[(ACROSS * tx + r) % 4];
				}
				UNROLL for (int down = 0; down < DOWN; down++)
					UNROLL for (int across = 0; across < ACROSS; across++) sum[down][across] += ar[down] * br[across];
			}
		}
		if (next < end) {
			if (A_ALONG_K) {
				UNROLL for (int r = 0; r < 4; r++) as[now ^ 1][ak + r][ai / 4].v[ai % 4] = mine_a.v[r];
			} else {
				as[now ^ 1][ak][ai / 4] = mine_a;
			}
			if (reads_b && B_ALONG_K) {
				UNROLL for (int r = 0; r < 4; r++) bs[now ^ 1][bk + r][bj / 4].v[bj % 4] = mine_b.v[r];
			} else if (reads_b) {
				bs[now ^ 1][bk][bj / 4] = mine_b;
			}
		}
		BARRIER;
	}
	UNROLL for (int down = 0; down < DOWN; down++) {
		UNROLL for (int across = 0; across < ACROSS; across++) {
			index i = i0 + down / 4 * 64 + ty * 4 + down % 4, j = j0 + across / SIDE * 64 + tx * SIDE + across % SIDE;
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
#undef SIDE
#undef ACROSS
#undef TILE
