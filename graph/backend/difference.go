package backend

import "math"

// Differences is a function f of the differences of the rows of two matrices,
// u of Rows×Cols and v of Others×Cols: f(δ) = |δ|^Power, or sign(δ)·|δ|^Power
// if Odd is set. f(0) = 0, except for the even power 0, which is 1 everywhere.
type Differences struct {
	Rows, Others, Cols int
	Power              float64
	Odd                bool
}

// at returns f(δ).
func (s *Differences) at(delta float64) float64 {
	switch {
	case s.isOne():
		return 1
	case delta == 0:
		return 0 // a negative power is not defined here
	}
	f := math.Exp(s.Power * math.Log(math.Abs(delta))) // faster than Pow
	if s.Odd && delta < 0 {
		return -f
	}
	return f
}

// isAbs, isSign and isOne report whether f is |δ|, sign(δ) or 1. The first two, the L1 distance and its gradient, have
// loops of their own.
func (s *Differences) isAbs() bool  { return s.Power == 1 && !s.Odd }
func (s *Differences) isSign() bool { return s.Power == 0 && s.Odd }
func (s *Differences) isOne() bool  { return s.Power == 0 && !s.Odd }

// othersAtOnce returns the number of rows of v in a block, which stays in the cache while all rows of u are read.
func (s *Differences) othersAtOnce() int { return max(8, 1<<16/s.Cols/8*8) }
