package onnx

import (
	"fmt"
	"slices"
)

// broadcastShape returns the shape to which two shapes are expanded.
func broadcastShape(a, b []int) ([]int, error) {
	shape := make([]int, max(len(a), len(b)))
	for k := range shape {
		x, y := 1, 1
		if i := k - len(shape) + len(a); i >= 0 {
			x = a[i]
		}
		if i := k - len(shape) + len(b); i >= 0 {
			y = b[i]
		}
		if x != y && x != 1 && y != 1 {
			return nil, fmt.Errorf("shapes %v and %v do not broadcast", a, b)
		}
		shape[k] = x
		if x == 1 {
			shape[k] = y
		}
	}
	_, err := elements(shape)
	return shape, err
}

// places calls see with the index in an array of one shape, expanded to another one, of every element of that.
func places(own, shape []int, see func(i, at int)) {
	steps := make([]int, len(shape))
	step := 1
	for k := len(shape) - 1; k >= 0; k-- {
		if i := k - len(shape) + len(own); i >= 0 {
			if own[i] > 1 {
				steps[k] = step
			}
			step *= own[i]
		}
	}
	index := make([]int, len(shape))
	at, n := 0, 1
	for _, d := range shape {
		n *= d
	}
	for i := range n {
		see(i, at)
		for k := len(shape) - 1; k >= 0; k-- {
			at += steps[k]
			if index[k]++; index[k] < shape[k] {
				break
			}
			at -= steps[k] * shape[k]
			index[k] = 0
		}
	}
}

// expanded returns the elements of a constant, repeated to a shape.
func (c *constant) expanded(shape []int) []float64 {
	n := 1
	for _, d := range shape {
		n *= d
	}
	out := make([]float64, n)
	places(c.shape, shape, func(i, at int) { out[i] = c.v[at] })
	return out
}

func broadcast(a, b *constant, f func(a, b float64) float64) (*constant, error) {
	shape, err := broadcastShape(a.shape, b.shape)
	if err != nil {
		return nil, err
	}
	out := &constant{shape, a.expanded(shape), a.whole && b.whole}
	for i, v := range b.expanded(shape) {
		out.v[i] = f(out.v[i], v)
	}
	return out, nil
}

func whereOf(_ *Node, in []*constant) ([]*constant, error) {
	var all [3]*constant
	var shape []int
	for i := range all {
		c, err := need(in, i)
		if err != nil {
			return nil, err
		}
		if all[i] = c; i == 0 {
			shape = c.shape
		}
		if shape, err = broadcastShape(shape, c.shape); err != nil {
			return nil, err
		}
	}
	choice, a, b := all[0].expanded(shape), all[1].expanded(shape), all[2].expanded(shape)
	for i, c := range choice {
		if c == 0 {
			a[i] = b[i]
		}
	}
	return []*constant{{shape, a, all[1].whole && all[2].whole}}, nil
}

func rangeOf(_ *Node, in []*constant) ([]*constant, error) {
	var v [3]float64
	for i := range v {
		c, err := need(in, i)
		if err != nil || len(c.v) != 1 {
			return nil, fmt.Errorf("want a start, an end and a step")
		}
		v[i] = c.v[0]
	}
	if v[2] == 0 || !((v[1]-v[0])/v[2] <= mostElements) {
		return nil, fmt.Errorf("a range from %v to %v in steps of %v: want at most %d elements", v[0], v[1], v[2],
			mostElements)
	}
	out := &constant{whole: in[0].whole && in[2].whole, v: []float64{}}
	for x := v[0]; v[2] > 0 && x < v[1] || v[2] < 0 && x > v[1]; x += v[2] {
		if out.v = append(out.v, x); len(out.v) > mostElements {
			return nil, fmt.Errorf("a range of more than %d elements", mostElements)
		}
	}
	out.shape = []int{len(out.v)}
	return []*constant{out}, nil
}

func expandTo(_ *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	shape, err := broadcastShape(c.shape, ints(in, 1))
	if err != nil {
		return nil, err
	}
	return []*constant{{shape, c.expanded(shape), c.whole}}, nil
}

func reshapeTo(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	shape, open, known := slices.Clone(ints(in, 1)), -1, 1
	for i, d := range shape {
		switch {
		case d == 0 && n.Int("allowzero", 0) == 0 && i < len(c.shape):
			shape[i] = c.shape[i]
		case d == -1 && open < 0:
			open = i
			continue
		case d < 0 || d > mostElements:
			return nil, fmt.Errorf("a reshape to %v", shape)
		}
		if known *= shape[i]; known > mostElements {
			return nil, fmt.Errorf("a reshape to %v", shape)
		}
	}
	if open >= 0 && known > 0 {
		shape[open] = len(c.v) / known
		known *= shape[open]
	}
	if known != len(c.v) {
		return nil, fmt.Errorf("a reshape of %v to %v", c.shape, shape)
	}
	return []*constant{{shape, c.v, c.whole}}, nil
}

func flattenTo(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	axis := n.Int("axis", 1)
	if axis < 0 {
		axis += len(c.shape)
	}
	if axis < 0 || axis > len(c.shape) {
		return nil, fmt.Errorf("axis %d of %v", axis, c.shape)
	}
	rows, err := elements(c.shape[:axis])
	if err != nil || rows == 0 {
		return nil, fmt.Errorf("a flattening of %v", c.shape)
	}
	return []*constant{{[]int{rows, len(c.v) / rows}, c.v, c.whole}}, nil
}

func squeezeTo(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	axes := axesOf(n, "axes", in, 1)
	var gone []int
	for _, a := range axes {
		if a, err = axisOf(a, len(c.shape)); err != nil || c.shape[a] != 1 {
			return nil, fmt.Errorf("axes %v of %v: want some of one element", axes, c.shape)
		}
		gone = append(gone, a)
	}
	shape := []int{}
	for i, d := range c.shape {
		if !(slices.Contains(gone, i) || axes == nil && d == 1) {
			shape = append(shape, d)
		}
	}
	return []*constant{{shape, c.v, c.whole}}, nil
}

func unsqueezeTo(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	axes := axesOf(n, "axes", in, 1)
	rank := len(c.shape) + len(axes)
	if rank > maxRank {
		return nil, fmt.Errorf("a tensor of %d axes", rank)
	}
	shape := make([]int, rank)
	for _, a := range axes {
		if a, err = axisOf(a, rank); err != nil {
			return nil, err
		}
		shape[a] = 1
	}
	rest := c.shape
	for i := range shape {
		if shape[i] == 0 {
			if len(rest) == 0 {
				return nil, fmt.Errorf("axes %v, of which one is there twice", axes)
			}
			shape[i], rest = rest[0], rest[1:]
		}
	}
	return []*constant{{shape, c.v, c.whole}}, nil
}

// taken returns the elements of a constant with given indices on every axis.
func (c *constant) taken(index [][]int) (*constant, error) {
	shape := make([]int, len(index))
	for k := range index {
		shape[k] = len(index[k])
	}
	n, err := elements(shape)
	if err != nil {
		return nil, err
	}
	out := &constant{shape, make([]float64, n), c.whole}
	for i := range out.v {
		rest, at, step := i, 0, 1
		for k := len(shape) - 1; k >= 0; k-- {
			at += index[k][rest%shape[k]] * step
			rest /= shape[k]
			step *= c.shape[k]
		}
		out.v[i] = c.v[at]
	}
	return out, nil
}

// all returns the indices of every axis.
func (c *constant) all() [][]int {
	index := make([][]int, len(c.shape))
	for k, d := range c.shape {
		index[k] = make([]int, d)
		for i := range index[k] {
			index[k][i] = i
		}
	}
	return index
}

func transposeOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	rank := len(c.shape)
	perm := n.Ints("perm")
	if perm == nil {
		for k := rank - 1; k >= 0; k-- {
			perm = append(perm, k)
		}
	}
	sorted := slices.Sorted(slices.Values(perm))
	shape, steps := make([]int, rank), make([]int, rank)
	for k := range sorted {
		if len(perm) != rank || sorted[k] != k {
			return nil, fmt.Errorf("a permutation %v of %d axes", perm, rank)
		}
	}
	for k := range shape {
		shape[k] = c.shape[perm[k]]
		steps[k] = 1
		for _, d := range c.shape[perm[k]+1:] {
			steps[k] *= d
		}
	}
	out := &constant{shape, make([]float64, len(c.v)), c.whole}
	for i := range out.v {
		rest, at := i, 0
		for k := rank - 1; k >= 0; k-- {
			at += rest % shape[k] * steps[k]
			rest /= shape[k]
		}
		out.v[i] = c.v[at]
	}
	return []*constant{out}, nil
}

func concatOf(n *Node, in []*constant) ([]*constant, error) {
	head, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(n.Int("axis", 0), len(head.shape))
	if err != nil {
		return nil, err
	}
	out := &constant{slices.Clone(head.shape), nil, head.whole}
	outer := 1
	for _, d := range head.shape[:axis] {
		outer *= d
	}
	out.shape[axis] = 0
	for i := range in {
		c, err := need(in, i)
		if err != nil || len(c.shape) != len(head.shape) || outer > 0 && len(c.v)%outer != 0 {
			return nil, fmt.Errorf("a concatenation of constants of different shapes")
		}
		for k := range c.shape {
			if k != axis && c.shape[k] != head.shape[k] {
				return nil, fmt.Errorf("a concatenation of %v and %v", head.shape, c.shape)
			}
		}
		out.shape[axis] += c.shape[axis]
		out.whole = out.whole && c.whole
	}
	if _, err := elements(out.shape); err != nil {
		return nil, err
	}
	for o := range outer {
		for _, c := range in {
			n := len(c.v) / outer
			out.v = append(out.v, c.v[o*n:(o+1)*n]...)
		}
	}
	return []*constant{out}, nil
}

func sliceOf(_ *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	starts, ends, axes, steps := ints(in, 1), ints(in, 2), ints(in, 3), ints(in, 4)
	index := c.all()
	if len(starts) != len(ends) || axes != nil && len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		return nil, fmt.Errorf("%d starts, %d ends, %d axes and %d steps", len(starts), len(ends), len(axes), len(steps))
	}
	for i := range starts {
		axis, step := i, 1
		if axes != nil {
			axis = axes[i]
		}
		if axis, err = axisOf(axis, len(c.shape)); err != nil {
			return nil, err
		}
		if steps != nil {
			step = steps[i]
		}
		if step == 0 {
			return nil, fmt.Errorf("a step of 0")
		}
		index[axis] = Sliced(starts[i], ends[i], step, c.shape[axis])
	}
	out, err := c.taken(index)
	return []*constant{out}, err
}

// Sliced returns the indices of a slice of an axis of some size by the rules of numpy: negative starts and ends count
// from the end, and all are brought into the axis.
func Sliced(start, end, step, size int) []int {
	lo, hi := 0, size
	if step < 0 {
		lo, hi = -1, size-1
	}
	clip := func(i int) int {
		if i < 0 {
			i = max(i, -size-1) + size
		}
		return max(lo, min(i, hi))
	}
	index := []int{}
	start, end = clip(start), clip(end)
	for i := start; step > 0 && i < end || step < 0 && i > end; i += max(-size, min(step, size)) {
		index = append(index, i)
	}
	return index
}

func splitOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(n.Int("axis", 0), len(c.shape))
	if err != nil {
		return nil, err
	}
	sizes := axesOf(n, "split", in, 1)
	parts := len(n.Outputs)
	if sizes == nil {
		each := (c.shape[axis] + parts - 1) / max(parts, 1)
		for left := c.shape[axis]; left > 0 && each > 0; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	var out []*constant
	at := 0
	for _, s := range sizes {
		if s < 0 || s > c.shape[axis]-at {
			return nil, fmt.Errorf("parts of %v of an axis of %d", sizes, c.shape[axis])
		}
		index := c.all()
		index[axis] = index[axis][at : at+s]
		part, err := c.taken(index)
		if err != nil {
			return nil, err
		}
		out = append(out, part)
		at += s
	}
	if at != c.shape[axis] || len(out) != parts {
		return nil, fmt.Errorf("parts of %v of an axis of %d", sizes, c.shape[axis])
	}
	return out, nil
}

func gatherOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	which, err := need(in, 1)
	if err != nil {
		return nil, err
	}
	axis, err := axisOf(n.Int("axis", 0), len(c.shape))
	if err != nil {
		return nil, err
	}
	index := c.all()
	index[axis] = nil
	for _, v := range ints(in, 1) {
		if v, err = axisOf(v, c.shape[axis]); err != nil {
			return nil, fmt.Errorf("index %d of an axis of %d", v, c.shape[axis])
		}
		index[axis] = append(index[axis], v)
	}
	out, err := c.taken(index)
	if err != nil {
		return nil, err
	}
	out.shape = slices.Concat(c.shape[:axis], which.shape, c.shape[axis+1:])
	return []*constant{out}, nil
}

func scatterND(_ *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	index, err := need(in, 1)
	if err != nil || len(index.shape) == 0 {
		return nil, fmt.Errorf("want indices")
	}
	updates, err := need(in, 2)
	if err != nil {
		return nil, err
	}
	depth := index.shape[len(index.shape)-1]
	if depth < 1 || depth > len(c.shape) {
		return nil, fmt.Errorf("indices of shape %v into %v", index.shape, c.shape)
	}
	block := 1
	for _, d := range c.shape[depth:] {
		block *= d
	}
	count := len(index.v) / depth
	if len(updates.v) != count*block {
		return nil, fmt.Errorf("%d updates of %d elements, found %d", count, block, len(updates.v))
	}
	out := &constant{c.shape, slices.Clone(c.v), c.whole}
	where := ints(in, 1)
	for i := range count {
		at := 0
		for k := range depth {
			v, err := axisOf(where[i*depth+k], c.shape[k])
			if err != nil {
				return nil, err
			}
			at = at*c.shape[k] + v
		}
		copy(out.v[at*block:(at+1)*block], updates.v[i*block:])
	}
	return []*constant{out}, nil
}

func tileOf(_ *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	repeats := ints(in, 1)
	if len(repeats) != len(c.shape) {
		return nil, fmt.Errorf("%d repeats of %d axes", len(repeats), len(c.shape))
	}
	index := c.all()
	for k, times := range repeats {
		if times < 0 || times*len(index[k]) > mostElements {
			return nil, fmt.Errorf("an axis repeated %d times", times)
		}
		index[k] = slices.Repeat(index[k], times)
	}
	out, err := c.taken(index)
	return []*constant{out}, err
}

func reduction(start float64, f func(a, b float64) float64) func(*Node, []*constant) ([]*constant, error) {
	return func(n *Node, in []*constant) ([]*constant, error) {
		c, err := need(in, 0)
		if err != nil {
			return nil, err
		}
		axes := axesOf(n, "axes", in, 1)
		kept := slices.Clone(c.shape)
		gone := make([]bool, len(kept))
		for k := range gone {
			gone[k] = len(axes) == 0
		}
		for _, a := range axes {
			if a, err = axisOf(a, len(kept)); err != nil {
				return nil, err
			}
			gone[a] = true
		}
		shape := []int{}
		for k := range kept {
			if gone[k] {
				kept[k] = 1
			}
			if !gone[k] || n.Int("keepdims", 1) != 0 {
				shape = append(shape, kept[k])
			}
		}
		out, err := filled(kept, start, c.whole)
		if err != nil {
			return nil, err
		}
		places(kept, c.shape, func(i, at int) { out.v[at] = f(out.v[at], c.v[i]) })
		out.shape = shape
		return []*constant{out}, nil
	}
}

func nonZero(_ *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	rank := max(1, len(c.shape))
	if _, err := elements([]int{rank, len(c.v)}); err != nil {
		return nil, err
	}
	places := make([][]float64, rank)
	for i, v := range c.v {
		if v == 0 {
			continue
		}
		rest := i
		for k := rank - 1; k >= 0; k-- {
			d := 1
			if k < len(c.shape) {
				d = c.shape[k]
			}
			places[k] = append(places[k], float64(rest%d))
			rest /= d
		}
	}
	return []*constant{{[]int{rank, len(places[0])}, slices.Concat(places...), true}}, nil
}

func trilu(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	if len(c.shape) < 2 {
		return nil, fmt.Errorf("a triangle of %v", c.shape)
	}
	k := 0
	if d := ints(in, 1); len(d) == 1 {
		k = d[0]
	}
	rows, cols := c.shape[len(c.shape)-2], c.shape[len(c.shape)-1]
	out := &constant{c.shape, slices.Clone(c.v), c.whole}
	for i := range out.v {
		r, col := i/cols%rows, i%cols
		if upper := n.Int("upper", 1) != 0; upper && col-r < k || !upper && col-r > k {
			out.v[i] = 0
		}
	}
	return []*constant{out}, nil
}

func cumSum(n *Node, in []*constant) ([]*constant, error) {
	c, err := need(in, 0)
	if err != nil {
		return nil, err
	}
	along := ints(in, 1)
	if len(along) != 1 || n.Int("exclusive", 0) != 0 || n.Int("reverse", 0) != 0 {
		return nil, fmt.Errorf("want one axis, and neither exclusive nor reverse")
	}
	axis, err := axisOf(along[0], len(c.shape))
	if err != nil {
		return nil, err
	}
	inner := 1
	for _, d := range c.shape[axis+1:] {
		inner *= d
	}
	out := &constant{c.shape, slices.Clone(c.v), c.whole}
	for i := range out.v {
		if i/inner%c.shape[axis] > 0 {
			out.v[i] += out.v[i-inner]
		}
	}
	return []*constant{out}, nil
}
