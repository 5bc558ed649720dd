package gpu

import "github.com/ansatz-lab/ansatz/graph/backend"

// Kinds of functions of differences, as in difference.cl.
const (
	differenceOne = iota
	differenceAbs
	differenceSign
	differenceOdd
	differenceEven
)

func differenceKind(s backend.Differences) int {
	switch {
	case s.Power == 0 && !s.Odd:
		return differenceOne
	case s.Power == 1 && !s.Odd:
		return differenceAbs
	case s.Power == 0:
		return differenceSign
	case s.Odd:
		return differenceOdd
	}
	return differenceEven
}

// difference adds the sizes and the function.
func (c *call[T]) difference(s backend.Differences) {
	c.longs(s.Rows, s.Others, s.Cols)
	c.ints(differenceKind(s))
	c.reals(s.Power)
}

// SumDifferences implements backend.Engine.
func (e *engine[T]) SumDifferences(s backend.Differences, u, v, c, w, dst []T) {
	k := e.begin()
	k.in(u)
	k.in(v)
	k.optional(c)
	k.optional(w)
	k.out(dst)
	k.difference(s)
	k.run("sum_differences", [3]int{(s.Others + square - 1) / square, (s.Rows + square - 1) / square, 1},
		[3]int{square, square, 1})
	k.end()
}

// WeighDifferences implements backend.Engine.
func (e *engine[T]) WeighDifferences(s backend.Differences, trans bool, p, u, v, w, dst []T) {
	down, along := s.Others, 1
	if trans {
		down, along = 1, s.Rows
	}
	k := e.begin()
	k.in(p)
	k.longs(down, along)
	k.in(u)
	k.in(v)
	k.optional(w)
	k.out(dst)
	k.difference(s)
	k.each("weigh_differences", s.Rows*s.Cols)
	k.end()
}
