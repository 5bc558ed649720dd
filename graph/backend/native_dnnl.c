//go:build native && cgo

// Convolutions and matrix products by oneDNN 2.x.
#include "native.h"
#include "native_clones.h"
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

#if DNNL_VERSION_MAJOR != 2
#error "the native backend is written for oneDNN 2.x (Debian: libdnnl-dev); build without -tags native"
#endif

#define TRY(call) do { dnnl_status_t status_ = (call); if (status_ != dnnl_success) return status_; } while (0)

struct nn {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	int bf16; // round the operands of products to bfloat16
	char *scratch; // operands in another layout or type, for one primitive at a time
	size_t scratch_bytes;
};

int nn_has_bf16(void) {
	return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
}

int nn_new(nn **out, int bf16) {
	nn *d = calloc(1, sizeof *d);
	*out = d;
	if (!d) return dnnl_out_of_memory;
	d->bf16 = bf16;
	TRY(dnnl_engine_create(&d->engine, dnnl_cpu, 0));
	return dnnl_stream_create(&d->stream, d->engine, dnnl_stream_default_flags);
}

void nn_free(nn *d) {
	if (d->stream) dnnl_stream_destroy(d->stream);
	if (d->engine) dnnl_engine_destroy(d->engine);
	free(d->scratch);
	free(d);
}

dnnl_engine_t nn_engine(nn *d) { return d->engine; }
dnnl_stream_t nn_stream(nn *d) { return d->stream; }

char *nn_scratch(nn *d, size_t bytes) {
	if (bytes > d->scratch_bytes) {
		free(d->scratch);
		d->scratch = aligned_alloc(64, bytes);
		d->scratch_bytes = d->scratch ? bytes : 0;
	}
	return d->scratch;
}

// An argument as the caller passes it (user), and in the layout and type that the primitive needs (inner, in scratch memory).
typedef struct {
	dnnl_memory_t user, inner;
	dnnl_primitive_t reorder; // 0 if the two are the same
	size_t at;                // of inner in the scratch memory
} operand;

struct conv {
	int kind;
	dnnl_primitive_t primitive;
	operand src, filters, dst;
	dnnl_memory_t bias;
	size_t scratch; // bytes
};

static int operand_new(nn *d, conv *c, operand *o, const dnnl_memory_desc_t *user, const dnnl_memory_desc_t *inner, int output) {
	TRY(dnnl_memory_create(&o->user, user, d->engine, DNNL_MEMORY_NONE));
	if (dnnl_memory_desc_equal(user, inner)) {
		o->inner = o->user;
		return 0;
	}
	TRY(dnnl_memory_create(&o->inner, inner, d->engine, DNNL_MEMORY_NONE));
	o->at = c->scratch;
	c->scratch += (dnnl_memory_desc_get_size(inner) + 63) / 64 * 64;
	dnnl_primitive_desc_t desc;
	TRY(dnnl_reorder_primitive_desc_create(&desc, output ? inner : user, d->engine, output ? user : inner, d->engine, 0));
	int status = dnnl_primitive_create(&o->reorder, desc);
	dnnl_primitive_desc_destroy(desc);
	return status;
}

static void operand_free(operand *o) {
	if (o->reorder) dnnl_primitive_destroy(o->reorder);
	if (o->inner && o->inner != o->user) dnnl_memory_destroy(o->inner);
	if (o->user) dnnl_memory_destroy(o->user);
}

static int operand_move(nn *d, operand *o, int output) {
	if (!o->reorder) return 0;
	dnnl_exec_arg_t args[] = {
		{DNNL_ARG_FROM, output ? o->inner : o->user},
		{DNNL_ARG_TO, output ? o->user : o->inner},
	};
	return dnnl_primitive_execute(o->reorder, d->stream, 2, args);
}

static const dnnl_memory_desc_t *md(dnnl_primitive_desc_t desc, dnnl_query_t what) {
	return dnnl_primitive_desc_query_md(desc, what, 0);
}

typedef struct {
	dnnl_memory_desc_t src, filters, dst, bias;
	dnnl_memory_desc_t in_src, in_filters, in_dst; // as operands of products
	dnnl_memory_desc_t out_filters;                // as the result of products
} layouts;

static int describe(const conv_shape *s, int bf16, layouts *l) {
	int64_t oh = (s->h + 2 * s->ph - s->dh * (s->kh - 1) - 1) / s->sh + 1;
	int64_t ow = (s->w + 2 * s->pw - s->dw * (s->kw - 1) - 1) / s->sw + 1;
	dnnl_dims_t src = {s->n, s->c, s->h, s->w}, filters = {s->filters, s->c, s->kh, s->kw};
	dnnl_dims_t grouped = {s->groups, s->filters / s->groups, s->c / s->groups, s->kh, s->kw};
	dnnl_dims_t dst = {s->n, s->filters, oh, ow}, bias = {s->filters};
	dnnl_data_type_t type = bf16 ? dnnl_bf16 : dnnl_f32;
	TRY(dnnl_memory_desc_init_by_tag(&l->src, 4, src, dnnl_f32, dnnl_nhwc));
	TRY(dnnl_memory_desc_init_by_tag(&l->dst, 4, dst, dnnl_f32, dnnl_nhwc));
	TRY(dnnl_memory_desc_init_by_tag(&l->in_src, 4, src, type, dnnl_nhwc));
	TRY(dnnl_memory_desc_init_by_tag(&l->in_dst, 4, dst, type, dnnl_nhwc));
	TRY(dnnl_memory_desc_init_by_tag(&l->bias, 1, bias, dnnl_f32, dnnl_a));
	if (s->groups > 1) {
		TRY(dnnl_memory_desc_init_by_tag(&l->filters, 5, grouped, dnnl_f32, dnnl_goihw));
		TRY(dnnl_memory_desc_init_by_tag(&l->out_filters, 5, grouped, dnnl_f32, dnnl_format_tag_any));
		return dnnl_memory_desc_init_by_tag(&l->in_filters, 5, grouped, type, dnnl_format_tag_any);
	}
	TRY(dnnl_memory_desc_init_by_tag(&l->filters, 4, filters, dnnl_f32, dnnl_oihw));
	TRY(dnnl_memory_desc_init_by_tag(&l->out_filters, 4, filters, dnnl_f32, dnnl_format_tag_any));
	return dnnl_memory_desc_init_by_tag(&l->in_filters, 4, filters, type, dnnl_format_tag_any);
}

static int relu_attr(dnnl_primitive_attr_t *attr) {
	dnnl_post_ops_t ops;
	TRY(dnnl_primitive_attr_create(attr));
	TRY(dnnl_post_ops_create(&ops));
	int status = dnnl_post_ops_append_eltwise(ops, 1.f, dnnl_eltwise_relu, 0.f, 0.f);
	if (!status) status = dnnl_primitive_attr_set_post_ops(*attr, ops);
	dnnl_post_ops_destroy(ops);
	return status;
}

static int forward_desc(nn *d, const conv_shape *s, const layouts *l, int bias, int relu, dnnl_primitive_desc_t *out) {
	dnnl_dims_t strides = {s->sh, s->sw}, pads = {s->ph, s->pw}, dilates = {s->dh - 1, s->dw - 1};
	dnnl_convolution_desc_t desc;
	dnnl_primitive_attr_t attr = 0;
	TRY(dnnl_dilated_convolution_forward_desc_init(&desc, dnnl_forward_training, dnnl_convolution_direct, &l->in_src,
		&l->in_filters, bias ? &l->bias : 0, &l->dst, strides, dilates, pads, pads));
	if (relu) TRY(relu_attr(&attr));
	int status = dnnl_primitive_desc_create(out, &desc, attr, d->engine, 0);
	if (attr) dnnl_primitive_attr_destroy(attr);
	return status;
}

static int data_desc(nn *d, const conv_shape *s, const layouts *l, dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *out) {
	dnnl_dims_t strides = {s->sh, s->sw}, pads = {s->ph, s->pw}, dilates = {s->dh - 1, s->dw - 1};
	dnnl_convolution_desc_t desc;
	TRY(dnnl_dilated_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, &l->src, &l->in_filters, &l->in_dst,
		strides, dilates, pads, pads));
	return dnnl_primitive_desc_create(out, &desc, 0, d->engine, hint);
}

static int weights_desc(nn *d, const conv_shape *s, const layouts *l, dnnl_primitive_desc_t hint, dnnl_primitive_desc_t *out) {
	dnnl_dims_t strides = {s->sh, s->sw}, pads = {s->ph, s->pw}, dilates = {s->dh - 1, s->dw - 1};
	dnnl_convolution_desc_t desc;
	TRY(dnnl_dilated_convolution_backward_weights_desc_init(&desc, dnnl_convolution_direct, &l->in_src, &l->out_filters, 0,
		&l->in_dst, strides, dilates, pads, pads));
	return dnnl_primitive_desc_create(out, &desc, 0, d->engine, hint);
}

static int conv_bind(nn *d, conv *c, const layouts *l, dnnl_primitive_desc_t desc) {
	static const dnnl_query_t src[] = {dnnl_query_src_md, dnnl_query_diff_src_md, dnnl_query_src_md};
	static const dnnl_query_t filters[] = {dnnl_query_weights_md, dnnl_query_weights_md, dnnl_query_diff_weights_md};
	static const dnnl_query_t dst[] = {dnnl_query_dst_md, dnnl_query_diff_dst_md, dnnl_query_diff_dst_md};
	TRY(dnnl_primitive_create(&c->primitive, desc));
	TRY(operand_new(d, c, &c->src, &l->src, md(desc, src[c->kind]), c->kind == CONV_DATA));
	TRY(operand_new(d, c, &c->filters, &l->filters, md(desc, filters[c->kind]), c->kind == CONV_WEIGHTS));
	TRY(operand_new(d, c, &c->dst, &l->dst, md(desc, dst[c->kind]), c->kind == CONV_FORWARD));
	return dnnl_memory_create(&c->bias, &l->bias, d->engine, DNNL_MEMORY_NONE);
}

int conv_new(nn *d, int kind, const conv_shape *s, int bias, int relu, conv **out) {
	layouts l;
	conv *c = calloc(1, sizeof *c);
	*out = c;
	if (!c) return dnnl_out_of_memory;
	c->kind = kind;
	TRY(describe(s, d->bf16, &l));
	dnnl_primitive_desc_t forward = 0, desc = 0;
	TRY(forward_desc(d, s, &l, bias, relu, &forward));
	int status = 0;
	if (kind == CONV_DATA) status = data_desc(d, s, &l, forward, &desc);
	if (kind == CONV_WEIGHTS) status = weights_desc(d, s, &l, forward, &desc);
	if (!status) status = conv_bind(d, c, &l, desc ? desc : forward);
	if (desc) dnnl_primitive_desc_destroy(desc);
	dnnl_primitive_desc_destroy(forward);
	return status;
}

void conv_free(conv *c) {
	if (c->primitive) dnnl_primitive_destroy(c->primitive);
	operand_free(&c->src);
	operand_free(&c->filters);
	operand_free(&c->dst);
	if (c->bias) dnnl_memory_destroy(c->bias);
	free(c);
}

int conv_run(nn *d, conv *c, float *src, float *filters, float *bias, float *dst) {
	static const int src_arg[] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC, DNNL_ARG_SRC};
	static const int filters_arg[] = {DNNL_ARG_WEIGHTS, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS};
	static const int dst_arg[] = {DNNL_ARG_DST, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_DST};
	TRY(dnnl_memory_set_data_handle(c->src.user, src));
	TRY(dnnl_memory_set_data_handle(c->filters.user, filters));
	TRY(dnnl_memory_set_data_handle(c->dst.user, dst));
	if (bias) TRY(dnnl_memory_set_data_handle(c->bias, bias));
	char *scratch = nn_scratch(d, c->scratch);
	if (c->scratch && !scratch) return dnnl_out_of_memory;
	operand *all[] = {&c->src, &c->filters, &c->dst};
	for (int i = 0; i < 3; i++)
		if (all[i]->reorder) TRY(dnnl_memory_set_data_handle(all[i]->inner, scratch + all[i]->at));
	if (c->kind != CONV_DATA) TRY(operand_move(d, &c->src, 0));
	if (c->kind != CONV_WEIGHTS) TRY(operand_move(d, &c->filters, 0));
	if (c->kind != CONV_FORWARD) TRY(operand_move(d, &c->dst, 0));
	dnnl_exec_arg_t args[] = {
		{src_arg[c->kind], c->src.inner},
		{filters_arg[c->kind], c->filters.inner},
		{dst_arg[c->kind], c->dst.inner},
		{DNNL_ARG_BIAS, c->bias},
	};
	TRY(dnnl_primitive_execute(c->primitive, d->stream, bias ? 4 : 3, args));
	if (c->kind == CONV_FORWARD) TRY(operand_move(d, &c->dst, 1));
	if (c->kind == CONV_DATA) TRY(operand_move(d, &c->src, 1));
	if (c->kind == CONV_WEIGHTS) TRY(operand_move(d, &c->filters, 1));
	return dnnl_stream_wait(d->stream);
}

int nn_gemm(char ta, char tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b, int64_t ldb,
	float beta, float *c, int64_t ldc) {
	return dnnl_sgemm(ta, tb, m, n, k, 1.f, a, lda, b, ldb, beta, c, ldc);
}

int nn_gemm_batch(int64_t batch, char ta, char tb, int64_t m, int64_t n, int64_t k, const float *a, int64_t lda, const float *b,
	int64_t ldb, float *c) {
	int status = 0;
#pragma omp parallel for schedule(static) reduction(| : status) if (batch > 1)
	for (int64_t i = 0; i < batch; i++)
		status |= dnnl_sgemm(ta, tb, m, n, k, 1.f, a + i * m * k, lda, b + i * k * n, ldb, 0.f, c + i * m * n, n);
	return status;
}
