package fromonnx

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// einsum multiplies two tensors by the rule of an equation such as "bhid,bhjd->bhij": a product of matrices whose
// axes are those that both operands share with the result, those of either alone, and those that are summed.
func einsum(b *builder, n *onnx.Node) []value {
	equation := strings.ReplaceAll(n.String("equation", ""), " ", "")
	left, out, explicit := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	if !explicit || len(terms) != 2 || len(n.Inputs) != 2 || strings.Contains(equation, ".") {
		b.Fail("its equation %q is not supported: want two operands and a result, as in bhid,bhjd->bhij", equation)
		return nil
	}
	x, y := b.read(n, 0), b.read(n, 1)
	if b.Err() != nil {
		return nil
	}
	size := map[rune]int{}
	for i, v := range []value{x, y} {
		shape := v.shape()
		if len(terms[i]) != len(shape) || repeats(terms[i]) {
			b.Fail("its equation %q does not fit an operand of shape %v", equation, shape)
			return nil
		}
		for k, label := range terms[i] {
			if have, known := size[label]; known && have != shape[k] {
				b.Fail("its equation %q: %c is %d and %d", equation, label, have, shape[k])
				return nil
			}
			size[label] = shape[k]
		}
	}
	both, onlyX, onlyY, summed := divide(terms[0], terms[1], out)
	if both+onlyX+onlyY == "" || len(both)+len(onlyX)+len(onlyY) != len(out) ||
		len(summed)+len(both)+len(onlyX) != len(terms[0]) || len(summed)+len(both)+len(onlyY) != len(terms[1]) {
		b.Fail("its equation %q sums over axes of one operand alone, which is not supported", equation)
		return nil
	}
	lengths := func(labels string) []int {
		var s []int
		for _, l := range labels {
			s = append(s, size[l])
		}
		return s
	}
	matrices := func(v value, term, rows, cols string) value {
		v = v.transpose(places(term, both+rows+cols))
		return b.reshape(v, append(lengths(both), product(lengths(rows)), product(lengths(cols))))
	}
	z := b.product(matrices(x, terms[0], onlyX, summed), matrices(y, terms[1], summed, onlyY))
	if b.Err() != nil {
		return nil
	}
	z = b.reshape(z, lengths(both+onlyX+onlyY))
	return []value{z.transpose(places(both+onlyX+onlyY, out))}
}

// repeats reports whether a label is there twice.
func repeats(term string) bool {
	for i := range term {
		if strings.IndexByte(term[i+1:], term[i]) >= 0 {
			return true
		}
	}
	return false
}

// divide sorts the labels of a product: those of both operands and the result, of either operand and the result, and
// of both operands alone.
func divide(x, y, out string) (both, onlyX, onlyY, summed string) {
	for _, l := range x {
		inY, inOut := strings.ContainsRune(y, l), strings.ContainsRune(out, l)
		switch {
		case inY && inOut:
			both += string(l)
		case inOut:
			onlyX += string(l)
		case inY:
			summed += string(l)
		}
	}
	for _, l := range y {
		if strings.ContainsRune(out, l) && !strings.ContainsRune(x, l) {
			onlyY += string(l)
		}
	}
	return both, onlyX, onlyY, summed
}

// places returns the permutation that brings axes with some labels into another order.
func places(from, to string) []int {
	perm := make([]int, 0, len(to))
	for _, l := range to {
		perm = append(perm, strings.IndexRune(from, l))
	}
	return slices.Clip(perm)
}
