//go:build native && cgo

package backend

// #include "native.h"
import "C"

import "math"

func (e *native) SumDifferences(s Differences, u, v, c, w, dst []float32) {
	n, ok := nativeDifferences(s)
	if !ok || c != nil || w != nil {
		e.pure.SumDifferences(s, u, v, c, w, dst)
		return
	}
	C.differences_sum(&n, ptr(u), ptr(v), ptr(dst))
}

func (e *native) WeighDifferences(s Differences, trans bool, p, u, v, w, dst []float32) {
	n, ok := nativeDifferences(s)
	if !ok || w != nil {
		e.pure.WeighDifferences(s, trans, p, u, v, w, dst)
		return
	}
	C.differences_weigh(&n, flag(trans), ptr(p), ptr(u), ptr(v), ptr(dst))
}

// mostPower is the largest |Power| that the loops in C support.
const mostPower = 64

// nativeDifferences returns s for the loops in C, which support every f except the
// constant 1 and extreme powers.
func nativeDifferences(s Differences) (n C.differences, ok bool) {
	n = C.differences{
		rows: C.int64_t(s.Rows), others: C.int64_t(s.Others), cols: C.int64_t(s.Cols),
		block: C.int64_t(s.othersAtOnce()),
		power: C.float(s.Power),
	}
	switch {
	case s.isAbs():
		n.kind = C.DIFFERENCE_ABS
	case s.isSign():
		n.kind = C.DIFFERENCE_SIGN
	case s.Odd:
		n.kind = C.DIFFERENCE_ODD
	default:
		n.kind = C.DIFFERENCE_POWER
	}
	return n, !s.isOne() && math.Abs(s.Power) <= mostPower
}
