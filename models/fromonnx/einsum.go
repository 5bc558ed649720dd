package fromonnx

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/models/onnx"
)

// einsum multiplies tensors by the rule of an equation such as "bhid,bhjd->bhij". It first sums each operand over the axes
// that neither the others nor the result have. Then it multiplies the operands one after another as batches of matrices:
// the batch runs over the axes that both operands and the result have, and the product sums those that the result lacks.
func einsum(b *builder, n *onnx.Node) []value {
	var all []value
	var ranks []int
	for i := range n.Inputs {
		all = append(all, b.read(n, i))
		ranks = append(ranks, len(all[i].order))
	}
	if b.Err() != nil {
		return nil
	}
	equation := n.String("equation", "")
	terms, out, ok := parseEquation(equation, ranks)
	if !ok {
		b.Fail("its equation %q does not fit operands of %v axes, or has an axis twice in one operand: want one like "+
			"bhid,bhjd->bhij", equation, ranks)
		return nil
	}
	size := map[rune]int{}
	for i, v := range all {
		for k, label := range []rune(terms[i]) {
			size[label] = max(size[label], v.shape()[k])
		}
	}
	for i, v := range all {
		all[i], terms[i] = b.ownLabels(v, terms[i], size, out+strings.Join(slices.Concat(terms[:i], terms[i+1:]), ""))
		if b.Err() != nil {
			return nil
		}
	}
	x, term := all[0], terms[0]
	for i := 1; i < len(all); i++ {
		x, term = b.contract(n, x, all[i], term, terms[i], out+strings.Join(terms[i+1:], ""))
	}
	if b.Err() != nil {
		return nil
	}
	if len(term) != len(out) || strings.Trim(out, term) != "" {
		b.Fail("its equation %q has an axis in the result that no operand has, or no result", equation)
		return nil
	}
	return []value{x.transpose(places(term, out))}
}

// parseEquation returns the labels of the axes of the operands and of the result. The axes of "..." get Greek letters,
// aligned at the last one. An equation without a result has the labels that occur once, in alphabetical order, as its
// result.
func parseEquation(equation string, ranks []int) (terms []string, out string, ok bool) {
	left, out, explicit := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	terms = strings.Split(left, ",")
	if len(terms) != len(ranks) {
		return nil, "", false
	}
	const labels = "αβγδεζηθικλμ"
	longest := ""
	for i, term := range terms {
		if strings.Contains(term, "...") {
			more := ranks[i] - len(term) + len("...")
			if more < 0 || more > 12 {
				return nil, "", false
			}
			dots := string([]rune(labels)[12-more:])
			if len(dots) > len(longest) {
				longest = dots
			}
			term = strings.Replace(term, "...", dots, 1)
		}
		if terms[i] = term; len([]rune(term)) != ranks[i] || repeats(term) || strings.Contains(term, ".") {
			return nil, "", false
		}
	}
	if out = strings.Replace(out, "...", longest, 1); !explicit {
		once := slices.DeleteFunc([]rune(strings.Join(terms, "")), func(l rune) bool {
			return strings.Count(left, string(l)) != 1
		})
		slices.Sort(once)
		out = longest + string(once)
	}
	return terms, out, !repeats(out) && out != ""
}

// repeats reports whether a term has a label twice.
func repeats(term string) bool {
	seen := map[rune]bool{}
	for _, l := range term {
		if seen[l] {
			return true
		}
		seen[l] = true
	}
	return false
}

// ownLabels sums v over the axes whose labels are not among others, and drops axes of one element that are longer in other
// operands.
func (b *builder) ownLabels(v value, term string, size map[rune]int, others string) (value, string) {
	shape, kept := v.shape(), ""
	var to, sum []int
	for k, label := range []rune(term) {
		switch known := strings.ContainsRune(others, label); {
		case !known:
			sum = append(sum, v.axis(k))
		case shape[k] == size[label]:
			to, kept = append(to, shape[k]), kept+string(label)
		case shape[k] != 1:
			b.Fail("its axis %c has %d elements and %d: want the same number, or 1", label, shape[k], size[label])
			return v, term
		}
	}
	if len(sum) > 0 {
		slices.Sort(sum)
		v = v.with(b.SumAxes(v.node, sum...))
	}
	if kept == term || b.Err() != nil {
		return v, term
	}
	if len(to) == 0 {
		to = []int{1}
	}
	return b.reshape(v, to), kept
}

// contract multiplies two operands and sums over the labels that are not in keep. With a matrix of weights it is a linear
// layer.
func (b *builder) contract(n *onnx.Node, x, y value, termX, termY, keep string) (value, string) {
	if b.Err() != nil {
		return value{}, ""
	}
	both, onlyX, onlyY, summed := divide(termX, termY, keep)
	one := func(label string) bool { return len([]rune(label)) == 1 }
	switch {
	case both == "" && one(summed) && one(onlyY) && isParameter(y.node):
		z := b.linear(n, x.transpose(places(termX, onlyX+summed)), y.transpose(places(termY, summed+onlyY)), nil)
		return z, onlyX + onlyY
	case both == "" && one(summed) && one(onlyX) && isParameter(x.node):
		z := b.linear(n, y.transpose(places(termY, onlyY+summed)), x.transpose(places(termX, summed+onlyX)), nil)
		return z, onlyY + onlyX
	}
	lengths := func(v value, term, labels string) (s []int) {
		for _, l := range labels {
			s = append(s, v.shape()[slices.Index([]rune(term), l)])
		}
		return s
	}
	matrices := func(v value, term, rows, cols string) value {
		to := append(lengths(v, term, both), product(lengths(v, term, rows)), product(lengths(v, term, cols)))
		if term == "" {
			return b.reshape(v, to)
		}
		return b.reshape(v.transpose(places(term, both+rows+cols)), to)
	}
	to := slices.Concat(lengths(x, termX, both+onlyX), lengths(y, termY, onlyY))
	z := b.product(matrices(x, termX, onlyX, summed), matrices(y, termY, summed, onlyY))
	if len(to) == 0 {
		to = []int{1}
	}
	return b.reshape(z, to), both + onlyX + onlyY
}

// divide sorts the labels of a product into those of both operands and the result, of either operand alone, and of both
// operands but not the result.
func divide(x, y, out string) (both, onlyX, onlyY, summed string) {
	for _, l := range x {
		inY, inOut := strings.ContainsRune(y, l), strings.ContainsRune(out, l)
		switch {
		case inY && inOut:
			both += string(l)
		case !inY:
			onlyX += string(l)
		default:
			summed += string(l)
		}
	}
	for _, l := range y {
		if !strings.ContainsRune(x, l) {
			onlyY += string(l)
		}
	}
	return both, onlyX, onlyY, summed
}

// places returns the permutation that brings axes from one order of their labels into another.
func places(from, to string) []int {
	var perm []int
	for _, l := range to {
		perm = append(perm, slices.Index([]rune(from), l))
	}
	return perm
}

// einsumFactor reports whether an einsum multiplies rows by its i-th operand, a matrix, as (feature, unit) or, if turned, as
// (unit, feature).
func einsumFactor(n *onnx.Node, i int) (factor, turned bool) {
	left, out, explicit := strings.Cut(strings.ReplaceAll(n.String("equation", ""), " ", ""), "->")
	terms := strings.Split(left, ",")
	if !explicit || len(terms) != 2 || i > 1 || len(terms[i]) != 2 {
		return false, false
	}
	features := func(label byte) bool {
		return strings.IndexByte(terms[1-i], label) >= 0 && strings.IndexByte(out, label) < 0
	}
	units := func(label byte) bool {
		return strings.IndexByte(terms[1-i], label) < 0 && strings.IndexByte(out, label) >= 0
	}
	first, second := terms[i][0], terms[i][1]
	turned = units(first) && features(second)
	return turned || features(first) && units(second), turned
}
