// Steps of optimisers.

KERNEL void descend_momentum(OUT(real, w), IN(real, g), OUT(real, v), index size, real rate, real momentum, real decay) {
	USE_OUT(real, w);
	USE_IN(real, g);
	USE_OUT(real, v);
	index i = LINEAR;
	if (i >= size) return;
	v[i] = momentum * v[i] + (g[i] + decay * w[i]);
	w[i] = w[i] - rate * v[i];
}

KERNEL void descend_adam(OUT(real, w), IN(real, g), OUT(real, m), OUT(real, v), index size, real rate, real beta1,
	real rest1, real beta2, real rest2, real scale, real eps, real decay) {
	USE_OUT(real, w);
	USE_IN(real, g);
	USE_OUT(real, m);
	USE_OUT(real, v);
	index i = LINEAR;
	if (i >= size) return;
	real d = g[i] + decay * w[i];
	m[i] = beta1 * m[i] + rest1 * d;
	v[i] = beta2 * v[i] + rest2 * d * d;
	w[i] = w[i] - rate * m[i] / (sqrt(v[i]) * scale + eps);
}

KERNEL void descend_adadelta(OUT(real, w), IN(real, g), OUT(real, squares), OUT(real, steps), index size, real rate,
	real rho, real rest, real eps, real decay) {
	USE_OUT(real, w);
	USE_IN(real, g);
	USE_OUT(real, squares);
	USE_OUT(real, steps);
	index i = LINEAR;
	if (i >= size) return;
	real d = g[i] + decay * w[i];
	squares[i] = rho * squares[i] + rest * d * d;
	real step = d * sqrt(steps[i] + eps) / sqrt(squares[i] + eps);
	steps[i] = rho * steps[i] + rest * step * step;
	w[i] = w[i] - rate * step;
}
