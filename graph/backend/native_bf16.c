//go:build native && cgo

// bfloat16, the upper half of a float32: packing, and matrix products.
#include "native.h"
#include "native_bf16.h"
#include "native_clones.h"
#include <oneapi/dnnl/dnnl.h>

#define TRY(call) do { dnnl_status_t status_ = (call); if (status_ != dnnl_success) return status_; } while (0)

dnnl_engine_t nn_engine(nn *);
dnnl_stream_t nn_stream(nn *);

// BLOCK is the number of values that a thread packs at a time.
enum { BLOCK = 1 << 14 };

CLONES static void pack(int64_t n, const uint32_t *restrict x, uint16_t *restrict y) {
	for (int64_t i = 0; i < n; i++) {
		uint32_t bits = x[i], nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
		y[i] = (bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : nearest; // a NaN stays one
	}
}

CLONES static void unpack(int64_t n, const uint16_t *y, float *x) { bf16_unpack_block(n, y, x); }

void bf16_pack(int64_t n, const float *x, float *packed) {
	uint16_t *y = (uint16_t *)packed;
#pragma omp parallel for schedule(static) if (n > BLOCK)
	for (int64_t at = 0; at < n; at += BLOCK)
		pack(n - at < BLOCK ? n - at : BLOCK, (const uint32_t *)x + at, y + at);
}

void bf16_unpack(int64_t n, const float *packed, float *x) {
	const uint16_t *y = (const uint16_t *)packed;
#pragma omp parallel for schedule(static) if (n > BLOCK)
	for (int64_t at = 0; at < n; at += BLOCK)
		unpack(n - at < BLOCK ? n - at : BLOCK, y + at, x + at);
}

// matrix describes a matrix rows×cols, stored transposed if trans is T.
static int matrix(dnnl_memory_desc_t *out, int64_t rows, int64_t cols, char trans, dnnl_data_type_t type) {
	dnnl_dims_t dims = {rows, cols}, plain = {cols, 1}, turned = {1, rows};
	return dnnl_memory_desc_init_by_strides(out, 2, dims, type, trans == 'T' ? turned : plain);
}

static int execute(nn *d, dnnl_primitive_t product, const dnnl_memory_desc_t md[3], void *const data[3]) {
	static const int arg[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
	dnnl_exec_arg_t args[3] = {0};
	int status = 0;
	for (int i = 0; i < 3 && !status; i++) {
		args[i].arg = arg[i];
		status = dnnl_memory_create(&args[i].memory, &md[i], nn_engine(d), data[i]);
	}
	if (!status) status = dnnl_primitive_execute(product, nn_stream(d), 3, args);
	if (!status) status = dnnl_stream_wait(nn_stream(d));
	for (int i = 0; i < 3; i++)
		if (args[i].memory) dnnl_memory_destroy(args[i].memory);
	return status;
}

// oneDNN caches the most recently created primitives, so creating one again takes microseconds.
int nn_gemm_bf16(nn *d, char ta, char tb, int64_t m, int64_t n, int64_t k, const float *a, const float *b, float beta, float *c) {
	dnnl_memory_desc_t md[3];
	TRY(matrix(&md[0], m, k, ta, dnnl_bf16));
	TRY(matrix(&md[1], k, n, tb, dnnl_bf16));
	TRY(matrix(&md[2], m, n, 'N', dnnl_f32));
	size_t left = ((size_t)(m * k) * 2 + 63) / 64 * 64, right = ((size_t)(k * n) * 2 + 63) / 64 * 64;
	char *scratch = nn_scratch(d, left + right);
	if (!scratch) return dnnl_out_of_memory;
	bf16_pack(m * k, a, (float *)scratch);
	bf16_pack(k * n, b, (float *)(scratch + left));

	dnnl_primitive_attr_t attr = 0;
	dnnl_post_ops_t sum = 0;
	dnnl_primitive_desc_t desc = 0;
	dnnl_primitive_t product = 0;
	dnnl_matmul_desc_t matmul;
	int status = dnnl_primitive_attr_create(&attr);
	if (!status && beta != 0) status = dnnl_post_ops_create(&sum);
	if (!status && sum) status = dnnl_post_ops_append_sum(sum, beta);
	if (!status && sum) status = dnnl_primitive_attr_set_post_ops(attr, sum);
	if (!status) status = dnnl_matmul_desc_init(&matmul, &md[0], &md[1], 0, &md[2]);
	if (!status) status = dnnl_primitive_desc_create(&desc, &matmul, attr, nn_engine(d), 0);
	if (!status) status = dnnl_primitive_create(&product, desc);
	if (!status) status = execute(d, product, md, (void *[]){scratch, scratch + left, c});
	if (product) dnnl_primitive_destroy(product);
	if (desc) dnnl_primitive_desc_destroy(desc);
	if (sum) dnnl_post_ops_destroy(sum);
	if (attr) dnnl_primitive_attr_destroy(attr);
	return status;
}
