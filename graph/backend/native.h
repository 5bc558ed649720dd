#pragma once
#include <stddef.h>
#include <stdint.h>

// A oneDNN engine and its stream. With bf16, convolutions and matrix products round their operands to bfloat16 and sum in
// float32.
typedef struct nn nn;
int nn_new(nn **out, int bf16);
int nn_has_bf16(void); // whether the processor can multiply bfloat16
void nn_free(nn *);
char *nn_scratch(nn *, size_t bytes); // memory that the next primitive may overwrite; 0 if there is none

// A convolution, its data gradient or its weight gradient on images in NHWC and
// filters in OIHW. Functions return a oneDNN status, 0 for success.
enum { CONV_FORWARD, CONV_DATA, CONV_WEIGHTS };
typedef struct {
	int64_t n, h, w, c, filters, kh, kw, sh, sw, ph, pw, dh, dw, groups;
} conv_shape;
typedef struct conv conv;
int conv_new(nn *, int kind, const conv_shape *, int bias, int relu, conv **out);
int conv_run(nn *, conv *, float *src, float *filters, float *bias, float *dst);
void conv_free(conv *);

// Packing rounds float32 to bfloat16, to the nearest, ties to even; two of them take the place of one float32.
void bf16_pack(int64_t n, const float *x, float *packed);
void bf16_unpack(int64_t n, const float *packed, float *x);

int nn_gemm(char ta, char tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda,
	const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
int nn_gemm_bf16(nn *, char ta, char tb, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float beta,
	float *c);
int nn_gemm_batch(int64_t batch, char ta, char tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b,
	int64_t ldb, float *c);

// Elementwise chains: the structs of chain.go. packed is a bit mask of the packed operands.
typedef struct {
	int32_t code, a, b, v, w;
	double k;
} ew_instr;
void ew_run(const ew_instr *, int count, int64_t n, int64_t cols, float *dst, uint32_t packed, const float *o0, const float *o1,
	const float *o2, const float *o3, const float *o4, const float *o5, const float *o6, const float *o7,
	const float *o8, const float *o9);

// Reductions over the rows of n elements, cols per row. y and mean may be 0.
void rows_reduce(int64_t n, int64_t cols, const float *x, const float *y, const float *mean, float *dst);
void cols_dot(int64_t rows, int64_t cols, const float *x, const float *y, float *dst);
void cols_sum(int64_t rows, int64_t cols, const float *x, float *dst);
double dot(int64_t n, const float *x, const float *y);

// Pooling: spans are triples (lo, hi, divisor).
typedef struct {
	int64_t n, h, w, c, rows, cols;
} pool_shape;
void pool_argmax(const pool_shape *, const int64_t *rows, const int64_t *cols, const float *x, int32_t *idx);
void pool_gather(int64_t n, int64_t in, int64_t out, const int32_t *idx, const float *x, float *y);
void pool_scatter(int64_t n, int64_t in, int64_t out, const int32_t *idx, const float *dy, float *dx);
void pool_average(const pool_shape *, const int64_t *rows, const int64_t *cols, const float *x, float *y);
void pool_spread(const pool_shape *, const int64_t *rows, const int64_t *cols, const float *dy, float *dx);

// Transposes each of the batch rows×cols matrices of x.
void transpose(int64_t batch, int64_t rows, int64_t cols, const float *x, float *y);

// Steps of the optimisers: the structs and formulas of descend.go.
typedef struct {
	double rate, momentum, decay;
} momentum_step;
typedef struct {
	double rate, beta1, beta2, scale, eps, decay;
} adam_step;
typedef struct {
	double rate, rho, eps, decay;
} adadelta_step;
void descend_momentum(const momentum_step *, int64_t n, float *w, const float *g, float *v);
void descend_adam(const adam_step *, int64_t n, float *w, const float *g, float *m, float *v);
void descend_adadelta(const adadelta_step *, int64_t n, float *w, const float *g, float *squares, float *steps);

// Products of many small matrices (s may be 0), patches of images (rows×cols per
// image), and sums of sets of rows, as in pure_rowmat.go and pure_layout.go.
void row_matmul(int64_t rows, int64_t m, int64_t k, int64_t n, const float *a, const float *s, const float *b, float *dst);
void patches_write(const conv_shape *, int64_t rows, int64_t cols, const float *x, float *dst);
void sets_sum(int64_t sets, int64_t cols, const int32_t *starts, const int32_t *rows, const float *x, float *dst);

// Sums over functions of differences: difference.go. block is the number of rows of v
// that are processed at a time; |power| is at most mostPower.
enum { DIFFERENCE_ABS, DIFFERENCE_SIGN, DIFFERENCE_POWER, DIFFERENCE_ODD };
typedef struct {
	int64_t rows, others, cols, block;
	float power;
	int kind;
} differences;
void differences_sum(const differences *, const float *u, const float *v, float *dst);
void differences_weigh(const differences *, int trans, const float *p, const float *u, const float *v, float *dst);

void threads_set(int n);
