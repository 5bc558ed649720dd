// Sums and what is made of them. Every sum is taken in an order that depends on the shapes alone.

// total returns the sum of what the LANE work items of a group have, the same to each.
FUNCTION wide total(wide v, LOCAL_POINTER(wide) room) {
	int at = ITEM(0);
	room[at] = v;
	BARRIER;
	for (int step = LANE / 2; step > 0; step /= 2) {
		if (at < step) room[at] += room[at + step];
		BARRIER;
	}
	v = room[0];
	BARRIER;
	return v;
}

// greatest returns the greatest of what the work items of a group have.
FUNCTION real greatest(real v, LOCAL_POINTER(real) room) {
	int at = ITEM(0);
	room[at] = v;
	BARRIER;
	for (int step = LANE / 2; step > 0; step /= 2) {
		if (at < step && room[at + step] > room[at]) room[at] = room[at + step];
		BARRIER;
	}
	v = room[0];
	BARRIER;
	return v;
}

// The sums of columns take some rows as one of length elements, of which there are many, and divide these among chunks.
#define COLUMNS(NAME, TERM) \
	KERNEL void NAME(IN(real, x), IN(real, y), OUT(wide, part), index size, index cols, index length, index each) { \
		USE_IN(real, x); \
		USE_IN(real, y); \
		USE_OUT(wide, part); \
		index lane = LINEAR, chunk = GROUP(1); \
		if (lane >= length) return; \
		index end = (chunk + 1) * each * length < size ? (chunk + 1) * each * length : size; \
		wide sum = 0; \
		for (index at = chunk * each * length + lane; at < end; at += length) { TERM; } \
		part[chunk * length + lane] = sum; \
	}

COLUMNS(sum_rows, sum += x[at])
COLUMNS(dot_rows, sum += (wide)x[at] * y[at])
COLUMNS(var_rows, wide d = x[at] - y[lane % cols]; sum += d * d)

// A group adds up the parts of a column: those at col, col + cols and so on.
KERNEL void columns_end(IN(wide, part), OUT(real, dst), index count, index cols, real scale) {
	USE_IN(wide, part);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	index col = GROUP(0);
	wide sum = 0;
	for (index at = ITEM(0); at < count; at += LANE) sum += part[at * cols + col];
	sum = total(sum, room);
	if (ITEM(0) == 0) dst[col] = (real)(sum * scale);
}

// Kernels of rows have one group for a row.
#define ROW \
	index row = GROUP(0); \
	x += row * cols

KERNEL void sum_cols(IN(real, x), OUT(real, dst), index cols) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	ROW;
	wide sum = 0;
	for (index j = ITEM(0); j < cols; j += LANE) sum += x[j];
	sum = total(sum, room);
	if (ITEM(0) == 0) dst[row] = (real)sum;
}

KERNEL void dot_cols(IN(real, x), IN(real, y), OUT(real, dst), index cols) {
	USE_IN(real, x);
	USE_IN(real, y);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	ROW;
	y += row * cols;
	wide sum = 0;
	for (index j = ITEM(0); j < cols; j += LANE) sum += (wide)x[j] * y[j];
	sum = total(sum, room);
	if (ITEM(0) == 0) dst[row] = (real)sum;
}

KERNEL void log_sum_exp(IN(real, x), OUT(real, dst), index cols) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	LOCAL real tops[LANE];
	ROW;
	real top = x[0];
	for (index j = ITEM(0); j < cols; j += LANE) top = x[j] > top ? x[j] : top;
	top = greatest(top, tops);
	wide sum = 0;
	for (index j = ITEM(0); j < cols; j += LANE) sum += exp((wide)x[j] - top);
	sum = total(sum, room);
	if (ITEM(0) == 0) dst[row] = (real)(top + log(sum));
}

KERNEL void softmax(IN(real, x), OUT(real, dst), index cols) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	LOCAL real tops[LANE];
	ROW;
	real top = x[0];
	for (index j = ITEM(0); j < cols; j += LANE) top = x[j] > top ? x[j] : top;
	top = greatest(top, tops);
	wide sum = 0;
	for (index j = ITEM(0); j < cols; j += LANE) sum += exp((wide)x[j] - top);
	sum = total(sum, room);
	for (index j = ITEM(0); j < cols; j += LANE) dst[row * cols + j] = (real)(exp((wide)x[j] - top) / sum);
}

// mean_and_scale computes the mean of a row and 1/√(var + eps).
#define MEAN_AND_SCALE \
	wide mean = 0, scale = 0; \
	for (index j = ITEM(0); j < cols; j += LANE) mean += x[j]; \
	mean = total(mean, room) / cols; \
	for (index j = ITEM(0); j < cols; j += LANE) scale += (x[j] - mean) * (x[j] - mean); \
	scale = 1 / sqrt(total(scale, room) / cols + (wide)eps)

KERNEL void normalise_rows(IN(real, x), OUT(real, dst), index cols, real eps) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	ROW;
	MEAN_AND_SCALE;
	for (index j = ITEM(0); j < cols; j += LANE) dst[row * cols + j] = (real)((x[j] - mean) * scale);
}

KERNEL void row_scales(IN(real, x), OUT(real, dst), index cols, real eps) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	LOCAL wide room[LANE];
	ROW;
	MEAN_AND_SCALE;
	if (ITEM(0) == 0) dst[row] = (real)scale;
}

// Σ over the middle axis of (outer, n, inner).
KERNEL void sum_middle(IN(real, x), OUT(real, dst), index outer, index n, index inner) {
	USE_IN(real, x);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at >= outer * inner) return;
	x += at / inner * n * inner + at % inner;
	wide sum = 0;
	for (index k = 0; k < n; k++) sum += x[k * inner];
	dst[at] = (real)sum;
}

// The sums of sets of rows. Set i is rows[starts[i]] to rows[starts[i + 1]].
KERNEL void sum_sets(IN(int, starts), IN(int, rows), IN(real, x), OUT(real, dst), index size, index cols) {
	USE_IN(int, starts);
	USE_IN(int, rows);
	USE_IN(real, x);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at >= size) return;
	index set = at / cols, col = at % cols;
	real sum = 0;
	for (int r = starts[set]; r < starts[set + 1]; r++) sum += x[rows[r] * cols + col];
	dst[at] = sum;
}
