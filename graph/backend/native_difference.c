//go:build native && cgo

// Sums over functions of differences. Each thread works on some rows of u and goes
// through the rows of v in blocks that stay in the cache. The order of summation
// does not depend on the number of threads.
#include "native.h"
#include "native_clones.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { SUMMED = 4, WEIGHED = 8 }; // rows of v that are processed at a time

INLINE int32_t to_bits(float x) {
	int32_t i;
	memcpy(&i, &x, sizeof i);
	return i;
}

INLINE float from_bits(int32_t i) {
	float x;
	memcpy(&x, &i, sizeof x);
	return x;
}

// Returns x^p for x ≥ 0 and |p| ≤ mostPower, as 2^(p·log₂x), to within 2 in 10⁶.
// Results that would overflow or underflow stay near the limit, x below the smallest
// normal number counts as 0, and 0^p is 0; an infinity gives NaN. It has no branches
// and no calls, so that the compiler can vectorise it.
INLINE float power(float x, float p) {
	// x = 2^e·m with m in (√½, √2), and log₂m as a series in (m − 1)/(m + 1)
	int32_t e = (to_bits(x) - 0x3f3504f3) >> 23;
	float m = from_bits(to_bits(x) - (e << 23));
	float z = (m - 1) / (m + 1), zz = z * z;
	float log2m = z * (2.88539008f + zz * (.961796694f + zz * (.577078016f + zz * (.412198583f + zz * .320598898f))));
	// p·log₂x = whole + rest, |rest| ≤ ½: adding 1.5·2²³ rounds
	float whole = (p * e + p * log2m + 12582912.f) - 12582912.f;
	float rest = (p * e - whole) + p * log2m;
	float exp2 = 1 + rest * (.693147181f + rest * (.240226507f + rest * (.0555041087f + rest * (.00961812911f +
		rest * (.00133335581f + rest * .000154035304f)))));
	int32_t n = (int32_t)whole;
	n = n < -126 ? -126 : n;
	n = n > 126 ? 126 : n;
	float y = from_bits(to_bits(exp2) + (n << 23));
	return (x < 1.17549435e-38f ? 0 : y) + (x - x);
}

INLINE float f(int kind, float p, float x) {
	switch (kind) {
	case DIFFERENCE_ABS: return fabsf(x);
	case DIFFERENCE_SIGN: return copysignf(x != 0, x);
	case DIFFERENCE_POWER: return power(fabsf(x), p);
	default: return copysignf(power(fabsf(x), p), x);
	}
}

INLINE void sum_rows(int kind, const differences *s, const float *u, const float *v, int64_t n, float *dst) {
	int64_t d = s->cols;
	float p = s->power;
	for (int64_t j = 0; j < n; j += SUMMED) {
		int64_t last = n - 1 - j;
		const float *v0 = v + j * d, *v1 = v0 + (last < 1 ? last : 1) * d, *v2 = v0 + (last < 2 ? last : 2) * d,
			*v3 = v0 + (last < 3 ? last : 3) * d;
		float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
		for (int64_t k = 0; k < d; k++) {
			s0 += f(kind, p, u[k] - v0[k]);
			s1 += f(kind, p, u[k] - v1[k]);
			s2 += f(kind, p, u[k] - v2[k]);
			s3 += f(kind, p, u[k] - v3[k]);
		}
		float sums[SUMMED] = {s0, s1, s2, s3};
		memcpy(dst + j, sums, (last < 3 ? last + 1 : SUMMED) * sizeof *dst);
	}
}

CLONES void sum_block(const differences *s, const float *u, const float *v, int64_t n, float *dst) {
	switch (s->kind) {
	case DIFFERENCE_ABS: sum_rows(DIFFERENCE_ABS, s, u, v, n, dst); break;
	case DIFFERENCE_SIGN: sum_rows(DIFFERENCE_SIGN, s, u, v, n, dst); break;
	case DIFFERENCE_POWER: sum_rows(DIFFERENCE_POWER, s, u, v, n, dst); break;
	case DIFFERENCE_ODD: sum_rows(DIFFERENCE_ODD, s, u, v, n, dst); break;
	}
}

// Adds Σⱼ p[j·step]·f(u − v[j]) over count rows of v, a constant.
INLINE void add_rows(int count, int kind, const differences *s, const float *p, int64_t step, const float *restrict u,
	const float *restrict v, float *restrict dst) {
	int64_t d = s->cols;
	float weights[WEIGHED], power = s->power;
	for (int j = 0; j < count; j++) weights[j] = p[j * step];
#pragma omp simd
	for (int64_t k = 0; k < d; k++) {
		float sum = 0;
#pragma GCC unroll 8
		for (int j = 0; j < count; j++) sum += weights[j] * f(kind, power, u[k] - v[j * d + k]);
		dst[k] += sum;
	}
}

INLINE void weigh_rows(int kind, const differences *s, const float *p, int64_t step, const float *u, const float *v, int64_t n,
	float *dst) {
	int64_t j = 0;
	for (; j + WEIGHED <= n; j += WEIGHED) add_rows(WEIGHED, kind, s, p + j * step, step, u, v + j * s->cols, dst);
	for (; j < n; j++) add_rows(1, kind, s, p + j * step, step, u, v + j * s->cols, dst);
}

CLONES void weigh_block(const differences *s, const float *p, int64_t step, const float *u, const float *v, int64_t n, float *dst) {
	switch (s->kind) {
	case DIFFERENCE_ABS: weigh_rows(DIFFERENCE_ABS, s, p, step, u, v, n, dst); break;
	case DIFFERENCE_SIGN: weigh_rows(DIFFERENCE_SIGN, s, p, step, u, v, n, dst); break;
	case DIFFERENCE_POWER: weigh_rows(DIFFERENCE_POWER, s, p, step, u, v, n, dst); break;
	case DIFFERENCE_ODD: weigh_rows(DIFFERENCE_ODD, s, p, step, u, v, n, dst); break;
	}
}

void differences_sum(const differences *s, const float *u, const float *v, float *dst) {
#pragma omp parallel
	for (int64_t first = 0; first < s->others; first += s->block) {
		int64_t n = s->others - first < s->block ? s->others - first : s->block;
#pragma omp for schedule(static) nowait
		for (int64_t i = 0; i < s->rows; i++)
			sum_block(s, u + i * s->cols, v + first * s->cols, n, dst + i * s->others + first);
	}
}

void differences_weigh(const differences *s, int trans, const float *p, const float *u, const float *v, float *dst) {
	int64_t along_row = trans ? s->rows : 1, along_col = trans ? 1 : s->others;
	memset(dst, 0, s->rows * s->cols * sizeof *dst);
#pragma omp parallel
	for (int64_t first = 0; first < s->others; first += s->block) {
		int64_t n = s->others - first < s->block ? s->others - first : s->block;
#pragma omp for schedule(static) nowait
		for (int64_t i = 0; i < s->rows; i++)
			weigh_block(s, p + i * along_col + first * along_row, along_row, u + i * s->cols, v + first * s->cols, n, dst + i * s->cols);
	}
}
