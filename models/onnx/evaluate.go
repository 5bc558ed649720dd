package onnx

import (
	"fmt"
	"math"
	"slices"
)

// mostElements is the largest number of elements of a constant that Evaluate makes.
const mostElements = 1 << 26

// constant is a tensor in the form that Evaluate computes with.
type constant struct {
	shape []int
	v     []float64
	whole bool // whether it holds whole numbers or truth values
}

// evaluators compute the ops of constants.
var evaluators = map[string]func(n *Node, in []*constant) ([]*constant, error){
	"Constant": constantOf, "ConstantOfShape": constantOfShape, "Identity": first, "Cast": castTo,
	"Add": arithmetic(func(a, b float64) float64 { return a + b }),
	"Sub": arithmetic(func(a, b float64) float64 { return a - b }),
	"Mul": arithmetic(func(a, b float64) float64 { return a * b }),
	"Div": divide, "Mod": modulo,
	"Pow": arithmetic(math.Pow),
	"Max": arithmetic(math.Max), "Min": arithmetic(math.Min),
	"Equal":          comparison(func(a, b float64) bool { return a == b }),
	"Less":           comparison(func(a, b float64) bool { return a < b }),
	"LessOrEqual":    comparison(func(a, b float64) bool { return a <= b }),
	"Greater":        comparison(func(a, b float64) bool { return a > b }),
	"GreaterOrEqual": comparison(func(a, b float64) bool { return a >= b }),
	"And":            comparison(func(a, b float64) bool { return a != 0 && b != 0 }),
	"Or":             comparison(func(a, b float64) bool { return a != 0 || b != 0 }),
	"Not":            mapped(func(a float64) float64 { return float64(boolInt(a == 0)) }),
	"Neg":            mapped(func(a float64) float64 { return -a }),
	"Abs":            mapped(math.Abs), "Floor": rounding(math.Floor), "Ceil": rounding(math.Ceil),
	"Round": rounding(math.RoundToEven), "Sqrt": fractional(math.Sqrt), "Exp": fractional(math.Exp),
	"Log": fractional(math.Log), "Sin": fractional(math.Sin), "Cos": fractional(math.Cos),
	"Reciprocal": fractional(func(a float64) float64 { return 1 / a }),
	"Where":      whereOf, "Range": rangeOf, "Expand": expandTo, "Tile": tileOf,
	"Reshape": reshapeTo, "Flatten": reshapeTo, "Squeeze": reshapeTo, "Unsqueeze": reshapeTo, "Transpose": transposeOf,
	"Concat": concatOf, "Slice": sliceOf, "Split": splitOf, "Gather": gatherOf, "ScatterND": scatterND,
	"ReduceProd": reduction(1, func(a, b float64) float64 { return a * b }),
	"ReduceSum":  reduction(0, func(a, b float64) float64 { return a + b }),
	"ReduceMax":  reduction(math.Inf(-1), math.Max), "ReduceMin": reduction(math.Inf(1), math.Min),
	"NonZero": nonZero, "Trilu": trilu, "CumSum": cumSum, "Shape": shapeOf, "Size": shapeOf,
}

// CanEvaluate reports whether [Evaluate] knows an op.
func CanEvaluate(op string) bool { return evaluators[op] != nil }

// Evaluate returns the outputs of a node whose inputs are all constants. An optional input that is absent is nil. Its
// errors are [*Error]s, which do not name the node.
func Evaluate(n *Node, in []*Tensor) ([]*Tensor, error) {
	fail := func(err error) error { return &Error{"", -1, err.Error()} }
	all := make([]*constant, len(in))
	for i, t := range in {
		if t == nil {
			continue
		}
		if _, err := elements(t.Shape); err != nil {
			return nil, fail(err)
		}
		v, err := t.Doubles()
		if err != nil {
			return nil, fail(err)
		}
		all[i] = &constant{t.Shape, v, !t.IsFloat()}
	}
	if !CanEvaluate(n.Op) {
		return nil, fail(fmt.Errorf("not an op of constants"))
	}
	results, err := evaluate(n, all)
	if err != nil {
		return nil, fail(err)
	}
	out := make([]*Tensor, len(results))
	for i, c := range results {
		out[i] = c.tensor()
	}
	return out, nil
}

// evaluate calls the evaluator of a node. It makes an error of a panic, which inputs or attributes that do not fit the op may
// cause in a hostile file.
func evaluate(n *Node, in []*constant) (out []*constant, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = n.Misfit(p)
		}
	}()
	return evaluators[n.Op](n, in)
}

// tensor returns the constant as a tensor.
func (c *constant) tensor() *Tensor {
	if !c.whole {
		return Numbers(c.shape, c.v...)
	}
	ints := make([]int64, len(c.v))
	for i, v := range c.v {
		switch {
		case v >= math.MaxInt64: // exporters write it as the end of a slice that has no end
			ints[i] = math.MaxInt64
		case v <= math.MinInt64:
			ints[i] = math.MinInt64
		default:
			ints[i] = int64(v)
		}
	}
	return Ints(c.shape, ints...)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// elements returns the number of elements of a shape, or an error if it is above mostElements. An axis without elements counts
// as one of one element, so that lists of the places along the other axes are not longer either.
func elements(shape []int) (int, error) {
	n, places := 1, 1
	for _, d := range shape {
		if d < 0 || d > mostElements/places {
			return 0, fmt.Errorf("a constant of shape %v: want at most %d elements", shape, mostElements)
		}
		n, places = n*d, places*max(d, 1)
	}
	return n, nil
}

// filled returns a constant whose elements all have one value.
func filled(shape []int, value float64, whole bool) (*constant, error) {
	n, err := elements(shape)
	if err != nil {
		return nil, err
	}
	c := &constant{slices.Clone(shape), make([]float64, n), whole}
	for i := range c.v {
		c.v[i] = value
	}
	return c, nil
}

// required returns the i-th input, or an error if it is missing.
func required(in []*constant, i int) (*constant, error) {
	if i >= len(in) || in[i] == nil {
		return nil, fmt.Errorf("its input %d is missing", i+1)
	}
	return in[i], nil
}

// ints returns the i-th input as whole numbers, clipped to ±2⁴⁰; nil if it is absent.
func ints(in []*constant, i int) []int {
	if i >= len(in) || in[i] == nil {
		return nil
	}
	out := make([]int, len(in[i].v))
	for k, v := range in[i].v {
		out[k] = int(max(-1<<40, min(v, 1<<40)))
	}
	return out
}

// axesOf returns whole numbers that older opsets give as an attribute and newer ones as the i-th input.
func axesOf(n *Node, attribute string, in []*constant, i int) []int {
	if n.Attributes[attribute] != nil {
		return n.Ints(attribute)
	}
	return ints(in, i)
}

// axisOf returns an axis, or an index into an axis, as a number from 0 to rank−1. A negative one counts from the end.
func axisOf(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, fmt.Errorf("axis or index %d: want one from %d to %d", axis, -rank, rank-1)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

func first(_ *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	return []*constant{c}, err
}

func castTo(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	t := Tensor{Type: Type(n.Int("to", int(Float32)))}
	out := &constant{c.shape, slices.Clone(c.v), !t.IsFloat()}
	for i, v := range out.v {
		switch {
		case t.Type == Bool:
			out.v[i] = float64(boolInt(v != 0))
		case out.whole && !c.whole:
			out.v[i] = math.Trunc(float64(float32(v)))
		}
	}
	return []*constant{out}, nil
}

func constantOf(n *Node, _ []*constant) ([]*constant, error) {
	switch {
	case n.Tensor("value") != nil:
		t := n.Tensor("value")
		if _, err := elements(t.Shape); err != nil {
			return nil, err
		}
		v, err := t.Doubles()
		return []*constant{{t.Shape, v, !t.IsFloat()}}, err
	case n.Attributes["value_float"] != nil:
		return []*constant{{nil, []float64{n.Float("value_float", 0)}, false}}, nil
	case n.Attributes["value_int"] != nil:
		return []*constant{{nil, []float64{float64(n.Int("value_int", 0))}, true}}, nil
	case n.Attributes["value_floats"] != nil:
		v := n.Attributes["value_floats"].Doubles()
		return []*constant{{[]int{len(v)}, v, false}}, nil
	case n.Attributes["value_ints"] != nil:
		var v []float64
		for _, i := range n.Ints("value_ints") {
			v = append(v, float64(i))
		}
		return []*constant{{[]int{len(v)}, v, true}}, nil
	}
	return nil, fmt.Errorf("its value is neither a tensor nor numbers")
}

func constantOfShape(n *Node, in []*constant) ([]*constant, error) {
	if _, err := required(in, 0); err != nil {
		return nil, err
	}
	value, whole := 0., false
	if t := n.Tensor("value"); t != nil {
		v, err := t.Doubles()
		if err != nil || len(v) != 1 {
			return nil, fmt.Errorf("its value has %d elements: want one", len(v))
		}
		value, whole = v[0], !t.IsFloat()
	}
	c, err := filled(ints(in, 0), value, whole)
	return []*constant{c}, err
}

func shapeOf(n *Node, in []*constant) ([]*constant, error) {
	c, err := required(in, 0)
	if err != nil {
		return nil, err
	}
	out := ShapeOf(n, c.shape)
	v, err := out.Doubles()
	return []*constant{{out.Shape, v, true}}, err
}

// ShapeOf returns the result of Size, or of Shape with the range of axes that opset 15 added, for a tensor of a shape.
func ShapeOf(n *Node, shape []int) *Tensor {
	if n.Op == "Size" {
		size := int64(1)
		for _, d := range shape {
			size *= int64(d)
		}
		return Ints(nil, size)
	}
	clip := func(i int) int {
		if i < 0 {
			i += len(shape)
		}
		return max(0, min(i, len(shape)))
	}
	from, to := clip(n.Int("start", 0)), clip(n.Int("end", len(shape)))
	out := []int64{}
	for _, d := range shape[from:max(from, to)] {
		out = append(out, int64(d))
	}
	return Ints([]int{len(out)}, out...)
}

func mapped(f func(float64) float64) func(*Node, []*constant) ([]*constant, error) {
	return func(_ *Node, in []*constant) ([]*constant, error) {
		c, err := required(in, 0)
		if err != nil {
			return nil, err
		}
		out := &constant{c.shape, make([]float64, len(c.v)), c.whole}
		for i, v := range c.v {
			out.v[i] = f(v)
		}
		return []*constant{out}, nil
	}
}

// rounding rounds what float32 holds: exporters compute sizes in float32, in which 30 · .7 is 21 and not a little less.
func rounding(f func(float64) float64) func(*Node, []*constant) ([]*constant, error) {
	return mapped(func(a float64) float64 { return f(float64(float32(a))) })
}

func fractional(f func(float64) float64) func(*Node, []*constant) ([]*constant, error) {
	g := mapped(f)
	return func(n *Node, in []*constant) ([]*constant, error) {
		out, err := g(n, in)
		if err == nil {
			out[0].whole = false
		}
		return out, err
	}
}

func arithmetic(f func(a, b float64) float64) func(*Node, []*constant) ([]*constant, error) {
	return func(_ *Node, in []*constant) ([]*constant, error) {
		out, err := required(in, 0)
		for i := 1; err == nil && i < len(in); i++ {
			var c *constant
			if c, err = required(in, i); err == nil {
				out, err = broadcast(out, c, f)
			}
		}
		return []*constant{out}, err
	}
}

func comparison(f func(a, b float64) bool) func(*Node, []*constant) ([]*constant, error) {
	g := arithmetic(func(a, b float64) float64 { return float64(boolInt(f(a, b))) })
	return func(n *Node, in []*constant) ([]*constant, error) {
		out, err := g(n, in)
		if err == nil {
			out[0].whole = true
		}
		return out, err
	}
}

// divide divides, and rounds quotients of whole numbers towards zero.
func divide(n *Node, in []*constant) ([]*constant, error) {
	zero := false
	out, err := arithmetic(func(a, b float64) float64 {
		zero = zero || b == 0
		return a / b
	})(n, in)
	if err == nil && out[0].whole {
		if zero {
			return nil, fmt.Errorf("a division of whole numbers by 0")
		}
		for i, v := range out[0].v {
			out[0].v[i] = math.Trunc(v)
		}
	}
	return out, err
}

// modulo returns remainders with the sign of the divisor or, with the attribute fmod, of the dividend.
func modulo(n *Node, in []*constant) ([]*constant, error) {
	fmod, zero := n.Int("fmod", 0) != 0, false
	out, err := arithmetic(func(a, b float64) float64 {
		zero = zero || b == 0
		r := math.Mod(a, b)
		if !fmod && r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r
	})(n, in)
	if err == nil && out[0].whole && zero {
		return nil, fmt.Errorf("a remainder of whole numbers divided by 0")
	}
	return out, err
}
