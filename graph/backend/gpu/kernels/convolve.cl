// Convolutions and their adjoints as products whose matrices of patches are read where they lie. A group of channels is one
// of the products side by side. Patches are ordered (row, column, channel), so that neighbours are neighbours in memory;
// filters stay in the order (filter, channel, row, column).

// pixel returns the place of a channel of the pixel that tap (p, q) of the patch at position i reads, -1 in the padding.
FUNCTION index pixel(Conv s, int i, int p, int q) {
	int col = i % s.ow, row = i / s.ow % s.oh, image = i / s.ow / s.oh;
	int h = row * s.sh - s.ph + p * s.dh, w = col * s.sw - s.pw + q * s.dw;
	if (h < 0 || h >= s.h || w < 0 || w >= s.w) return -1;
	return (((index)image * s.h + h) * s.w + w) * s.c;
}

// position returns the place of the position that reads pixel i with tap (p, q), -1 if there is none.
FUNCTION index position(Conv s, int i, int p, int q) {
	int w = i % s.w + s.pw - q * s.dw, h = i / s.w % s.h + s.ph - p * s.dh, image = i / s.w / s.h;
	if (h < 0 || w < 0 || h % s.sh || w % s.sw) return -1;
	h /= s.sh;
	w /= s.sw;
	if (h >= s.oh || w >= s.ow) return -1;
	return ((index)image * s.oh + h) * s.ow + w;
}

FUNCTION real read_pixel(Conv s, const GLOBAL real *x, int i, int k, int group) {
	int channels = s.c / s.groups, channel = k % channels, tap = k / channels;
	index at = pixel(s, i, tap / s.kw, tap % s.kw);
	return at < 0 ? 0 : x[at + group * channels + channel];
}

FUNCTION real read_position(Conv s, const GLOBAL real *dy, int i, int k, int group) {
	int filters = s.filters / s.groups, filter = k % filters, tap = k / filters;
	index at = position(s, i, tap / s.kw, tap % s.kw);
	return at < 0 ? 0 : dy[at * s.filters + group * filters + filter];
}

// weight returns the place of element k of a patch in a filter.
FUNCTION index weight(Conv s, int filter, int k) {
	int channels = s.c / s.groups, channel = k % channels, tap = k / channels;
	return ((index)filter * channels + channel) * (s.kh * s.kw) + tap;
}

#define FILTERS(group) ((int)(group) * (s.filters / s.groups))

#define NAME convolve
#define OPERANDS Conv s, IN(real, x), IN(real, w), IN(real, bias), int biased, int relu, OUT(real, y)
#define USE \
	USE_IN(real, x); \
	USE_IN(real, w); \
	USE_IN(real, bias); \
	USE_OUT(real, y)
#define A_AT(i, k) read_pixel(s, x, i, k, batch)
#define B_AT(k, j) w[weight(s, FILTERS(batch) + (j), k)]
#define STORE(i, j, v) \
	int filter = FILTERS(batch) + (j); \
	real value = biased ? (v) + bias[filter] : (v); \
	y[(i) * s.filters + filter] = relu && value <= 0 ? 0 : value
#define A_ALONG_K 1
#define B_ALONG_K 1
#include "tile.cl"

#define NAME convolve_data
#define OPERANDS Conv s, IN(real, w), IN(real, dy), OUT(real, dx)
#define USE \
	USE_IN(real, w); \
	USE_IN(real, dy); \
	USE_OUT(real, dx)
#define A_AT(i, k) read_position(s, dy, i, k, batch)
#define B_AT(k, j) w[data_weight(s, k, j, batch)]
#define STORE(i, j, v) dx[(i) * s.c + batch * (s.c / s.groups) + (j)] = v
#define A_ALONG_K 1
#define B_ALONG_K 0
FUNCTION index data_weight(Conv s, int k, int channel, int group) {
	int filters = s.filters / s.groups, channels = s.c / s.groups;
	return ((index)(group * filters + k % filters) * channels + channel) * (s.kh * s.kw) + k / filters;
}
#include "tile.cl"

#define NAME convolve_weights
#define OPERANDS Conv s, IN(real, x), IN(real, dy), OUT(real, dw)
#define USE \
	USE_IN(real, x); \
	USE_IN(real, dy); \
	USE_OUT(real, dw)
#define A_AT(i, k) dy[(k) * s.filters + FILTERS(batch) + (i)]
#define B_AT(k, j) read_pixel(s, x, k, j, batch)
#define STORE(i, j, v) dw[weight(s, FILTERS(batch) + (i), j)] = v
#define A_ALONG_K 0
#define B_ALONG_K 0
#include "tile.cl"

// The patches, one a row, ordered (channel, row, column).
KERNEL void patches(Conv s, IN(real, x), OUT(real, p), index size) {
	USE_IN(real, x);
	USE_OUT(real, p);
	index at = LINEAR;
	if (at >= size) return;
	int taps = s.kh * s.kw, patch = s.c * taps;
	int k = at % patch, channel = k / taps, tap = k % taps;
	index from = pixel(s, at / patch, tap / s.kw, tap % s.kw);
	p[at] = from < 0 ? 0 : x[from + channel];
}

// Their adjoint: what every pixel was read by.
KERNEL void fold(Conv s, IN(real, p), OUT(real, dx), index size) {
	USE_IN(real, p);
	USE_OUT(real, dx);
	index at = LINEAR;
	if (at >= size) return;
	int taps = s.kh * s.kw, channel = at % s.c;
	real sum = 0;
	for (int tap = 0; tap < taps; tap++) {
		index from = position(s, at / s.c, tap / s.kw, tap % s.kw);
		if (from >= 0) sum += p[(from * s.c + channel) * taps + tap];
	}
	dx[at] = sum;
}
