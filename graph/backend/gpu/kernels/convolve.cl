// Convolutions and their adjoints as products whose matrices of patches are read where they lie. A group of channels is one
// of the products side by side. Patches are ordered (row, column, channel), so that neighbours are neighbours in memory;
// filters stay in the order (filter, channel, row, column).

// Place is a position or a pixel: where its image begins, in pixels or positions, and its row and column, moved by the
// padding.
typedef struct {
	index image;
	int row, col;
} Place;

// Tap is an element of a patch: how far it is from the first in rows and columns, and the place of its channel.
typedef struct {
	int row, col;
	index channel;
} Tap;

// patch_at returns where the patch at position i begins.
FUNCTION Place patch_at(Conv s, int i) {
	Place p;
	p.image = (index)(i / s.ow / s.oh) * s.h * s.w;
	p.row = i / s.ow % s.oh * s.sh - s.ph;
	p.col = i % s.ow * s.sw - s.pw;
	return p;
}

// tap_of returns element k of the patches of a group, whose taps have so many channels.
FUNCTION Tap tap_of(Conv s, int k, int channels, index group) {
	Tap t;
	int tap = k / channels;
	t.row = tap / s.kw * s.dh;
	t.col = tap % s.kw * s.dw;
	t.channel = group * channels + k % channels;
	return t;
}

// pixel returns the place of the pixel that a tap of a patch reads, -1 in the padding.
FUNCTION index pixel(Conv s, Place p, Tap t) {
	int h = p.row + t.row, w = p.col + t.col;
	if (h < 0 || h >= s.h || w < 0 || w >= s.w) return -1;
	return p.image + (index)h * s.w + w;
}

FUNCTION real read_pixel(Conv s, const GLOBAL real *x, Place p, Tap t) {
	index at = pixel(s, p, t);
	return at < 0 ? 0 : x[at * s.c + t.channel];
}

// pixel_at returns pixel i, for the positions that read it.
FUNCTION Place pixel_at(Conv s, int i) {
	Place p;
	p.image = (index)(i / s.w / s.h) * s.oh * s.ow;
	p.row = i / s.w % s.h + s.ph;
	p.col = i % s.w + s.pw;
	return p;
}

// position returns the place of the position that reads a pixel with a tap, -1 if there is none.
FUNCTION index position(Conv s, Place p, Tap t) {
	int h = p.row - t.row, w = p.col - t.col;
	if (h < 0 || w < 0) return -1;
	if (s.sh > 1) {
		if (h % s.sh) return -1;
		h /= s.sh;
	}
	if (s.sw > 1) {
		if (w % s.sw) return -1;
		w /= s.sw;
	}
	if (h >= s.oh || w >= s.ow) return -1;
	return p.image + (index)h * s.ow + w;
}

#define CHANNELS (s.c / s.groups)
#define FILTERS (s.filters / s.groups)
#define TAPS (s.kh * s.kw)

// read_taps reads elements of a patch from tap k on, and read_positions what reads a pixel. Whole quads have one tap.
FUNCTION void read_taps(Conv s, const GLOBAL real *x, Place p, int k, index group, int count, int whole, real *q) {
	int step = whole ? 4 : 1;
	for (int r = 0; r < count; r += step) {
		Tap t = tap_of(s, k + r, CHANNELS, group);
		index at = pixel(s, p, t);
		if (at >= 0) read_quad(x + at * s.c + t.channel, 1, whole, q + r);
	}
}

FUNCTION void read_positions(Conv s, const GLOBAL real *dy, Place p, int k, index group, int count, int whole, real *q) {
	int step = whole ? 4 : 1;
	for (int r = 0; r < count; r += step) {
		Tap t = tap_of(s, k + r, FILTERS, group);
		index at = position(s, p, t);
		if (at >= 0) read_quad(dy + at * s.filters + t.channel, 1, whole, q + r);
	}
}

// Filters are brought into the order in which the sums go over them: (filter, row, column, channel) for convolve, and
// (group, row, column, filter, channel) for convolve_data.
KERNEL void pack(Conv s, IN(real, w), OUT(real, dst), index size) {
	USE_IN(real, w);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at >= size) return;
	index channel = at % CHANNELS, tap = at / CHANNELS % TAPS, filter = at / CHANNELS / TAPS;
	dst[at] = w[(filter * CHANNELS + channel) * TAPS + tap];
}

KERNEL void pack_data(Conv s, IN(real, w), OUT(real, dst), index size) {
	USE_IN(real, w);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at >= size) return;
	index channel = at % CHANNELS, filter = at / CHANNELS % FILTERS, tap = at / CHANNELS / FILTERS % TAPS;
	index group = at / CHANNELS / FILTERS / TAPS;
	dst[at] = w[((group * FILTERS + filter) * CHANNELS + channel) * TAPS + tap];
}

#define NAME convolve
#define OPERANDS Conv s, IN(real, x), IN(real, w), IN(real, bias), int biased, int relu, OUT(real, y)
#define USE \
	USE_IN(real, x); \
	USE_IN(real, w); \
	USE_IN(real, bias); \
	USE_OUT(real, y)
#define STORE(i, j, v) \
	index filter = batch * FILTERS + (j); \
	real value = biased ? (v) + bias[filter] : (v); \
	y[(i) * s.filters + filter] = relu && value <= 0 ? 0 : value
#define A_ALONG_K 1
#define A_FIXED_T Place
#define A_FIXED(i) patch_at(s, i)
#define A_QUAD(fixed, i, k) read_taps(s, x, fixed, k, batch, count, whole, q)
#define B_ALONG_K 1
#define B_FIXED_T index
#define B_FIXED(j) ((batch * FILTERS + (j)) * depth)
#define B_QUAD(fixed, j, k) read_quad(w + fixed + (k), count, whole, q)
#include "tile.cl"

#define NAME convolve_data
#define OPERANDS Conv s, IN(real, w), IN(real, dy), OUT(real, dx)
#define USE \
	USE_IN(real, w); \
	USE_IN(real, dy); \
	USE_OUT(real, dx)
#define STORE(i, j, v) dx[(i) * s.c + batch * CHANNELS + (j)] = v
#define A_ALONG_K 1
#define A_FIXED_T Place
#define A_FIXED(i) pixel_at(s, i)
#define A_QUAD(fixed, i, k) read_positions(s, dy, fixed, k, batch, count, whole, q)
#define B_ALONG_K 0
#define B_FIXED_T index
#define B_FIXED(j) (batch * depth * n + (j))
#define B_QUAD(fixed, j, k) read_quad(w + fixed + (k) * n, count, whole, q)
#include "tile.cl"

// The gradient is computed transposed, since there are more taps than filters.
#define NAME convolve_weights
#define OPERANDS Conv s, IN(real, x), IN(real, dy), OUT(real, dw)
#define USE \
	USE_IN(real, x); \
	USE_IN(real, dy); \
	USE_OUT(real, dw)
#define STORE(i, j, v) dw[((batch * FILTERS + (j)) * CHANNELS + (i) % CHANNELS) * TAPS + (i) / CHANNELS] = v
#define A_ALONG_K 0
#define A_FIXED_T int
#define A_FIXED(i) (i)
#define A_QUAD(fixed, i, k) read_taps(s, x, patch_at(s, k), fixed, batch, count, whole, q)
#define B_ALONG_K 0
#define B_FIXED_T index
#define B_FIXED(j) (batch * FILTERS + (j))
#define B_QUAD(fixed, j, k) read_quad(dy + fixed + (k) * s.filters, count, whole, q)
#include "tile.cl"

// The patches, one a row, ordered (channel, row, column).
KERNEL void patches(Conv s, IN(real, x), OUT(real, p), index size) {
	USE_IN(real, x);
	USE_OUT(real, p);
	index at = LINEAR;
	if (at >= size) return;
	int taps = s.kh * s.kw, patch = s.c * taps;
	int k = at % patch, channel = k / taps, tap = k % taps;
	p[at] = read_pixel(s, x, patch_at(s, at / patch), tap_of(s, tap * s.c + channel, s.c, 0));
}

// Their adjoint: what every pixel was read by.
KERNEL void fold(Conv s, IN(real, p), OUT(real, dx), index size) {
	USE_IN(real, p);
	USE_OUT(real, dx);
	index at = LINEAR;
	if (at >= size) return;
	int taps = s.kh * s.kw, channel = at % s.c;
	real sum = 0;
	Place to = pixel_at(s, at / s.c);
	for (int tap = 0; tap < taps; tap++) {
		index from = position(s, to, tap_of(s, tap, 1, 0));
		if (from >= 0) sum += p[(from * s.c + channel) * taps + tap];
	}
	dx[at] = sum;
}
