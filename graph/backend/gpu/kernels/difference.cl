// Functions of differences of rows.

enum { ONE, ABS, SIGN, ODD, EVEN };

FUNCTION real difference(int kind, real power, real d) {
	switch (kind) {
	case ONE: return 1;
	case ABS: return fabs(d);
	case SIGN: return (real)((d > 0) - (d < 0));
	}
	if (d == 0) return 0;
	real f = (real)exp((wide)power * log(fabs((wide)d)));
	return kind == ODD && d < 0 ? -f : f;
}

#define SQUARE 16

// dst[i,j] = Σₖ c[i,k]·w[j,k]·f(u[i,k] − v[j,k])
KERNEL void sum_differences(IN(real, u), IN(real, v), IN(real, c), int weighed, IN(real, w), int weighted, OUT(real, dst),
	index rows, index others, index cols, int kind, real power) {
	USE_IN(real, u);
	USE_IN(real, v);
	USE_IN(real, c);
	USE_IN(real, w);
	USE_OUT(real, dst);
	LOCAL real us[SQUARE][SQUARE + 1], vs[SQUARE][SQUARE + 1], cs[SQUARE][SQUARE + 1], ws[SQUARE][SQUARE + 1];
	int tx = ITEM(0), ty = ITEM(1);
	index i = (index)GROUP(1) * SQUARE, j = (index)GROUP(0) * SQUARE;
	wide sum = 0;
	for (index k0 = 0; k0 < cols; k0 += SQUARE) {
		int own = k0 + tx < cols && i + ty < rows, other = k0 + tx < cols && j + ty < others;
		us[ty][tx] = own ? u[(i + ty) * cols + k0 + tx] : 0;
		vs[ty][tx] = other ? v[(j + ty) * cols + k0 + tx] : 0;
		cs[ty][tx] = own && weighed ? c[(i + ty) * cols + k0 + tx] : 1;
		ws[ty][tx] = other && weighted ? w[(j + ty) * cols + k0 + tx] : 1;
		BARRIER;
		for (int k = 0; k < SQUARE && k0 + k < cols; k++)
			sum += cs[ty][k] * ws[tx][k] * difference(kind, power, us[ty][k] - vs[tx][k]);
		BARRIER;
	}
	if (i + ty < rows && j + tx < others) dst[(i + ty) * others + j + tx] = (real)sum;
}

// dst[i,k] = Σⱼ p[i,j]·w[j,k]·f(u[i,k] − v[j,k])
KERNEL void weigh_differences(IN(real, p), index down, index along, IN(real, u), IN(real, v), IN(real, w), int weighted,
	OUT(real, dst), index rows, index others, index cols, int kind, real power) {
	USE_IN(real, p);
	USE_IN(real, u);
	USE_IN(real, v);
	USE_IN(real, w);
	USE_OUT(real, dst);
	index at = LINEAR;
	if (at >= rows * cols) return;
	index i = at / cols, k = at % cols;
	wide sum = 0;
	for (index j = 0; j < others; j++) {
		real f = difference(kind, power, u[at] - v[j * cols + k]);
		if (weighted) f *= w[j * cols + k];
		sum += p[i * down + j * along] * f;
	}
	dst[at] = (real)sum;
}
