package gpu

import "github.com/ansatz-lab/ansatz/graph/backend"

// DescendMomentum implements backend.Engine.
func (e *engine[T]) DescendMomentum(s backend.Momentum, w, g, v []T) {
	c := e.begin()
	c.both(w)
	c.in(g)
	c.both(v)
	c.longs(len(w))
	c.reals(s.Rate, s.Momentum, s.Decay)
	c.each("descend_momentum", len(w))
	c.end()
}

// DescendAdam implements backend.Engine.
func (e *engine[T]) DescendAdam(s backend.Adam, w, g, m, v []T) {
	c := e.begin()
	c.both(w)
	c.in(g)
	c.both(m)
	c.both(v)
	c.longs(len(w))
	c.reals(s.Rate, s.Beta1, 1-s.Beta1, s.Beta2, 1-s.Beta2, s.Scale, s.Eps, s.Decay)
	c.each("descend_adam", len(w))
	c.end()
}

// DescendAdadelta implements backend.Engine.
func (e *engine[T]) DescendAdadelta(s backend.Adadelta, w, g, squares, steps []T) {
	c := e.begin()
	c.both(w)
	c.in(g)
	c.both(squares)
	c.both(steps)
	c.longs(len(w))
	c.reals(s.Rate, s.Rho, 1-s.Rho, s.Eps, s.Decay)
	c.each("descend_adadelta", len(w))
	c.end()
}
