// Pooling of images of h×w×c to oh×ow×c. Spans are the windows along the rows, then those along the columns: the first
// element, the end, and the divisor of each.

typedef struct {
	int h, w, c, oh, ow;
} Pool;

#define WINDOW \
	int channel = at % p.c; \
	const GLOBAL int *rows = spans + 3 * (int)(at / p.c / p.ow % p.oh); \
	const GLOBAL int *cols = spans + 3 * (p.oh + (int)(at / p.c % p.ow)); \
	x += at / p.c / p.ow / p.oh * p.h * p.w * p.c

// The first of equals wins, and a NaN wins over all before it.
KERNEL void arg_max(Pool p, IN(int, spans), IN(real, x), OUT(int, places), index size) {
	USE_IN(int, spans);
	USE_IN(real, x);
	USE_OUT(int, places);
	index at = LINEAR;
	if (at >= size) return;
	WINDOW;
	int best = (rows[0] * p.w + cols[0]) * p.c + channel;
	real most = x[best];
	for (int h = rows[0]; h < rows[1]; h++) {
		for (int w = cols[0]; w < cols[1]; w++) {
			int place = (h * p.w + w) * p.c + channel;
			real v = x[place];
			if (v > most || v != v) {
				best = place;
				most = v;
			}
		}
	}
	places[at] = best;
}

KERNEL void average(Pool p, IN(int, spans), IN(real, x), OUT(real, y), index size) {
	USE_IN(int, spans);
	USE_IN(real, x);
	USE_OUT(real, y);
	index at = LINEAR;
	if (at >= size) return;
	WINDOW;
	real weight = (real)1 / (rows[2] * cols[2]), sum = 0;
	for (int h = rows[0]; h < rows[1]; h++)
		for (int w = cols[0]; w < cols[1]; w++) sum += weight * x[(h * p.w + w) * p.c + channel];
	y[at] = sum;
}

KERNEL void gather(IN(int, places), IN(real, x), OUT(real, y), index size, index in, index out) {
	USE_IN(int, places);
	USE_IN(real, x);
	USE_OUT(real, y);
	index at = LINEAR;
	if (at < size) y[at] = x[at / out * in + places[at]];
}

// The adjoints have a work item for every element of dx, which reads what the windows around it hold. Around are, for every
// row, then for every column, the first window that has it and the one after the last.
#define AROUND \
	int channel = at % p.c, w = at / p.c % p.w, h = at / p.c / p.w % p.h; \
	index image = at / p.c / p.w / p.h; \
	const GLOBAL int *down = around + 2 * h, *across = around + 2 * (p.h + w); \
	real sum = 0; \
	for (int r = down[0]; r < down[1]; r++) \
		for (int c = across[0]; c < across[1]; c++)

KERNEL void scatter(Pool p, IN(int, around), IN(int, places), IN(real, dy), OUT(real, dx), index size) {
	USE_IN(int, around);
	USE_IN(int, places);
	USE_IN(real, dy);
	USE_OUT(real, dx);
	index at = LINEAR;
	if (at >= size) return;
	AROUND {
		index from = ((image * p.oh + r) * p.ow + c) * p.c + channel;
		if (places[from] == (h * p.w + w) * p.c + channel) sum += dy[from];
	}
	dx[at] = sum;
}

KERNEL void spread(Pool p, IN(int, spans), IN(int, around), IN(real, dy), OUT(real, dx), index size) {
	USE_IN(int, spans);
	USE_IN(int, around);
	USE_IN(real, dy);
	USE_OUT(real, dx);
	index at = LINEAR;
	if (at >= size) return;
	AROUND {
		real weight = (real)1 / (spans[3 * r + 2] * spans[3 * (p.oh + c) + 2]);
		sum += weight * dy[((image * p.oh + r) * p.ow + c) * p.c + channel];
	}
	dx[at] = sum;
}
