package archfile

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/layers"
)

// Types lists the types of layers that an architecture file may name: first those with weights, then norms,
// activations, pools, layers that change shapes, and containers.
func Types() []Type {
	return []Type{
		of("conv", "a convolution", true, conv{Bias: true, Stride: Pair{1, 1}, Dilation: Pair{1, 1}, Groups: 1}, convOf),
		of("linear", "a fully connected layer. It flattens images first, unless it reads them per_position, and it reads "+
			"each token of tokens", true, linear{Bias: true}, linearOf),
		of("convtranspose", "a transposed convolution. It reads no patches, and is not compared with an AGOP", true,
			convTranspose{Bias: true, Stride: Pair{1, 1}, Dilation: Pair{1, 1}, Groups: 1}, convTransposeOf),
		of("attention", "PyTorch's nn.MultiheadAttention of tokens with themselves", true, attention{},
			func(l layers.Attention) *attention { return &attention{l.Heads} }),
		named(plain("classtoken", "puts a learned token before the others; its name is that of the parameter",
			layers.ClassToken{})),
		named(plain("positionembedding", "adds a learned vector to every token; its name is that of the parameter",
			layers.PositionEmbedding{})),
		of("scale", "multiplies every channel by a learned number; its name is that of the parameter, as torchvision's "+
			"layer_scale", true, scale{1}, func(l layers.Scale) *scale { return &scale{l.Start} }),

		of("batchnorm", "batch norm over channels, or over the features of a flat input", true, batchNorm{1e-5, .1},
			func(l models.BatchNorm) *batchNorm { return &batchNorm{cmp.Or(l.Eps, 1e-5), cmp.Or(l.Momentum, .1)} }),
		of("layernorm", "normalises the features of every token, or the channels of every position", true,
			layerNorm{1e-5}, func(l layers.LayerNorm) *layerNorm { return &layerNorm{cmp.Or(l.Eps, 1e-5)} }),
		of("groupnorm", "normalises groups of channels over all positions of an image", true, groupNorm{Eps: 1e-5},
			groupNormOf),
		of("instancenorm", "normalises every channel over all positions of an image", true, instanceNorm{1e-5},
			instanceNormOf),

		plain("relu", "max(x, 0)", models.ReLU{}),
		plain("tanh", "tanh x", models.Tanh{}),
		plain("silu", "x·sigmoid(x)", layers.SiLU),
		plain("gelu", "x·Φ(x), with Φ the normal distribution", layers.GELU),
		plain("gelutanh", "GELU by its approximation with tanh", layers.GELUTanh),
		plain("relu6", "min(max(x, 0), 6)", layers.ReLU6),
		plain("sigmoid", "1/(1 + e⁻ˣ)", layers.Sigmoid),
		plain("hardsigmoid", "min(max(x/6 + ½, 0), 1)", layers.HardSigmoid),
		plain("hardswish", "x·hardsigmoid(x)", layers.HardSwish),
		plain("softplus", "log(1 + eˣ)", layers.Softplus),
		plain("mish", "x·tanh(softplus(x))", layers.Mish),
		plain("erf", "the error function, 2/√π·∫₀ˣ exp(−t²) dt", layers.Erf),
		of("leakyrelu", "x above 0, slope·x below", false, leakyReLU{.01}, leakyReLUOf),
		of("elu", "x above 0, alpha·(eˣ − 1) below", false, elu{1}, eluOf),

		plain("softmax", "eˣ/Σeˣ over the channels of each position, or the features", layers.Softmax{}),
		plain("logsoftmax", "the logarithm of the softmax", layers.Softmax{Log: true}),

		of("maxpool", "the largest element of every window", false, pool{CountPad: true},
			func(l models.MaxPool) *pool { p := poolOf(graph.Pool2D(l), true); return &p }),
		of("avgpool", "the mean of every window", false, avgPool{CountPad: true},
			func(l models.AvgPool) *avgPool { p := avgPool(poolOf(graph.Pool2D(l), false)); return &p }),
		of("adaptiveavgpool", "averages to an image of a size", false, adaptiveAvgPool{Pair{1, 1}},
			func(l models.AdaptiveAvgPool) *adaptiveAvgPool { return &adaptiveAvgPool{Pair{l.H, l.W}} }),
		of("adaptivemaxpool", "the largest elements of windows that cover the image", false, adaptiveMaxPool{Pair{1, 1}},
			func(l layers.AdaptiveMaxPool) *adaptiveMaxPool { return &adaptiveMaxPool{Pair{l.H, l.W}} }),
		plain("globalavgpool", "the mean of each channel", models.AdaptiveAvgPool{H: 1, W: 1}),
		plain("globalmaxpool", "the largest element of each channel", models.GlobalMaxPool{}),
		plain("channelmean", "the mean over the channels of each position, or over the features of a flat input",
			models.ChannelMean{}),

		of("pad", "adds rows and columns on each side of images", false, pad{Mode: "constant"}, padOf),
		of("upsample", "makes images larger, as PyTorch's nn.Upsample", false, upsample{Pair{2, 2}, "nearest"}, upsampleOf),
		plain("flatten", "an image to a row, in PyTorch's order (channel, row, column)", models.Flatten{}),
		of("dropout", "zeroes elements with probability p in training, and scales the others by 1/(1 − p)", false,
			dropout{.5}, func(l models.Dropout) *dropout { return &dropout{l.P} }),
		plain("tokens", "the positions of an image become tokens, row by row", layers.Tokens{}),
		plain("firsttoken", "the features of the first token", layers.FirstToken{}),
		plain("meantoken", "the mean of all tokens", layers.MeanToken{}),
		of("subsample", "the shortcut without parameters of the CIFAR ResNets", false, subsample{},
			func(l models.Subsample) *subsample { return &subsample{l.Stride, l.Filters} }),

		of("sequential", "layers in order, under a common name", false, sequential{},
			func(l models.Sequential) *sequential { return &sequential{l} }),
		of("residual", "relu(main(x) + shortcut(x)). Both branches' names begin with the block's", false, residual{},
			func(l models.Residual) *residual { return &residual{l.Linear, l.Main, l.Shortcut} }),
		of("branches", "layers that read the same input and are joined", false, branches{}, branchesOf),
	}
}

// fraction returns an error unless a value is more than 0 and at most 1.
func fraction(key string, v, usual float64) error {
	if !(v > 0 && v <= 1) {
		return fmt.Errorf("%s = %v: want more than 0 and at most 1; PyTorch's default is %v", key, v, usual)
	}
	return nil
}

type conv struct {
	Filters   int  `toml:"filters" doc:"number of filters, which --width multiplies" default:"required"`
	Kernel    Pair `toml:"kernel" doc:"size of the filters" default:"required"`
	Stride    Pair `toml:"stride" doc:"distance of neighbouring patches"`
	Pad       Pair `toml:"pad" doc:"zeros on each side of the image"`
	Dilation  Pair `toml:"dilation" doc:"distance of neighbouring elements of a patch"`
	Bias      bool `toml:"bias" doc:"whether there is a bias"`
	Groups    int  `toml:"groups" doc:"groups of channels, each with filters of its own"`
	Depthwise bool `toml:"depthwise" doc:"every channel is a group"`
	Classes   bool `toml:"classes" doc:"for a last layer: a filter for every class, in place of filters"`
}

func convOf(c models.Conv) *conv {
	g := c.Geometry
	return &conv{
		Filters: c.Filters, Kernel: c.Kernel, Stride: Pair{max(1, g.StrideH), max(1, g.StrideW)},
		Pad: Pair{g.PadH, g.PadW}, Dilation: Pair{max(1, g.DilateH), max(1, g.DilateW)}, Bias: !c.NoBias,
		Groups: max(1, g.Groups), Depthwise: c.Depthwise, Classes: c.Classes,
	}
}

// Layer implements [Settings].
func (c *conv) Layer() (models.Layer, error) {
	if c.Classes && c.Filters != 0 {
		return nil, fmt.Errorf("filters = %d and classes = true: want only one of them", c.Filters)
	}
	least := 1
	if c.Classes {
		least = 0
	}
	err := errors.Join(
		within("filters", c.Filters, least, models.MaxWidth),
		c.Kernel.within("kernel", 1, models.MaxSide),
		c.Stride.within("stride", 1, models.MaxSide),
		c.Pad.within("pad", 0, models.MaxSide),
		c.Dilation.within("dilation", 1, models.MaxSide),
		within("groups", c.Groups, 1, models.MaxWidth),
	)
	return models.Conv{
		Filters: c.Filters, Kernel: c.Kernel, NoBias: !c.Bias, Depthwise: c.Depthwise, Classes: c.Classes,
		Geometry: graph.Conv2D{
			StrideH: c.Stride[0], StrideW: c.Stride[1], PadH: c.Pad[0], PadW: c.Pad[1],
			DilateH: c.Dilation[0], DilateW: c.Dilation[1], Groups: c.Groups,
		},
	}, err
}

type convTranspose struct {
	Filters  int  `toml:"filters" doc:"number of channels of the output, which --width multiplies" default:"required"`
	Kernel   Pair `toml:"kernel" doc:"size of the filters" default:"required"`
	Stride   Pair `toml:"stride" doc:"distance of neighbouring patches in the output"`
	Pad      Pair `toml:"pad" doc:"rows and columns that are cut off on each side"`
	More     Pair `toml:"output_padding" doc:"rows and columns that the output has more"`
	Dilation Pair `toml:"dilation" doc:"distance of neighbouring elements of a patch"`
	Bias     bool `toml:"bias" doc:"whether there is a bias"`
	Groups   int  `toml:"groups" doc:"groups of channels, each with filters of its own"`
}

func convTransposeOf(c layers.ConvTranspose) *convTranspose {
	g := c.Geometry
	return &convTranspose{
		Filters: c.Filters, Kernel: c.Kernel, Stride: Pair{max(1, g.StrideH), max(1, g.StrideW)},
		Pad: Pair{g.PadH, g.PadW}, More: c.More, Dilation: Pair{max(1, g.DilateH), max(1, g.DilateW)}, Bias: !c.NoBias,
		Groups: max(1, g.Groups),
	}
}

// Layer implements [Settings].
func (c *convTranspose) Layer() (models.Layer, error) {
	like := conv{Filters: c.Filters, Kernel: c.Kernel, Stride: c.Stride, Pad: c.Pad, Dilation: c.Dilation, Bias: c.Bias,
		Groups: c.Groups}
	l, err := like.Layer()
	return layers.ConvTranspose{
		Filters: c.Filters, Kernel: c.Kernel, Geometry: l.(models.Conv).Geometry, More: c.More, NoBias: !c.Bias,
	}, errors.Join(err, c.More.within("output_padding", 0, models.MaxSide))
}

type linear struct {
	Out         *int `toml:"out" doc:"number of outputs, which --width multiplies" default:"one output a class"`
	Bias        bool `toml:"bias" doc:"whether there is a bias"`
	PerPosition bool `toml:"per_position" doc:"reads the channels of each position of an image"`
}

func linearOf(l models.Linear) *linear {
	s := &linear{Bias: !l.NoBias, PerPosition: l.PerPosition}
	if l.Out > 0 {
		s.Out = &l.Out
	}
	return s
}

// Layer implements [Settings].
func (l *linear) Layer() (models.Layer, error) {
	out := models.Linear{NoBias: !l.Bias, PerPosition: l.PerPosition}
	if l.Out == nil {
		return out, nil
	}
	out.Out = *l.Out
	return out, within("out", out.Out, 1, models.MaxWidth)
}

type attention struct {
	Heads int `toml:"heads" doc:"number of heads, which divides the features" default:"required"`
}

// Layer implements [Settings].
func (a *attention) Layer() (models.Layer, error) {
	return layers.Attention{Heads: a.Heads}, within("heads", a.Heads, 1, models.MaxWidth)
}

type scale struct {
	Start float64 `toml:"start" doc:"what the numbers are before training"`
}

// Layer implements [Settings].
func (s *scale) Layer() (models.Layer, error) {
	return layers.Scale{Start: s.Start}, parameter("start", s.Start)
}

type batchNorm struct {
	Eps      float64 `toml:"eps" doc:"added to the variance"`
	Momentum float64 `toml:"momentum" doc:"how fast the running statistics follow the batches"`
}

// Layer implements [Settings].
func (b *batchNorm) Layer() (models.Layer, error) {
	return models.BatchNorm{Eps: b.Eps, Momentum: b.Momentum},
		errors.Join(fraction("eps", b.Eps, 1e-5), fraction("momentum", b.Momentum, .1))
}

type layerNorm struct {
	Eps float64 `toml:"eps" doc:"added to the variance"`
}

// Layer implements [Settings].
func (l *layerNorm) Layer() (models.Layer, error) {
	return layers.LayerNorm{Eps: l.Eps}, fraction("eps", l.Eps, 1e-5)
}

type groupNorm struct {
	Groups int     `toml:"groups" doc:"number of groups" default:"required"`
	Eps    float64 `toml:"eps" doc:"added to the variance"`
}

// Layer implements [Settings].
func (l *groupNorm) Layer() (models.Layer, error) {
	return layers.GroupNorm{Groups: l.Groups, Eps: l.Eps},
		errors.Join(within("groups", l.Groups, 1, models.MaxWidth), fraction("eps", l.Eps, 1e-5))
}

// groupNormOf returns the settings of a group norm, nil for an instance norm.
func groupNormOf(l layers.GroupNorm) *groupNorm {
	if l.Groups == 0 {
		return nil
	}
	return &groupNorm{l.Groups, cmp.Or(l.Eps, 1e-5)}
}

type instanceNorm struct {
	Eps float64 `toml:"eps" doc:"added to the variance"`
}

// Layer implements [Settings].
func (l *instanceNorm) Layer() (models.Layer, error) {
	return layers.GroupNorm{Eps: l.Eps}, fraction("eps", l.Eps, 1e-5)
}

// instanceNormOf returns the settings of an instance norm, nil for a group norm.
func instanceNormOf(l layers.GroupNorm) *instanceNorm {
	if l.Groups != 0 {
		return nil
	}
	return &instanceNorm{cmp.Or(l.Eps, 1e-5)}
}

type leakyReLU struct {
	Slope float64 `toml:"slope" doc:"the slope below 0"`
}

// Layer implements [Settings].
func (l *leakyReLU) Layer() (models.Layer, error) {
	return layers.LeakyReLU(l.Slope), parameter("slope", l.Slope)
}

type elu struct {
	Alpha float64 `toml:"alpha" doc:"the negative of the limit below 0"`
}

// Layer implements [Settings].
func (l *elu) Layer() (models.Layer, error) { return layers.ELU(l.Alpha), parameter("alpha", l.Alpha) }

func leakyReLUOf(l layers.Activation) *leakyReLU {
	if slope, is := l.Slope(); is {
		return &leakyReLU{slope}
	}
	return nil
}

func eluOf(l layers.Activation) *elu {
	if alpha, is := l.Alpha(); is {
		return &elu{alpha}
	}
	return nil
}

// parameter returns an error unless a value can be the parameter of an activation or the start of a scale.
func parameter(key string, v float64) error {
	if !(v >= 0 && v < 1e6) {
		return fmt.Errorf("%s = %v: want a number from 0 to a million", key, v)
	}
	return nil
}

type pool struct {
	Size     Pair  `toml:"size" doc:"rows and columns of a window" default:"required"`
	Stride   *Pair `toml:"stride" doc:"distance of neighbouring windows" default:"that of size"`
	Pad      Pair  `toml:"pad" doc:"elements on each side of the image that windows may reach over"`
	Ceil     bool  `toml:"ceil" doc:"the last window may overhang, as PyTorch's ceil_mode"`
	CountPad bool  `toml:"count_pad" doc:"averages count the padding, as PyTorch's count_include_pad"`
}

func poolOf(p graph.Pool2D, largest bool) pool {
	s := pool{Size: Pair{p.SizeH, p.SizeW}, Pad: Pair{p.PadH, p.PadW}, Ceil: p.Ceil, CountPad: p.CountPad || largest}
	if stride := (Pair{p.StrideH, p.StrideW}); stride != (Pair{}) && stride != s.Size {
		s.Stride = &stride
	}
	return s
}

// geometry returns the windows.
func (p *pool) geometry() (graph.Pool2D, error) {
	g := graph.Pool2D{
		SizeH: p.Size[0], SizeW: p.Size[1], PadH: p.Pad[0], PadW: p.Pad[1], Ceil: p.Ceil, CountPad: p.CountPad,
	}
	err := errors.Join(p.Size.within("size", 1, models.MaxSide), p.Pad.within("pad", 0, models.MaxSide))
	if p.Stride != nil {
		g.StrideH, g.StrideW = p.Stride[0], p.Stride[1]
		err = errors.Join(err, p.Stride.within("stride", 1, models.MaxSide))
	}
	return g, err
}

// Layer implements [Settings].
func (p *pool) Layer() (models.Layer, error) {
	g, err := p.geometry()
	return models.MaxPool(g), err
}

// avgPool has the keys of a maxpool.
type avgPool pool

// Layer implements [Settings].
func (p *avgPool) Layer() (models.Layer, error) {
	g, err := (*pool)(p).geometry()
	return models.AvgPool(g), err
}

type adaptiveAvgPool struct {
	Size Pair `toml:"size" doc:"rows and columns of the output"`
}

// Layer implements [Settings].
func (p *adaptiveAvgPool) Layer() (models.Layer, error) {
	return models.AdaptiveAvgPool{H: p.Size[0], W: p.Size[1]}, p.Size.within("size", 1, models.MaxSide)
}

type adaptiveMaxPool struct {
	Size Pair `toml:"size" doc:"rows and columns of the output"`
}

// Layer implements [Settings].
func (p *adaptiveMaxPool) Layer() (models.Layer, error) {
	return layers.AdaptiveMaxPool{H: p.Size[0], W: p.Size[1]}, p.Size.within("size", 1, models.MaxSide)
}

type pad struct {
	Size Pair   `toml:"size" doc:"rows and columns on each side" default:"required"`
	Mode string `toml:"mode" doc:"constant (zeros), reflect or edge"`
}

// padModes are the values of the key mode.
var padModes = map[string]graph.PadMode{
	"constant": graph.PadConstant, "reflect": graph.PadReflect, "edge": graph.PadEdge,
}

func padOf(l layers.Pad) *pad {
	s := &pad{Size: Pair{l.Rows, l.Columns}}
	for name, mode := range padModes {
		if mode == l.Mode {
			s.Mode = name
		}
	}
	return s
}

// Layer implements [Settings].
func (p *pad) Layer() (models.Layer, error) {
	mode, ok := padModes[p.Mode]
	if !ok {
		return nil, fmt.Errorf("mode = %q: want constant, reflect or edge", p.Mode)
	}
	return layers.Pad{Rows: p.Size[0], Columns: p.Size[1], Mode: mode}, p.Size.within("size", 0, models.MaxSide)
}

type upsample struct {
	Factor Pair   `toml:"factor" doc:"how many times larger"`
	Mode   string `toml:"mode" doc:"nearest or bilinear"`
}

func upsampleOf(l layers.Upsample) *upsample {
	s := &upsample{Pair{l.Rows, l.Columns}, "nearest"}
	if l.Bilinear {
		s.Mode = "bilinear"
	}
	return s
}

// Layer implements [Settings].
func (u *upsample) Layer() (models.Layer, error) {
	if u.Mode != "nearest" && u.Mode != "bilinear" {
		return nil, fmt.Errorf("mode = %q: want nearest or bilinear", u.Mode)
	}
	return layers.Upsample{Rows: u.Factor[0], Columns: u.Factor[1], Bilinear: u.Mode == "bilinear"},
		u.Factor.within("factor", 1, models.MaxSide)
}

type dropout struct {
	P float64 `toml:"p" doc:"the probability"`
}

// Layer implements [Settings].
func (d *dropout) Layer() (models.Layer, error) {
	if !(d.P >= 0 && d.P < 1) {
		return nil, fmt.Errorf("p = %v: want at least 0 and less than 1", d.P)
	}
	return models.Dropout{P: d.P}, nil
}

type subsample struct {
	Stride  int `toml:"stride" doc:"it takes every stride-th row and column" default:"required"`
	Filters int `toml:"filters" doc:"it adds zero channels on both sides up to this number" default:"required"`
}

// Layer implements [Settings].
func (s *subsample) Layer() (models.Layer, error) {
	return models.Subsample{Stride: s.Stride, Filters: s.Filters}, errors.Join(
		within("stride", s.Stride, 1, models.MaxSide), within("filters", s.Filters, 1, models.MaxWidth))
}

type sequential struct {
	Layers models.Sequential `toml:"layer" doc:"the layers, [[layer.layer]]" default:"none"`
}

// Layer implements [Settings].
func (s *sequential) Layer() (models.Layer, error) { return s.Layers, nil }

type residual struct {
	Linear   bool              `toml:"linear" doc:"no ReLU after the sum"`
	Main     models.Sequential `toml:"main" doc:"the layers of the block, [[layer.main]]" default:"required"`
	Shortcut models.Sequential `toml:"shortcut" doc:"the layers of the shortcut, [[layer.shortcut]]" default:"its input"`
}

// Layer implements [Settings].
func (r *residual) Layer() (models.Layer, error) {
	if len(r.Main) == 0 {
		return nil, errors.New("a residual block needs at least one [[layer.main]]")
	}
	return models.Residual{Main: r.Main, Shortcut: r.Shortcut, Linear: r.Linear}, nil
}

type branches struct {
	Join   string   `toml:"join" doc:"concat (the channels), add or multiply (with numpy's broadcasting)" default:"required"`
	Branch []branch `toml:"branch" doc:"two or more [[layer.branch]], each with a name and [[layer.branch.layer]]; one without layers is the input itself" default:"required"`
}

// joins are the values of the key join.
var joins = map[string]models.Join{"concat": models.Concat, "add": models.Add, "multiply": models.Multiply}

func branchesOf(l models.Branches) *branches {
	s := new(branches)
	for name, join := range joins {
		if join == l.Join {
			s.Join = name
		}
	}
	for i := range l.Branches {
		b := l.Branches[i : i+1 : i+1]
		if inner, ok := b[0].Layer.(models.Sequential); ok {
			s.Branch = append(s.Branch, branch{b[0].Name, inner})
		} else {
			s.Branch = append(s.Branch, branch{Layer: b})
		}
	}
	return s
}

// Layer implements [Settings].
func (b *branches) Layer() (models.Layer, error) {
	join, ok := joins[b.Join]
	if !ok {
		return nil, fmt.Errorf("join = %q: want concat, add or multiply", b.Join)
	}
	if len(b.Branch) < 2 {
		return nil, errors.New("branches need at least two [[layer.branch]]; one without layers is the input itself")
	}
	l := models.Branches{Join: join}
	for _, each := range b.Branch {
		l.Branches = append(l.Branches, models.Named{Name: each.Name, Layer: each.Layer})
	}
	return l, nil
}
