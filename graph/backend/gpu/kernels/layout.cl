// Rearrangements of elements.

#define SQUARE 16

KERNEL void transpose(IN(real, x), OUT(real, dst), index rows, index cols) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	LOCAL real room[SQUARE][SQUARE + 1];
	index across = (cols + SQUARE - 1) / SQUARE, down = (rows + SQUARE - 1) / SQUARE, tile = GROUP(0);
	index matrix = tile / across / down * rows * cols;
	index r = tile / across % down * SQUARE, c = tile % across * SQUARE;
	int tx = ITEM(0), ty = ITEM(1);
	if (r + ty < rows && c + tx < cols) room[ty][tx] = x[matrix + (r + ty) * cols + c + tx];
	BARRIER;
	if (c + ty < cols && r + tx < rows) dst[matrix + (c + ty) * rows + r + tx] = room[tx][ty];
}

// A view is its number of axes, their sizes, and the offsets of all axes one after another.
FUNCTION index viewed(const GLOBAL int *view, index at) {
	int axes = view[0];
	const GLOBAL int *end = view + 1 + axes;
	for (int k = 0; k < axes; k++) end += view[1 + k];
	index from = 0;
	for (int k = axes - 1; k >= 0; k--) {
		int size = view[1 + k];
		end -= size;
		from += end[at % size];
		at /= size;
	}
	return from;
}

KERNEL void take_view(IN(int, view), IN(real, x), OUT(real, y), index size) {
	USE_IN(int, view);
	USE_IN(real, x);
	USE_OUT(real, y);
	index at = LINEAR;
	if (at < size) y[at] = x[viewed(view, at)];
}

// The adjoint of a view that reads no element twice.
KERNEL void put_view(IN(int, view), IN(real, y), OUT(real, x), index size) {
	USE_IN(int, view);
	USE_IN(real, y);
	USE_OUT(real, x);
	index at = LINEAR;
	if (at < size) x[viewed(view, at)] = y[at];
}

// The adjoint of any other view: element i of x was read as those elements of y that the set i lists.
KERNEL void add_view(IN(int, starts), IN(int, reads), IN(real, y), OUT(real, x), index size) {
	USE_IN(int, starts);
	USE_IN(int, reads);
	USE_IN(real, y);
	USE_OUT(real, x);
	index at = LINEAR;
	if (at >= size) return;
	real sum = 0;
	for (int r = starts[at]; r < starts[at + 1]; r++) sum += y[reads[r]];
	x[at] = sum;
}

KERNEL void fill(OUT(real, x), index size, real v) {
	USE_OUT(real, x);
	index at = LINEAR;
	if (at < size) x[at] = v;
}

// Blocks of size elements, which begin apart elements from one another.
KERNEL void put_blocks(IN(real, x), OUT(real, dst), index size, index block, index apart) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at < size) dst[at / block * apart + at % block] = x[at];
}
