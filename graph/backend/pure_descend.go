package backend

import "math"

func (e *pure[T]) DescendMomentum(s Momentum, w, g, v []T) {
	rate, momentum, decay := T(s.Rate), T(s.Momentum), T(s.Decay)
	e.parallel(len(w), descendGrain, func(_, lo, hi int) {
		w, g, v := w[lo:hi], g[lo:hi], v[lo:hi]
		for i, x := range w {
			v[i] = momentum*v[i] + (g[i] + decay*x)
			w[i] = x - rate*v[i]
		}
	})
}

func (e *pure[T]) DescendAdam(s Adam, w, g, m, v []T) {
	rate, beta1, beta2, decay := T(s.Rate), T(s.Beta1), T(s.Beta2), T(s.Decay)
	rest1, rest2, scale, eps := T(1-s.Beta1), T(1-s.Beta2), T(s.Scale), T(s.Eps)
	e.parallel(len(w), descendGrain, func(_, lo, hi int) {
		w, g, m, v := w[lo:hi], g[lo:hi], m[lo:hi], v[lo:hi]
		for i, x := range w {
			d := g[i] + decay*x
			m[i] = beta1*m[i] + rest1*d
			v[i] = beta2*v[i] + rest2*d*d
			w[i] = x - rate*m[i]/(sqrt(v[i])*scale+eps)
		}
	})
}

func (e *pure[T]) DescendAdadelta(s Adadelta, w, g, squares, steps []T) {
	rate, rho, rest, eps, decay := T(s.Rate), T(s.Rho), T(1-s.Rho), T(s.Eps), T(s.Decay)
	e.parallel(len(w), descendGrain, func(_, lo, hi int) {
		w, g, squares, steps := w[lo:hi], g[lo:hi], squares[lo:hi], steps[lo:hi]
		for i, x := range w {
			d := g[i] + decay*x
			squares[i] = rho*squares[i] + rest*d*d
			step := d * sqrt(steps[i]+eps) / sqrt(squares[i]+eps)
			steps[i] = rho*steps[i] + rest*step*step
			w[i] = x - rate*step
		}
	})
}

func sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }
