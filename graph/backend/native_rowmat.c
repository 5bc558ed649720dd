//go:build native && cgo

// Products of many small matrices, one for every row of the operands, sums of sets
// of rows, and patches.
#include "native.h"
#include "native_clones.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

// As in other matrix products, the compiler may fuse a multiplication with the addition.
#pragma GCC optimize("fp-contract=fast")

#define INLINE static inline __attribute__((always_inline))

enum { WIDE = 16, TALL = 8, ALONE = 1 << 15 }; // ALONE: too little work to wake a thread for

typedef float wide __attribute__((vector_size(WIDE * sizeof(float)), aligned(4)));

// Computes count rows and times·WIDE columns of a product: those of b begin at b
// and are stride apart. Of the last WIDE columns only cols are written.
INLINE void tile(int count, int times, int64_t k, const float *a, const float *b, int64_t stride, int64_t n, int64_t cols, float *dst) {
	wide sum[TALL][4];
#pragma GCC unroll 8
	for (int i = 0; i < count; i++)
#pragma GCC unroll 4
		for (int t = 0; t < times; t++) sum[i][t] = (wide){0};
	for (int64_t j = 0; j < k; j++) {
		const wide *row = (const wide *)(b + j * stride);
#pragma GCC unroll 8
		for (int i = 0; i < count; i++)
#pragma GCC unroll 4
			for (int t = 0; t < times; t++) sum[i][t] += a[i * k + j] * row[t];
	}
#pragma GCC unroll 8
	for (int i = 0; i < count; i++) {
		wide *to = (wide *)(dst + i * n);
#pragma GCC unroll 4
		for (int t = 0; t + 1 < times; t++) to[t] = sum[i][t];
		if (cols == WIDE) to[times - 1] = sum[i][times - 1];
		else memcpy(to + times - 1, &sum[i][times - 1], cols * sizeof(float));
	}
}

// Computes count rows, times·WIDE columns at a time, so that there are enough
// independent sums to keep the processor busy.
INLINE void rows_of(int count, int times, int64_t k, int64_t n, const float *a, const float *b, const float *last, float *dst) {
	int64_t j = 0;
	for (; j + times * WIDE <= n; j += times * WIDE) tile(count, times, k, a, b + j, n, n, WIDE, dst + j);
	for (; j + WIDE <= n; j += WIDE) tile(count, 1, k, a, b + j, n, n, WIDE, dst + j);
	if (j < n && n > WIDE) tile(count, 1, k, a, b + n - WIDE, n, n, WIDE, dst + n - WIDE); // recomputes some columns
	else if (j < n) tile(count, 1, k, a, last, WIDE, n, n - j, dst + j);
}

// Computes one product. room is for k·(WIDE + TALL) elements.
CLONES void matmul_one(int64_t m, int64_t k, int64_t n, const float *a, const float *s, const float *b, float *dst, float *room) {
	if (n == 1) {
		for (int64_t i = 0; i < m; i++) {
			const float *row = a + i * k;
			float sum = 0;
			if (s) {
#pragma omp simd reduction(+ : sum)
				for (int64_t j = 0; j < k; j++) sum += row[j] * s[i * k + j] * b[j];
			} else {
#pragma omp simd reduction(+ : sum)
				for (int64_t j = 0; j < k; j++) sum += row[j] * b[j];
			}
			dst[i] = sum;
		}
		return;
	}
	if (k == 1) {
		for (int64_t i = 0; i < m; i++) {
			float v = s ? a[i] * s[i] : a[i];
			for (int64_t j = 0; j < n; j++) dst[i * n + j] = v * b[j];
		}
		return;
	}
	float *last = room, *scaled = room + k * WIDE;
	if (n < WIDE) // pad the columns with zeros
		for (int64_t j = 0; j < k; j++) {
			for (int64_t c = 0; c < n; c++) last[j * WIDE + c] = b[j * n + c];
			for (int64_t c = n; c < WIDE; c++) last[j * WIDE + c] = 0;
		}
	for (int64_t i = 0; i < m;) {
		int64_t count = m - i >= 8 ? 8 : m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;
		const float *rows = a + i * k;
		if (s) {
			for (int64_t j = 0; j < count * k; j++) scaled[j] = rows[j] * s[i * k + j];
			rows = scaled;
		}
		switch (count) {
		case 8: rows_of(8, 1, k, n, rows, b, last, dst + i * n); break;
		case 4: rows_of(4, 2, k, n, rows, b, last, dst + i * n); break;
		case 2: rows_of(2, 4, k, n, rows, b, last, dst + i * n); break;
		default: rows_of(1, 4, k, n, rows, b, last, dst + i * n);
		}
		i += count;
	}
}

void row_matmul(int64_t rows, int64_t m, int64_t k, int64_t n, const float *a, const float *s, const float *b, float *dst) {
	int64_t size = k * (WIDE + TALL);
	int all = rows * m * k * n < ALONE ? 1 : omp_get_max_threads();
	float *room = malloc((size_t)all * size * sizeof *room);
#pragma omp parallel num_threads(all) if (all > 1)
	{
		int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
		for (int64_t p = rows * t / team; p < rows * (t + 1) / team; p++)
			matmul_one(m, k, n, a + p * m * k, s, b + p * k * n, dst + p * m * n, room + t * size);
	}
	free(room);
}

// Writes n triples, of which x, y and z have the first, second and third elements.
CLONES void triples(int64_t n, const float *restrict x, const float *restrict y, const float *restrict z, float *restrict dst) {
	for (int64_t i = 0; i < n; i++) dst[3 * i] = x[i], dst[3 * i + 1] = y[i], dst[3 * i + 2] = z[i];
}

// Writes the patches that a convolution reads in a row of an image, each in the
// order (channel, row, column), zero where they overhang.
static void patches_row(const conv_shape *s, int64_t cols, int64_t top, const float *image, float *dst) {
	for (int64_t ow = 0; ow < cols; ow++) {
		int64_t left = ow * s->sw - s->pw;
		int inside = top >= 0 && top + (s->kh - 1) * s->dh < s->h && left >= 0 && left + (s->kw - 1) * s->dw < s->w;
		if (inside && s->kh == 1 && s->kw == 3) {
			const float *first = image + (top * s->w + left) * s->c;
			triples(s->c, first, first + s->dw * s->c, first + 2 * s->dw * s->c, dst);
			dst += 3 * s->c;
			continue;
		}
		for (int64_t c = 0; c < s->c; c++)
			for (int64_t i = 0; i < s->kh; i++) {
				int64_t h = top + i * s->dh;
				const float *row = image + h * s->w * s->c + c;
				for (int64_t j = 0; j < s->kw; j++, dst++) {
					int64_t w = left + j * s->dw;
					*dst = inside || (h >= 0 && h < s->h && w >= 0 && w < s->w) ? row[w * s->c] : 0;
				}
			}
	}
}

void patches_write(const conv_shape *s, int64_t rows, int64_t cols, const float *x, float *dst) {
	int64_t size = s->h * s->w * s->c, patch = s->kh * s->kw * s->c, all = s->n * rows;
#pragma omp parallel for schedule(static) if (all * cols * patch > ALONE)
	for (int64_t k = 0; k < all; k++)
		patches_row(s, cols, k % rows * s->sh - s->ph, x + k / rows * size, dst + k * cols * patch);
}

// Sums the sets from lo to hi, 64 columns at a time.
CLONES void sets_range(int64_t lo, int64_t hi, int64_t cols, const int32_t *starts, const int32_t *rows, const float *x, float *dst) {
	for (int64_t i = lo; i < hi; i++) {
		const int32_t *of = rows + starts[i];
		int32_t n = starts[i + 1] - starts[i];
		int64_t c = 0;
		for (; c + 4 * WIDE <= cols; c += 4 * WIDE) {
			wide s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
			for (int32_t r = 0; r < n; r++) {
				const wide *v = (const wide *)(x + of[r] * cols + c);
				s0 += v[0], s1 += v[1], s2 += v[2], s3 += v[3];
			}
			wide *to = (wide *)(dst + i * cols + c);
			to[0] = s0, to[1] = s1, to[2] = s2, to[3] = s3;
		}
		for (; c < cols; c++) {
			float sum = 0;
			for (int32_t r = 0; r < n; r++) sum += x[of[r] * cols + c];
			dst[i * cols + c] = sum;
		}
	}
}

void sets_sum(int64_t sets, int64_t cols, const int32_t *starts, const int32_t *rows, const float *x, float *dst) {
	int all = sets * cols < ALONE ? 1 : omp_get_max_threads();
#pragma omp parallel num_threads(all) if (all > 1)
	{
		int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
		sets_range(sets * t / team, sets * (t + 1) / team, cols, starts, rows, x, dst);
	}
}
