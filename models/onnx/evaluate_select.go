package onnx

import (
	"fmt"
	"math"
	"slices"
)

func whereOf(_ *Node, in []*constant) ([]*constant, error) {
	var all [3]*constant
	var shape []int
	for i := range all {
		c, err := required(in, i)
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
		c, err := required(in, i)
		if err != nil || len(c.v) != 1 {
			return nil, fmt.Errorf("want a start, an end and a step")
		}
		v[i] = c.v[0]
	}
	if v[2] == 0 || !((v[1]-v[0])/v[2] <= mostElements) {
		return nil, fmt.Errorf("a range from %v to %v in steps of %v: want at most %d elements", v[0], v[1], v[2],
			mostElements)
	}
	out := &constant{whole: in[0].whole && in[2].whole, v: make([]float64, max(0, int(math.Ceil((v[1]-v[0])/v[2]))))}
	for i := range out.v {
		out.v[i] = v[0] + float64(i)*v[2]
	}
	out.shape = []int{len(out.v)}
	return []*constant{out}, nil
}

// taken returns the elements of a constant whose index on each axis k is one in index[k].
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

// all returns the list of all indices of each axis.
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

func sliceOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	cuts, err := Cuts(c.shape, axesOf(n, "starts", in, 1), axesOf(n, "ends", in, 2), axesOf(n, "axes", in, 3), ints(in, 4))
	if err != nil {
		return nil, err
	}
	index := c.all()
	for _, cut := range cuts {
		index[cut.Axis] = cut.Index
	}
	out, err := c.taken(index)
	return []*constant{out}, err
}

// Cut is what a Slice takes of an axis: the elements of Index, which are Step apart.
type Cut struct {
	Axis, Step int
	Index      []int
}

// Cuts returns what a Slice takes of a tensor, axis by axis. Nil axes are the first ones, and nil steps are 1. Lists of
// different lengths, axes that the tensor lacks or that are repeated, and steps of 0 are an error.
func Cuts(shape, starts, ends, axes, steps []int) ([]Cut, error) {
	if len(starts) != len(ends) || axes != nil && len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		return nil, fmt.Errorf("%d starts, %d ends, %d axes and %d steps: want the same number of each", len(starts), len(ends),
			len(axes), len(steps))
	}
	var cuts []Cut
	for i := range starts {
		axis, step := i, 1
		if axes != nil {
			axis = axes[i]
		}
		axis, err := axisOf(axis, len(shape))
		if err != nil {
			return nil, err
		}
		if steps != nil {
			step = steps[i]
		}
		if step == 0 {
			return nil, fmt.Errorf("a step of 0: want one above or below 0")
		}
		if slices.ContainsFunc(cuts, func(c Cut) bool { return c.Axis == axis }) {
			return nil, fmt.Errorf("axes %v: want each once", axes)
		}
		cuts = append(cuts, Cut{axis, step, Sliced(starts[i], ends[i], step, shape[axis])})
	}
	return cuts, nil
}

// Sliced returns the indices that a slice takes of an axis of a size, by numpy's rules: negative starts and ends count
// from the end of the axis, and both are clipped to it.
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
	c, err := required(in, 0)
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
	misfit := func() error {
		return fmt.Errorf("parts of %v of an axis of %d: want sizes that add up to %d", sizes, c.shape[axis], c.shape[axis])
	}
	var out []*constant
	at := 0
	for _, s := range sizes {
		if s < 0 || s > c.shape[axis]-at {
			return nil, misfit()
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
	if at != c.shape[axis] {
		return nil, misfit()
	}
	if len(out) != parts {
		return nil, fmt.Errorf("parts of %v: want %d, as many as there are outputs", sizes, parts)
	}
	return out, nil
}

func gatherOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	which, err := required(in, 1)
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
		at, err := axisOf(v, c.shape[axis])
		if err != nil {
			return nil, fmt.Errorf("index %d of an axis of %d: want one from %d to %d", v, c.shape[axis], -c.shape[axis],
				c.shape[axis]-1)
		}
		index[axis] = append(index[axis], at)
	}
	out, err := c.taken(index)
	if err != nil {
		return nil, err
	}
	out.shape = slices.Concat(c.shape[:axis], which.shape, c.shape[axis+1:])
	return []*constant{out}, nil
}

func scatterND(n *Node, in []*constant) ([]*constant, error) {
	if r := n.String("reduction", "none"); r != "none" {
		return nil, fmt.Errorf("its reduction is %q: want none", r)
	}
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	index, err := required(in, 1)
	if err != nil || len(index.shape) == 0 {
		return nil, fmt.Errorf("a scatter without indices: want a tensor of indices as input 2")
	}
	updates, err := required(in, 2)
	if err != nil {
		return nil, err
	}
	depth := index.shape[len(index.shape)-1]
	if depth < 1 || depth > len(c.shape) {
		return nil, fmt.Errorf("indices of shape %v into %v: want from 1 to %d on the last axis", index.shape, c.shape,
			len(c.shape))
	}
	block := 1
	for _, d := range c.shape[depth:] {
		block *= d
	}
	count := len(index.v) / depth
	if len(updates.v) != count*block {
		return nil, fmt.Errorf("updates of %d elements: want %d, of %d for each of %d indices", len(updates.v), count*block,
			block, count)
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

func nonZero(_ *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
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
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	if len(c.shape) < 2 {
		return nil, fmt.Errorf("a triangle of a tensor of shape %v: want at least 2 axes", c.shape)
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
