#pragma once

// Functions of float32, written so that the compiler can vectorise loops over them.
#include <math.h>
#include <stdint.h>
#include <string.h>

// eˣ as in pure_functions.go.
static inline __attribute__((always_inline)) float exp32(float x) {
	float y = x > 88.37f ? 88.37f : x; // keeps a NaN
	y = y < -87.33f ? -87.33f : y;
	float n = (y * 1.44269504f + 12582912.f) - 12582912.f;
	float r = y - n * .693359375f + n * 2.12194440e-4f;
	float p = 1.9875691500e-4f;
	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	int32_t bits = ((int32_t)n + 127) << 23;
	float scale;
	memcpy(&scale, &bits, sizeof scale);
	float e = p * scale;
	e = x > 88.37f ? INFINITY : e; // beyond, 2ⁿ overflows float32
	return x < -87.33f ? 0 : e;
}

// The positive part of x, exactly. The compiler turns a root of x > 0 ? x : 0 into
// two branches, and does not vectorise the loop around it.
static inline __attribute__((always_inline)) float positive(float x) { return .5f * (x + fabsf(x)); }

// The arc cosine, to 7e-8: √(1 − |x|) times a polynomial (Abramowitz and
// Stegun, 4.4.46). Arguments beyond ±1 count as ±1.
static inline __attribute__((always_inline)) float acos32(float x) {
	float a = fabsf(x);
	float p = -.0012624911f;
	p = p * a + .0066700901f;
	p = p * a - .0170881256f;
	p = p * a + .0308918810f;
	p = p * a - .0501743046f;
	p = p * a + .0889789874f;
	p = p * a - .2145988016f;
	p = p * a + 1.5707963050f;
	float y = sqrtf(positive(1 - a)) * p;
	return x < 0 ? (float)M_PI - y : y;
}
