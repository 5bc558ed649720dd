package backend

import "math"

// serialElements is the number of elements that one thread processes in less time than it
// takes to wake another.
const serialElements = 32 * block

func (e *pure[T]) Elementwise(c *Chain, operands [][]T, cols int, dst []T) {
	e.prepare()
	grain := block
	if len(dst) < serialElements {
		grain = serialElements
	}
	e.parallel(len(dst), grain, func(part, lo, hi int) {
		for ; lo < hi; lo += block {
			e.runBlock(c, operands, cols, dst, lo, min(lo+block, hi), &e.rooms[part])
		}
	})
}

func (e *pure[T]) runBlock(c *Chain, operands [][]T, cols int, dst []T, lo, hi int, room *room[T]) {
	n := hi - lo
	full := func(i int32) []T {
		if i < 0 {
			return room.results[^i][:n]
		}
		return operands[i][lo:hi]
	}
	for i, in := range c.Instrs {
		out := room.results[i][:n]
		if i == len(c.Instrs)-1 {
			out = dst[lo:hi]
		}
		nfull, nvec := in.Code.Operands()
		var a, b, v, w []T
		if nfull > 0 {
			a = full(in.A)
		}
		if nfull > 1 {
			b = full(in.B)
		}
		if nvec > 0 {
			v = operands[in.V]
		}
		if nvec > 1 {
			w = operands[in.W]
		}
		if nvec > 0 {
			e.vectorInstr(in.Code, out, a, v, w, T(in.K), lo, cols)
		} else {
			e.plainInstr(in.Code, out, a, b, T(in.K))
		}
	}
}

// plainInstr runs an instruction without vectors.
func (e *pure[T]) plainInstr(code Code, out, a, b []T, k T) {
	switch code {
	case Add:
		e.loops.Add(out, a, b)
	case Sub:
		e.loops.Sub(out, a, b)
	case Mul:
		e.loops.Mul(out, a, b)
	case Mask:
		e.loops.Mask(out, a, b)
	case ReLU:
		e.loops.ReLU(out, a)
	case Scale:
		e.loops.Scale(out, a, k)
	case Shift:
		e.loops.Shift(out, a, k)
	case Tanh:
		mapFunc(out, a, math.Tanh)
	case Rsqrt:
		mapFunc(out, a, func(x float64) float64 { return 1 / math.Sqrt(x) })
	case Exp:
		exp(out, a)
	case Power:
		power(out, a, float64(k))
	case Clamp:
		clamp(out, a, k)
	case ArcCos0:
		arcCosine0(out, a)
	case ArcCos1:
		arcCosine1(out, a, b)
	case AtLeast:
		atLeast(out, a, b, k)
	case Max:
		for i, v := range a {
			if u := b[i]; v < u || u != u {
				v = u
			}
			out[i] = v // which may overwrite b[i]
		}
	default:
		mapFunc(out, a, function(code, float64(k)))
	}
}

func mapFunc[T Float](out, a []T, f func(float64) float64) {
	for i, v := range a {
		out[i] = T(f(float64(v)))
	}
}

// vectorInstr runs an instruction with row vectors, column vectors or scalars
// on the elements from lo on of rows of cols.
func (e *pure[T]) vectorInstr(code Code, out, a, v, w []T, k T, lo, cols int) {
	switch code {
	case ScalarMul:
		e.loops.Scale(out, a, v[0])
		return
	case ScalarFill:
		for i := range out {
			out[i] = v[0]
		}
		return
	}
	row, c := lo/cols, lo%cols
	for len(out) > 0 {
		n := min(cols-c, len(out))
		seg := out[:n]
		var as []T
		if a != nil {
			as, a = a[:n], a[n:]
		}
		switch code {
		case ColMul:
			e.loops.Scale(seg, as, v[row])
		case ColFill:
			for i := range seg {
				seg[i] = v[row]
			}
		case Distance:
			distance(seg, as, v[row], w[c:c+n], k)
		case RowAffine:
			e.loops.Affine(seg, as, v[c:c+n], w[c:c+n])
		case RowFill:
			copy(seg, v[c:])
		case RowAdd:
			e.loops.Add(seg, as, v[c:c+n])
		case RowMul:
			e.loops.Mul(seg, as, v[c:c+n])
		}
		out, c, row = out[n:], 0, row+1
	}
}
