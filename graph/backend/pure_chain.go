package backend

import "math"

func (e *pure[T]) Elementwise(c *Chain, operands [][]T, cols int, dst []T) {
	parallel(e.threads, len(dst), block, func(_, lo, hi int) {
		var room [MaxChain][block]T
		for ; lo < hi; lo += block {
			runBlock(c, operands, cols, dst, lo, min(lo+block, hi), &room)
		}
	})
}

func runBlock[T Float](c *Chain, operands [][]T, cols int, dst []T, lo, hi int, room *[MaxChain][block]T) {
	n := hi - lo
	full := func(i int32) []T {
		if i < 0 {
			return room[^i][:n]
		}
		return operands[i][lo:hi]
	}
	for i, in := range c.Instrs {
		out := room[i][:n]
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
			vectorInstr(in.Code, out, a, v, w, lo, cols)
		} else {
			plainInstr(in.Code, out, a, b, T(in.K))
		}
	}
}

// plainInstr runs an instruction without vectors.
func plainInstr[T Float](code Code, out, a, b []T, k T) {
	a = a[:len(out)]
	switch code {
	case Add:
		for i, v := range a {
			out[i] = v + b[i]
		}
	case Sub:
		for i, v := range a {
			out[i] = v - b[i]
		}
	case Mul:
		for i, v := range a {
			out[i] = v * b[i]
		}
	case Mask:
		for i, v := range a {
			if v > 0 {
				out[i] = b[i]
			} else {
				out[i] = 0
			}
		}
	case ReLU:
		for i, v := range a {
			if v <= 0 {
				v = 0 // a NaN passes, as in PyTorch
			}
			out[i] = v
		}
	case Scale:
		for i, v := range a {
			out[i] = k * v
		}
	case Shift:
		for i, v := range a {
			out[i] = v + k
		}
	case Tanh:
		mapFunc(out, a, math.Tanh)
	case Rsqrt:
		mapFunc(out, a, func(x float64) float64 { return 1 / math.Sqrt(x) })
	}
}

func mapFunc[T Float](out, a []T, f func(float64) float64) {
	for i, v := range a {
		out[i] = T(f(float64(v)))
	}
}

// vectorInstr runs an instruction with row vectors, column vectors or scalars
// on the elements from lo on of rows of cols.
func vectorInstr[T Float](code Code, out, a, v, w []T, lo, cols int) {
	switch code {
	case ScalarMul:
		for i := range out {
			out[i] = a[i] * v[0]
		}
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
		var as, vs, ws []T
		if a != nil {
			as, a = a[:n], a[n:]
		}
		switch code {
		case ColMul:
			vs = v[row : row+1]
		case RowAffine:
			vs, ws = v[c:c+n], w[c:c+n]
		default:
			vs = v[c : c+n]
		}
		segment(code, seg, as, vs, ws)
		out, c, row = out[n:], 0, row+1
	}
}

func segment[T Float](code Code, out, a, v, w []T) {
	switch code {
	case RowFill:
		copy(out, v)
	case RowAdd:
		for i, x := range a {
			out[i] = x + v[i]
		}
	case RowMul:
		for i, x := range a {
			out[i] = x * v[i]
		}
	case RowAffine:
		for i, x := range a {
			out[i] = x*v[i] + w[i]
		}
	case ColMul:
		for i, x := range a {
			out[i] = x * v[0]
		}
	}
}
