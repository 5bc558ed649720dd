//go:build native && cgo

// Loops over large arrays that the C compiler vectorises. Work is divided
// among threads statically and sums are added up in the order of the threads,
// so that the same thread count gives the same bits.
#include "native.h"
#include "native_bf16.h"
#include "native_clones.h"
#include "native_math.h"
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

// A result may overwrite an operand, element by element.
#define EACH _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)
#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 1024, MAXCHAIN = 8, OPERANDS = 10, REPEATED = 128 };
enum {
	ADD, SUB, MUL, MASK, RELU, TANH, SCALE, SHIFT, RSQRT, EXP, POWER, CLAMP, ARCCOS0, ARCCOS1, ATLEAST,
	SIGMOID, SOFTPLUS, ERF, LOG, SQRT, INVERSE, POW, SIN, COS, GREATER, LESS, MAX,
	ROWFILL, ROWADD, ROWMUL, ROWAFFINE, SCALARMUL, SCALARFILL, COLMUL, COLFILL, DISTANCE
};

// Only Go's threads may get signals, because they handle them on separate stacks.
// oneDNN's matrix products let the stack pointer of OpenMP's threads point into
// the heap, which the frame of a handler (a profiler's, say) would overwrite.
static void signals_block(void) {
	sigset_t set;
	sigfillset(&set);
	for (int fault = 0; fault < 4; fault++) sigdelset(&set, (int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL}[fault]);
	pthread_sigmask(SIG_BLOCK, &set, 0);
}

// The environment may say that OpenMP takes fewer threads than it is told (OMP_THREAD_LIMIT, OMP_DYNAMIC), or one
// (OMP_MAX_ACTIVE_LEVELS=0). oneDNN waits for ever for threads that are missing.
void threads_set(int n) {
	int most = omp_get_thread_limit();
	omp_set_dynamic(0);
	if (omp_get_max_active_levels() < 1) omp_set_max_active_levels(1);
	omp_set_num_threads(n < most ? n : most);
#pragma omp parallel
	if (omp_get_thread_num() > 0) signals_block();
}

// aᵏ where a > 0, else 0. The exponents that distances need do not use powf.
INLINE void power(int64_t n, float *o, const float *a, float k) {
	if (k == .5f) EACH { float v = a[i]; o[i] = sqrtf(v <= 0 ? 0 : v); } // keeps a NaN
	else if (k == -1) EACH { float v = a[i], r = 1 / (v <= 0 ? 1 : v); o[i] = v <= 0 ? 0 : r; }
	else if (k == -2) EACH { float v = a[i], r = 1 / (v <= 0 ? 1 : v); o[i] = v <= 0 ? 0 : r * r; }
	else if (k == -.5f) EACH { float v = a[i], r = 1 / sqrtf(v <= 0 ? 1 : v); o[i] = v <= 0 ? 0 : r; }
	else if (k == -1.5f) EACH { float v = a[i], r = 1 / sqrtf(v <= 0 ? 1 : v); o[i] = v <= 0 ? 0 : r * r * r; }
	else EACH o[i] = a[i] <= 0 ? 0 : powf(a[i], k);
}

INLINE void plain(int code, int64_t n, float *o, const float *a, const float *b, float k) {
	switch (code) {
	case ADD: EACH o[i] = a[i] + b[i]; break;
	case SUB: EACH o[i] = a[i] - b[i]; break;
	case MUL: EACH o[i] = a[i] * b[i]; break;
	case MASK: EACH { float v = b[i]; o[i] = a[i] > 0 ? v : 0; } break; // loading b[i] first avoids a branch
	case RELU: EACH o[i] = a[i] <= 0 ? 0 : a[i]; break; // keeps a NaN
	case SCALE: EACH o[i] = k * a[i]; break;
	case SHIFT: EACH o[i] = a[i] + k; break;
	case TANH: EACH o[i] = tanhf(a[i]); break;
	case RSQRT: EACH o[i] = 1 / sqrtf(a[i]); break;
	case EXP: EACH o[i] = exp32(a[i]); break;
	case POWER: power(n, o, a, k); break;
	case CLAMP: EACH { float v = a[i]; v = v >= 1 - k ? 1 : v; o[i] = v <= k - 1 ? -1 : v; } break;
	case ARCCOS0: EACH o[i] = 1 - acos32(a[i]) * (float)M_1_PI; break;
	case ARCCOS1: EACH {
		float t = a[i];
		o[i] = sqrtf(positive(1 - t * t)) * (float)M_1_PI + t * b[i];
	} break;
	case ATLEAST: EACH { float v = a[i]; o[i] = v < k * b[i] ? 0 : v; } break; // keeps a NaN
	case SIGMOID: EACH o[i] = 1 / (1 + exp32(-a[i])); break;
	case SOFTPLUS: EACH { float v = a[i]; o[i] = positive(v) + log1pf(exp32(-fabsf(v))); } break;
	case ERF: EACH o[i] = erff(a[i]); break;
	case LOG: EACH o[i] = logf(a[i]); break;
	case SQRT: EACH o[i] = sqrtf(a[i]); break;
	case INVERSE: EACH o[i] = 1 / a[i]; break;
	case POW: EACH o[i] = powf(a[i], k); break;
	case SIN: EACH o[i] = sinf(a[i]); break;
	case COS: EACH o[i] = cosf(a[i]); break;
	case GREATER: EACH { float v = a[i]; o[i] = v < k ? k : v; } break; // keeps a NaN
	case LESS: EACH { float v = a[i]; o[i] = v > k ? k : v; } break;
	case MAX: EACH { float v = a[i], u = b[i]; o[i] = (v < u) | (u != u) ? u : v; } break; // keeps a NaN
	}
}

INLINE void segment(int code, int64_t n, float *o, const float *a, const float *v, const float *w, float k) {
	switch (code) {
	case ROWFILL: memcpy(o, v, n * sizeof *o); break;
	case ROWADD: EACH o[i] = a[i] + v[i]; break;
	case ROWMUL: EACH o[i] = a[i] * v[i]; break;
	case ROWAFFINE: EACH o[i] = a[i] * v[i] + w[i]; break;
	case SCALARMUL:
	case COLMUL: EACH o[i] = a[i] * v[0]; break;
	case SCALARFILL:
	case COLFILL: EACH o[i] = v[0]; break;
	case DISTANCE: EACH {
		float both = v[0] + w[i], d = both + a[i];
		o[i] = d < k * both ? 0 : d; // keeps a NaN
	} break;
	}
}

// Runs a vector instruction on n elements from lo on, row by row.
INLINE void vectors(int code, int64_t lo, int64_t n, int64_t cols, float *o, const float *a, const float *v, const float *w, float k) {
	if (code == SCALARMUL || code == SCALARFILL) {
		segment(code, n, o, a, v, 0, k);
		return;
	}
	int64_t row = lo / cols, c = lo % cols;
	for (int64_t done = 0; done < n; row++, c = 0) {
		int64_t len = cols - c < n - done ? cols - c : n - done;
		segment(code, len, o + done, a ? a + done : 0, code >= COLMUL ? v + row : v + c, w ? w + c : 0, k);
		done += len;
	}
}

static int is_row(int code) { return code >= ROWFILL && code <= ROWAFFINE; }
static int is_vector(int code) { return code >= ROWFILL && code <= DISTANCE; }

// Repeats a short row vector so that the loops over a row are long enough.
static const float *repeat(const float *v, int64_t cols, int64_t wide, float *room) {
	if (!v) return 0;
	for (int64_t i = 0; i < wide; i++) room[i] = v[i % cols];
	return room;
}

// elements returns n elements of operand k from lo on. It unpacks them to room if they are packed.
INLINE const float *elements(const float *const *in, uint32_t packed, int k, int64_t lo, int64_t n, float *room) {
	if (!(packed >> k & 1)) return in[k] + lo;
	bf16_unpack_block(n, (const uint16_t *)in[k] + lo, room);
	return room;
}

CLONES void ew_range(const ew_instr *p, int count, int64_t cols, float *dst, uint32_t packed, const float *const *in, int64_t lo,
	int64_t hi) {
	float room[MAXCHAIN][BLOCK] __attribute__((aligned(64)));
	float unpacked[2][BLOCK] __attribute__((aligned(64)));
	float rows[MAXCHAIN][2][REPEATED];
	const float *v[MAXCHAIN], *w[MAXCHAIN];
	int64_t wide[MAXCHAIN];
	for (int i = 0; i < count; i++) {
		wide[i] = cols, v[i] = w[i] = 0;
		if (!is_vector(p[i].code)) continue;
		v[i] = in[p[i].v];
		if (p[i].code == ROWAFFINE || p[i].code == DISTANCE) w[i] = in[p[i].w];
		if (is_row(p[i].code) && cols < REPEATED / 2) {
			wide[i] = REPEATED / cols * cols;
			v[i] = repeat(v[i], cols, wide[i], rows[i][0]);
			w[i] = repeat(w[i], cols, wide[i], rows[i][1]);
		}
	}
	for (; lo < hi; lo += BLOCK) {
		int64_t n = hi - lo < BLOCK ? hi - lo : BLOCK;
		for (int i = 0; i < count; i++) {
			const ew_instr q = p[i];
			float *o = i == count - 1 ? dst + lo : room[i];
			const float *a = q.a < 0 ? room[~q.a] : elements(in, packed, q.a, lo, n, unpacked[0]);
			const float *b = q.b < 0 ? room[~q.b] : elements(in, packed, q.b, lo, n, unpacked[1]);
			if (is_vector(q.code)) vectors(q.code, lo, n, wide[i], o, a, v[i], w[i], (float)q.k);
			else plain(q.code, n, o, a, b, (float)q.k);
		}
	}
}

void ew_run(const ew_instr *p, int count, int64_t n, int64_t cols, float *dst, uint32_t packed, const float *o0, const float *o1, const float *o2,
	const float *o3, const float *o4, const float *o5, const float *o6, const float *o7, const float *o8, const float *o9) {
	const float *in[OPERANDS] = {o0, o1, o2, o3, o4, o5, o6, o7, o8, o9};
	int64_t blocks = (n + BLOCK - 1) / BLOCK;
	if (blocks < 32) { // waking a thread takes longer
		ew_range(p, count, cols, dst, packed, in, 0, n);
		return;
	}
#pragma omp parallel
	{
		int64_t t = omp_get_thread_num(), all = omp_get_num_threads();
		int64_t lo = blocks * t / all * BLOCK, hi = blocks * (t + 1) / all * BLOCK;
		ew_range(p, count, cols, dst, packed, in, lo, hi < n ? hi : n);
	}
}

// Sums the rows [lo, hi) into total. Sixteen rows at a time are summed in
// float32 before they go into the float64 total.
CLONES void rows_range(int64_t lo, int64_t hi, int64_t cols, const float *x, const float *y, const float *mean, double *total,
	float *some) {
	for (int64_t r0 = lo; r0 < hi; r0 += 16) {
		int64_t r1 = r0 + 16 < hi ? r0 + 16 : hi;
		memset(some, 0, cols * sizeof *some);
		for (int64_t r = r0; r < r1; r++) {
			const float *a = x + r * cols;
			if (y) {
				const float *b = y + r * cols;
				for (int64_t c = 0; c < cols; c++) some[c] += a[c] * b[c];
			} else if (mean) {
				for (int64_t c = 0; c < cols; c++) some[c] += (a[c] - mean[c]) * (a[c] - mean[c]);
			} else {
				for (int64_t c = 0; c < cols; c++) some[c] += a[c];
			}
		}
		for (int64_t c = 0; c < cols; c++) total[c] += some[c];
	}
}

// Sums the elements of each of the rows [lo, hi), 512 at a time in float32.
CLONES void cols_range(int64_t lo, int64_t hi, int64_t cols, const float *x, float *dst) {
	for (int64_t r = lo; r < hi; r++) {
		double sum = 0;
		for (int64_t c0 = 0; c0 < cols; c0 += 512) {
			float some[16] = {0};
			const float *a = x + r * cols + c0;
			int64_t n = cols - c0 < 512 ? cols - c0 : 512, c = 0;
			for (; c + 16 <= n; c += 16)
				for (int k = 0; k < 16; k++) some[k] += a[c + k];
			for (; c < n; c++) some[0] += a[c];
			for (int k = 0; k < 16; k++) sum += some[k];
		}
		dst[r] = sum;
	}
}

void cols_sum(int64_t rows, int64_t cols, const float *x, float *dst) {
	int all = rows * cols < 8 * BLOCK ? 1 : omp_get_max_threads();
#pragma omp parallel num_threads(all) if (all > 1)
	{
		int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
		cols_range(rows * t / team, rows * (t + 1) / team, cols, x, dst);
	}
}

// Sums the products of the elements of each of the rows [lo, hi) of x and y.
CLONES void cols_dot_range(int64_t lo, int64_t hi, int64_t cols, const float *x, const float *y, float *dst) {
	for (int64_t r = lo; r < hi; r++) {
		double sum = 0;
		for (int64_t c0 = 0; c0 < cols; c0 += 512) {
			float some[16] = {0};
			const float *a = x + r * cols + c0, *b = y + r * cols + c0;
			int64_t n = cols - c0 < 512 ? cols - c0 : 512, c = 0, first = c0 + n >= 16 ? 16 - n % 16 : 16;
			for (; c + 16 <= n; c += 16)
				for (int k = 0; k < 16; k++) some[k] += a[c + k] * b[c + k];
			if (first < 16) // the last sixteen, of which some have been added
				for (int k = 0; k < 16; k++) {
					float v = a[n - 16 + k] * b[n - 16 + k];
					some[k] += k < first ? 0 : v;
				}
			else
				for (; c < n; c++) some[0] += a[c] * b[c];
			for (int k = 0; k < 8; k++) some[k] += some[k + 8];
			for (int k = 0; k < 4; k++) some[k] += some[k + 4];
			sum += (some[0] + some[1]) + (some[2] + some[3]);
		}
		dst[r] = sum;
	}
}

void cols_dot(int64_t rows, int64_t cols, const float *x, const float *y, float *dst) {
	int all = rows * cols < 8 * BLOCK ? 1 : omp_get_max_threads();
#pragma omp parallel num_threads(all) if (all > 1)
	{
		int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
		cols_dot_range(rows * t / team, rows * (t + 1) / team, cols, x, y, dst);
	}
}

static void rows_sum(int64_t rows, int64_t cols, const float *x, const float *y, const float *mean, double *sum) {
	int all = rows * cols < 8 * BLOCK ? 1 : omp_get_max_threads();
	double *totals = calloc((size_t)all * cols, sizeof *totals);
	float *some = malloc((size_t)all * cols * sizeof *some);
#pragma omp parallel num_threads(all) if (all > 1)
	{
		int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
		rows_range(rows * t / team, rows * (t + 1) / team, cols, x, y, mean, totals + t * cols, some + t * cols);
	}
	for (int t = 0; t < all; t++)
		for (int64_t c = 0; c < cols; c++) sum[c] += totals[t * cols + c];
	free(totals);
	free(some);
}

void rows_reduce(int64_t n, int64_t cols, const float *x, const float *y, const float *mean, float *dst) {
	// Several short rows are processed as one, so that the loops are long.
	int64_t rows = n / cols, group = cols < 64 ? 64 / cols : 1, wide = cols * group, whole = rows / group;
	double *sum = calloc(wide, sizeof *sum);
	float *means = 0;
	if (mean) {
		means = malloc(wide * sizeof *means);
		for (int64_t c = 0; c < wide; c++) means[c] = mean[c % cols];
	}
	rows_sum(whole, wide, x, y, means, sum);
	for (int64_t g = 1; g < group; g++)
		for (int64_t c = 0; c < cols; c++) sum[c] += sum[g * cols + c];
	int64_t at = whole * wide;
	if (at < n) {
		double *tail = calloc(cols, sizeof *tail);
		rows_sum(rows - whole * group, cols, x + at, y ? y + at : 0, mean, tail);
		for (int64_t c = 0; c < cols; c++) sum[c] += tail[c];
		free(tail);
	}
	for (int64_t c = 0; c < cols; c++) dst[c] = (float)(mean ? sum[c] / rows : sum[c]);
	free(sum);
	free(means);
}

double dot(int64_t n, const float *x, const float *y) {
	double sum = 0;
	for (int64_t lo = 0; lo < n; lo += BLOCK) {
		int64_t hi = lo + BLOCK < n ? lo + BLOCK : n;
		double some = 0;
#pragma omp simd reduction(+ : some)
		for (int64_t i = lo; i < hi; i++) some += (double)x[i] * y[i];
		sum += some;
	}
	return sum;
}

CLONES void argmax_row(const pool_shape *s, const int64_t *row, const int64_t *cols, const float *image, int32_t *idx, float *best) {
	for (int64_t j = 0; j < s->cols; j++, idx += s->c) {
		const int64_t *col = cols + 3 * j;
		int64_t first = (row[0] * s->w + col[0]) * s->c;
		for (int64_t c = 0; c < s->c; c++) best[c] = image[first + c], idx[c] = first + c;
		for (int64_t h = row[0]; h < row[1]; h++)
			for (int64_t w = col[0]; w < col[1]; w++) {
				int64_t from = (h * s->w + w) * s->c;
				for (int64_t c = 0; c < s->c; c++) {
					float v = image[from + c];
					int wins = (v > best[c]) | (v != v);
					best[c] = wins ? v : best[c];
					idx[c] = wins ? (int32_t)(from + c) : idx[c];
				}
			}
	}
}

// Argmax for windows that all have the same number of columns and few channels:
// first holds where each element's window starts in a row of the image, so that
// the loops are over all elements of a row of windows.
CLONES void argmax_narrow(const pool_shape *s, const int64_t *row, int64_t wide, const int32_t *restrict first, const float *restrict image,
	int32_t *restrict idx, float *restrict best) {
	int64_t n = s->cols * s->c;
	for (int64_t h = row[0]; h < row[1]; h++)
		for (int64_t w = 0; w < wide; w++) {
			int32_t at = (h * s->w + w) * s->c;
			if (h == row[0] && w == 0) {
				for (int64_t i = 0; i < n; i++) idx[i] = first[i] + at, best[i] = image[first[i] + at];
				continue;
			}
			for (int64_t i = 0; i < n; i++) {
				float v = image[first[i] + at];
				int wins = (v > best[i]) | (v != v);
				best[i] = wins ? v : best[i];
				idx[i] = wins ? first[i] + at : idx[i];
			}
		}
}

// NARROW is the number of channels below which loops over channels are short.
enum { NARROW = 16 };

// Returns the size of the windows along an axis if all have the same size, else 0.
static int64_t same_size(const int64_t *spans, int64_t n) {
	for (int64_t i = 1; i < n; i++)
		if (spans[3 * i + 1] - spans[3 * i] != spans[1] - spans[0]) return 0;
	return spans[1] - spans[0];
}

void pool_argmax(const pool_shape *s, const int64_t *rows, const int64_t *cols, const float *x, int32_t *idx) {
	int64_t row = s->cols * s->c, wide = s->c < NARROW ? same_size(cols, s->cols) : 0;
	float *best = malloc((size_t)omp_get_max_threads() * row * sizeof *best);
	int32_t *first = malloc(row * sizeof *first);
	for (int64_t i = 0; i < row; i++) first[i] = cols[3 * (i / s->c)] * s->c + i % s->c;
#pragma omp parallel for schedule(static)
	for (int64_t k = 0; k < s->n * s->rows; k++) {
		const int64_t *r = rows + 3 * (k % s->rows);
		const float *image = x + k / s->rows * s->h * s->w * s->c;
		float *room = best + omp_get_thread_num() * row;
		if (wide) argmax_narrow(s, r, wide, first, image, idx + k * row, room);
		else argmax_row(s, r, cols, image, idx + k * row, room);
	}
	free(best);
	free(first);
}

CLONES void gather_image(int64_t out, const int32_t *idx, const float *x, float *y) {
	for (int64_t i = 0; i < out; i++) y[i] = x[idx[i]];
}

void pool_gather(int64_t n, int64_t in, int64_t out, const int32_t *idx, const float *x, float *y) {
#pragma omp parallel for schedule(static)
	for (int64_t k = 0; k < n; k++) gather_image(out, idx + k * out, x + k * in, y + k * out);
}

void pool_scatter(int64_t n, int64_t in, int64_t out, const int32_t *idx, const float *dy, float *dx) {
#pragma omp parallel for schedule(static)
	for (int64_t k = 0; k < n; k++) {
		const int32_t *at = idx + k * out;
		const float *g = dy + k * out;
		float *image = dx + k * in;
		memset(image, 0, in * sizeof *image);
		for (int64_t i = 0; i < out; i++) image[at[i]] += g[i];
	}
}

CLONES void average_image(const pool_shape *s, const int64_t *rows, const int64_t *cols, const float *x, float *y) {
	memset(y, 0, s->rows * s->cols * s->c * sizeof *y);
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t j = 0; j < s->cols; j++, y += s->c) {
			const int64_t *r = rows + 3 * i, *q = cols + 3 * j;
			float weight = 1.f / (r[2] * q[2]);
			for (int64_t h = r[0]; h < r[1]; h++)
				for (int64_t w = q[0]; w < q[1]; w++) {
					const float *from = x + (h * s->w + w) * s->c;
					for (int64_t c = 0; c < s->c; c++) y[c] += weight * from[c];
				}
		}
}

CLONES void spread_image(const pool_shape *s, const int64_t *rows, const int64_t *cols, const float *dy, float *dx) {
	memset(dx, 0, s->h * s->w * s->c * sizeof *dx);
	for (int64_t i = 0; i < s->rows; i++)
		for (int64_t j = 0; j < s->cols; j++, dy += s->c) {
			const int64_t *r = rows + 3 * i, *q = cols + 3 * j;
			float weight = 1.f / (r[2] * q[2]);
			for (int64_t h = r[0]; h < r[1]; h++)
				for (int64_t w = q[0]; w < q[1]; w++) {
					float *into = dx + (h * s->w + w) * s->c;
					for (int64_t c = 0; c < s->c; c++) into[c] += weight * dy[c];
				}
		}
}

CLONES void transpose_matrix(int64_t rows, int64_t cols, const float *restrict x, float *restrict y) {
	for (int64_t c = 0; c < cols; c++)
		for (int64_t r = 0; r < rows; r++) y[c * rows + r] = x[r * cols + c];
}

void transpose(int64_t batch, int64_t rows, int64_t cols, const float *x, float *y) {
	int64_t n = rows * cols;
#pragma omp parallel for schedule(static) if (batch * n > 8 * BLOCK)
	for (int64_t k = 0; k < batch; k++) transpose_matrix(rows, cols, x + k * n, y + k * n);
}

void pool_average(const pool_shape *s, const int64_t *rows, const int64_t *cols, const float *x, float *y) {
#pragma omp parallel for schedule(static)
	for (int64_t n = 0; n < s->n; n++) average_image(s, rows, cols, x + n * s->h * s->w * s->c, y + n * s->rows * s->cols * s->c);
}

void pool_spread(const pool_shape *s, const int64_t *rows, const int64_t *cols, const float *dy, float *dx) {
#pragma omp parallel for schedule(static)
	for (int64_t n = 0; n < s->n; n++) spread_image(s, rows, cols, dy + n * s->rows * s->cols * s->c, dx + n * s->h * s->w * s->c);
}
