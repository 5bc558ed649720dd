package totoml

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
	"github.com/ansatz-lab/ansatz/models/onnx"
)

// tokensLayer makes tokens of images.
var tokensLayer = layers.Tokens{}

// lowerings make ops of the nodes of an op that depend on the images.
var lowerings map[string]func(l *lowering, n *onnx.Node) error

func init() {
	lowerings = map[string]func(l *lowering, n *onnx.Node) error{
		"Identity": keep, "Cast": keep, "CastLike": keep, "Dropout": dropout,

		"Relu": activation(models.ReLU{}), "Tanh": activation(models.Tanh{}), "Sigmoid": activation(layers.Sigmoid),
		"Softplus": activation(layers.Softplus), "Mish": activation(layers.Mish),
		"HardSwish": activation(layers.HardSwish), "HardSigmoid": hardSigmoid, "LeakyRelu": leakyReLU, "Elu": elu,
		"Gelu": gelu, "Erf": part(isErf, 0), "Sqrt": part(isSqrt, 0), "Neg": part(isScale, -1), "Clip": clip,

		"Conv": conv, "ConvTranspose": convTranspose, "Gemm": gemm, "MatMul": matMul,
		"BatchNormalization": batchNorm, "LayerNormalization": layerNorm, "InstanceNormalization": instanceNorm,

		"MaxPool": pool, "AveragePool": pool, "GlobalAveragePool": reduceMean, "ReduceMean": reduceMean,
		"GlobalMaxPool": reduceMax, "ReduceMax": reduceMax,
		"Softmax": softmax, "LogSoftmax": softmax,

		"Reshape": reshape, "Flatten": reshape, "Squeeze": reshape, "Unsqueeze": reshape, "Transpose": transpose,
		"Slice": slice, "Split": split, "Gather": gather, "Expand": expand, "Pad": pad, "Resize": resize,
		"Upsample": resize,

		"Add": add, "Sub": sub, "Mul": mul, "Div": div, "Pow": pow, "Concat": concatenation,
	}
}

func keep(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	l.set(n, x)
	return err
}

func dropout(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	p := n.Float("ratio", .5)
	if len(n.Inputs) > 1 && n.Inputs[1] != "" {
		var ok bool
		if p, ok = l.number(n.Inputs[1]); !ok {
			return errors.New("its ratio is no constant")
		}
	}
	if p = short(p); p == 0 {
		return keep(l, n)
	}
	l.after(n, x, op{what: isLayer, layer: models.Dropout{P: p}})
	return nil
}

// activation returns the lowering of a function of each element that is a layer.
func activation(a models.Layer) func(*lowering, *onnx.Node) error {
	return func(l *lowering, n *onnx.Node) error {
		x, err := l.input(n, 0)
		if err == nil {
			l.after(n, x, op{what: isLayer, layer: a})
		}
		return err
	}
}

// part returns the lowering of a function of each element that is no layer.
func part(what string, a float64) func(*lowering, *onnx.Node) error {
	return func(l *lowering, n *onnx.Node) error {
		x, err := l.input(n, 0)
		if err == nil {
			l.after(n, x, op{what: what, a: a})
		}
		return err
	}
}

// short returns the number with the fewest digits that is v in float32, in which exporters store numbers.
func short(v float64) float64 {
	if f := float32(v); float64(f) == v {
		var out float64
		if _, err := fmt.Sscan(fmt.Sprint(f), &out); err == nil {
			return out
		}
	}
	return v
}

// near reports whether a number is another one but for the rounding to float32 of what it was computed from.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-6*math.Abs(b) }

func hardSigmoid(l *lowering, n *onnx.Node) error {
	if !near(n.Float("alpha", .2), 1./6) || !near(n.Float("beta", .5), .5) {
		return fmt.Errorf("its alpha and beta are %v and %v: the layer hardsigmoid has 1/6 and 1/2",
			short(n.Float("alpha", .2)), short(n.Float("beta", .5)))
	}
	return activation(layers.HardSigmoid)(l, n)
}

func leakyReLU(l *lowering, n *onnx.Node) error {
	return activation(layers.LeakyReLU(short(n.Float("alpha", .01))))(l, n)
}

func elu(l *lowering, n *onnx.Node) error {
	return activation(layers.ELU(short(n.Float("alpha", 1))))(l, n)
}

func gelu(l *lowering, n *onnx.Node) error {
	if n.String("approximate", "none") == "tanh" {
		return activation(layers.GELUTanh)(l, n)
	}
	return activation(layers.GELU)(l, n)
}

func clip(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	bounds := [2]float64{n.Float("min", math.Inf(-1)), n.Float("max", math.Inf(1))}
	for i := range bounds {
		if len(n.Inputs) > 1+i && n.Inputs[1+i] != "" {
			var ok bool
			if bounds[i], ok = l.number(n.Inputs[1+i]); !ok {
				return errors.New("its bounds are no constants")
			}
		}
	}
	o := op{what: isClip, a: bounds[0], b: bounds[1]}
	switch {
	case o.a == 0 && o.b == 6:
		o = op{what: isLayer, layer: layers.ReLU6}
	case o.a == 0 && o.b > math.MaxFloat32/2:
		o = op{what: isLayer, layer: models.ReLU{}}
	}
	l.after(n, x, o)
	return nil
}

// pair returns the two numbers of an attribute for rows and columns.
func pair(n *onnx.Node, attribute string, otherwise int) ([2]int, error) {
	switch v := n.Ints(attribute); len(v) {
	case 0:
		return [2]int{otherwise, otherwise}, nil
	case 2:
		return [2]int(v), nil
	default:
		return [2]int{}, fmt.Errorf("its %s are %v, not for rows and columns", attribute, v)
	}
}

// windows reads what convolutions and pools have in common.
func windows(n *onnx.Node) (stride, dilation, padding [2]int, err error) {
	stride, err = pair(n, "strides", 1)
	dilation, more := pair(n, "dilations", 1)
	err = errors.Join(err, more)
	switch v := n.Ints("pads"); {
	case len(v) == 0:
	case len(v) != 4 || v[0] != v[2] || v[1] != v[3]:
		err = errors.Join(err, fmt.Errorf("its pads are %v: those of a layer are the same before and after", v))
	default:
		padding = [2]int(v)
	}
	if auto := n.String("auto_pad", "NOTSET"); auto != "NOTSET" && auto != "VALID" && auto != "" {
		err = errors.Join(err, fmt.Errorf("its auto_pad is %s: a layer has a fixed padding", auto))
	}
	return stride, dilation, padding, err
}

// spatial returns the sizes of the images that a node makes.
func (l *lowering) spatial(n *onnx.Node) (value, error) {
	s := l.trace.Shape(n.Outputs[0])
	if len(s) != 4 {
		return value{}, fmt.Errorf("it makes a tensor of shape %v, not images", s)
	}
	return value{image, s[1], s[2], s[3], 1}, nil
}

// filters reads the weights, the bias and the geometry of a convolution, and makes its op.
func (l *lowering) filters(n *onnx.Node) (x tensor, o op, g graph.Conv2D, err error) {
	x, v, err := l.images(n)
	if err != nil {
		return x, o, g, err
	}
	w, err := l.weight(n, 1)
	if err != nil {
		return x, o, g, err
	}
	stride, dilation, padding, err := windows(n)
	if err != nil {
		return x, o, g, err
	}
	out, err := l.spatial(n)
	if err != nil {
		return x, o, g, err
	}
	if len(w.shape) != 4 || w.turned {
		return x, o, g, fmt.Errorf("its filters have the shape %v", w.shape)
	}
	g = graph.Conv2D{StrideH: stride[0], StrideW: stride[1], PadH: padding[0], PadW: padding[1],
		DilateH: dilation[0], DilateW: dilation[1], Groups: n.Int("group", 1)}
	o = op{what: isLayer, in: []int{x.op}, out: out, name: l.call(n, w.name),
		params: []param{same("weight", w.name, w.shape...)}}
	if len(n.Inputs) > 2 && n.Inputs[2] != "" {
		b, err := l.weight(n, 2)
		if err != nil {
			return x, o, g, err
		}
		o.params = append(o.params, same("bias", b.name, out.f))
	}
	for _, p := range o.params {
		err = errors.Join(err, l.own(n, p.from...))
	}
	x.form = x.imageForm(out)
	_ = v
	return x, o, g, err
}

func conv(l *lowering, n *onnx.Node) error {
	x, o, g, err := l.filters(n)
	if err != nil {
		return err
	}
	channels := l.ops[x.op].out.f
	c := models.Conv{Filters: o.out.f, Kernel: [2]int(o.params[0].shape[2:]), Geometry: g, NoBias: len(o.params) < 2}
	if g.Groups == channels && channels > 1 {
		c.Depthwise, c.Geometry.Groups = true, 0
	}
	o.layer = c
	l.set(n, tensor{l.add(n, o), x.form})
	return nil
}

func convTranspose(l *lowering, n *onnx.Node) error {
	x, o, g, err := l.filters(n)
	if err != nil {
		return err
	}
	more, err := pair(n, "output_padding", 0)
	if err != nil {
		return err
	}
	o.layer = layers.ConvTranspose{Filters: o.out.f, Kernel: [2]int(o.params[0].shape[2:]), Geometry: g, More: more,
		NoBias: len(o.params) < 2}
	l.set(n, tensor{l.add(n, o), x.form})
	return nil
}

// pool is a maximum or a mean of windows.
func pool(l *lowering, n *onnx.Node) error {
	x, _, err := l.images(n)
	if err != nil {
		return err
	}
	kernel, err := pair(n, "kernel_shape", 1)
	if err != nil {
		return err
	}
	stride, dilation, padding, err := windows(n)
	if err != nil {
		return err
	}
	out, err := l.spatial(n)
	if err != nil {
		return err
	}
	if dilation != [2]int{1, 1} {
		return fmt.Errorf("its windows are dilated by %v", dilation)
	}
	p := graph.Pool2D{SizeH: kernel[0], SizeW: kernel[1], StrideH: stride[0], StrideW: stride[1], PadH: padding[0],
		PadW: padding[1], Ceil: n.Int("ceil_mode", 0) != 0}
	o := op{what: isLayer, in: []int{x.op}, out: out, layer: models.MaxPool(p)}
	if n.Op == "AveragePool" {
		p.CountPad = n.Int("count_include_pad", 0) != 0 || padding == [2]int{}
		o.layer = models.AvgPool(p)
	}
	l.set(n, tensor{l.add(n, o), x.imageForm(out)})
	return nil
}

// reduced returns the axes that a node reduces over, and the form without them.
func (l *lowering) reduced(n *onnx.Node, x tensor) (over []atom, rest form, err error) {
	axes, given := []int{2, 3}, true
	keep := true
	if n.Op[0] == 'R' { // a reduction, no global pool
		axes, given = l.ints(n, "axes", 1)
		keep = n.Int("keepdims", 1) != 0
	}
	if !given || len(axes) == 0 {
		return nil, nil, errors.New("it reduces over all axes")
	}
	gone := map[int]bool{}
	for _, a := range axes {
		if a < 0 {
			a += len(x.form)
		}
		gone[a] = true
	}
	for i, axis := range x.form {
		switch {
		case !gone[i]:
			rest = append(rest, axis)
		case keep:
			rest = append(rest, nil)
		}
		if gone[i] {
			over = append(over, axis...)
		}
	}
	return merged(over), rest, nil
}

func reduceMean(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	over, rest, err := l.reduced(n, x)
	if err != nil {
		return err
	}
	v := l.ops[x.op].out
	o := op{what: isLayer, in: []int{x.op}}
	switch {
	case len(over) == 0:
		l.set(n, tensor{x.op, rest})
		return nil
	case slices.Equal(over, concat(whole(axisR, v.r), whole(axisC, v.c))):
		o.layer, o.out = models.AdaptiveAvgPool{H: 1, W: 1}, value{image, v.f, 1, 1, 1}
	case slices.Equal(over, whole(axisT, v.t)):
		o.layer, o.out = layers.MeanToken{}, value{features, v.f, 1, 1, 1}
	case slices.Equal(over, whole(axisF, v.f)):
		o.layer, o.out = models.ChannelMean{}, v
		o.out.f = 1
	default:
		return errors.New("it takes the mean over other axes than all rows and columns, all tokens or all channels")
	}
	l.set(n, tensor{l.add(n, o), rest})
	return nil
}

func reduceMax(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	over, rest, err := l.reduced(n, x)
	if err != nil {
		return err
	}
	v := l.ops[x.op].out
	if v.kind != image || !slices.Equal(over, concat(whole(axisR, v.r), whole(axisC, v.c))) {
		return errors.New("it takes the maximum over other axes than all rows and columns")
	}
	l.set(n, tensor{l.add(n, op{what: isLayer, in: []int{x.op}, layer: models.GlobalMaxPool{},
		out: value{image, v.f, 1, 1, 1}}), rest})
	return nil
}

// softmax is a part of an attention, or a layer.
func softmax(l *lowering, n *onnx.Node) error {
	x, err := l.input(n, 0)
	if err != nil {
		return err
	}
	axis, last := n.Int("axis", -1), len(x.form)-1
	if n.Opset < 13 {
		axis = n.Int("axis", 1) // and all axes after it
	}
	if axis < 0 {
		axis += len(x.form)
	}
	v := l.ops[x.op].out
	switch run := x.form[axis]; {
	case n.Opset < 13 && axis != last:
		return errors.New("it is a softmax over several axes")
	case slices.Equal(run, whole(axisF, v.f)):
		l.after(n, x, op{what: isLayer, layer: layers.Softmax{Log: n.Op == "LogSoftmax"}})
	case axis == last && len(run) == 1 && run[0].axis == axisS && n.Op == "Softmax":
		l.after(n, x, op{what: isSoftmax})
	default:
		return errors.New("it is a softmax over other axes than the channels or features, or the keys of an attention")
	}
	return nil
}
