//go:build native && cgo

// Steps of the optimisers, each in one pass over the weights and their state.
#include "native.h"
#include "native_clones.h"
#include <math.h>
#include <omp.h>

enum { GRAIN = 1 << 14 }; // descendGrain

CLONES void momentum_range(const momentum_step *s, int64_t n, float *restrict w, const float *restrict g, float *restrict v) {
	float rate = s->rate, momentum = s->momentum, decay = s->decay;
	for (int64_t i = 0; i < n; i++) {
		v[i] = momentum * v[i] + (g[i] + decay * w[i]);
		w[i] -= rate * v[i];
	}
}

CLONES void adam_range(const adam_step *s, int64_t n, float *restrict w, const float *restrict g, float *restrict m, float *restrict v) {
	float rate = s->rate, beta1 = s->beta1, beta2 = s->beta2, decay = s->decay;
	float rest1 = 1 - s->beta1, rest2 = 1 - s->beta2, scale = s->scale, eps = s->eps;
	for (int64_t i = 0; i < n; i++) {
		float d = g[i] + decay * w[i];
		m[i] = beta1 * m[i] + rest1 * d;
		v[i] = beta2 * v[i] + rest2 * d * d;
		w[i] -= rate * m[i] / (sqrtf(v[i]) * scale + eps);
	}
}

CLONES void adadelta_range(const adadelta_step *s, int64_t n, float *restrict w, const float *restrict g, float *restrict squares,
	float *restrict steps) {
	float rate = s->rate, rho = s->rho, rest = 1 - s->rho, eps = s->eps, decay = s->decay;
	for (int64_t i = 0; i < n; i++) {
		float d = g[i] + decay * w[i];
		squares[i] = rho * squares[i] + rest * d * d;
		float step = d * sqrtf(steps[i] + eps) / sqrtf(squares[i] + eps);
		steps[i] = rho * steps[i] + rest * step * step;
		w[i] -= rate * step;
	}
}

// Divides the n weights among the threads; RANGE sees lo and len.
#define SHARED(RANGE) \
	if (n < 2 * GRAIN) { \
		int64_t lo = 0, len = n; \
		RANGE; \
		return; \
	} \
	_Pragma("omp parallel") { \
		int64_t t = omp_get_thread_num(), all = omp_get_num_threads(); \
		int64_t lo = n * t / all, len = n * (t + 1) / all - lo; \
		RANGE; \
	}

void descend_momentum(const momentum_step *s, int64_t n, float *w, const float *g, float *v) {
	SHARED(momentum_range(s, len, w + lo, g + lo, v + lo))
}

void descend_adam(const adam_step *s, int64_t n, float *w, const float *g, float *m, float *v) {
	SHARED(adam_range(s, len, w + lo, g + lo, m + lo, v + lo))
}

void descend_adadelta(const adadelta_step *s, int64_t n, float *w, const float *g, float *squares, float *steps) {
	SHARED(adadelta_range(s, len, w + lo, g + lo, squares + lo, steps + lo))
}
