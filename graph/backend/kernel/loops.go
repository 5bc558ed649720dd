package kernel

// Loops are loops over the elements of slices that are as long as the first.
// The first may be the very slice of an operand.
type Loops[T Float] struct {
	Add    func(out, a, b []T)    // a + b
	Sub    func(out, a, b []T)    // a − b
	Mul    func(out, a, b []T)    // a·b
	Mask   func(out, a, b []T)    // b where a > 0, else 0
	Scale  func(out, a []T, k T)  // k·a
	Shift  func(out, a []T, k T)  // a + k
	ReLU   func(out, a []T)       // a where a > 0 or a NaN, else 0
	Affine func(out, a, b, c []T) // a·b + c
	// Largest overwrites best where x is larger, or a NaN, and idx by at plus
	// the place there.
	Largest func(best []T, idx []int32, x []T, at int32)
}

// InGo returns the loops in Go.
func InGo[T Float]() *Loops[T] {
	return &Loops[T]{
		Add: add[T], Sub: sub[T], Mul: mul[T], Mask: mask[T],
		Scale: scale[T], Shift: shift[T], ReLU: relu[T],
		Affine: affine[T], Largest: largest[T],
	}
}

func add[T Float](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] + b[i]
	}
}

func sub[T Float](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] - b[i]
	}
}

func mul[T Float](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		out[i] = a[i] * b[i]
	}
}

func mask[T Float](out, a, b []T) {
	a, b = a[:len(out)], b[:len(out)]
	for i := range out {
		v := b[i]
		if !(a[i] > 0) {
			v = 0
		}
		out[i] = v
	}
}

func scale[T Float](out, a []T, k T) {
	a = a[:len(out)]
	for i := range out {
		out[i] = k * a[i]
	}
}

func shift[T Float](out, a []T, k T) {
	a = a[:len(out)]
	for i := range out {
		out[i] = a[i] + k
	}
}

func relu[T Float](out, a []T) {
	a = a[:len(out)]
	for i := range out {
		v := a[i]
		if v <= 0 {
			v = 0 // a NaN passes, as in PyTorch
		}
		out[i] = v
	}
}

func affine[T Float](out, a, b, c []T) {
	a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
	for i := range out {
		out[i] = a[i]*b[i] + c[i]
	}
}

func largest[T Float](best []T, idx []int32, x []T, at int32) {
	idx, x = idx[:len(best)], x[:len(best)]
	for i, v := range x {
		if v > best[i] || v != v {
			best[i], idx[i] = v, at+int32(i)
		}
	}
}
