package models

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/graph"
)

// TOMLError is a mistake in an architecture file.
type TOMLError struct {
	Path string
	Line int // 0 where it is not known
	Err  error
}

func (e *TOMLError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

func (e *TOMLError) Unwrap() error { return e.Err }

// tomlFile is an architecture file:
//
//	input = [3, 32, 32]        # channels, rows, columns
//	normalise = "dataset"      # none, imagenet, dataset or MEAN/STD
//
//	[[layer]]
//	type = "conv"
//	name = "conv1"             # as in the state dict
//	filters = 16
//	kernel = 3                 # or [rows, columns], as stride, pad, dilation, size
//	pad = 1
//
//	[[layer]]
//	type = "linear"            # without out: one output a class
//	name = "fc"
type tomlFile struct {
	Name      string           `toml:"name"`
	Input     []int            `toml:"input"`
	Normalise string           `toml:"normalise"`
	Layer     []toml.Primitive `toml:"layer"`
}

// ReadFile reads an architecture from a TOML file.
func ReadFile(path string) (*Architecture, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("architecture: %w", err)
	}
	a, err := Parse(text)
	var e *TOMLError
	if errors.As(err, &e) {
		e.Path = path
	}
	if err == nil && a.Name == "" {
		a.Name = strings.TrimSuffix(filepath.Base(path), ".toml")
	}
	return a, err
}

// Parse reads an architecture from the text of a TOML file. Its errors are of
// type [*TOMLError].
func Parse(text []byte) (*Architecture, error) {
	var f tomlFile
	d := &tomlDecoder{text: text}
	md, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&f)
	if err != nil {
		return nil, d.wrap(err)
	}
	d.md = &md
	root, err := d.layers(f.Layer, "")
	if err != nil {
		return nil, d.wrap(err)
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return nil, d.unknownKey(unknown[0])
	}
	in, err := inputShape(f.Input)
	if err != nil {
		return nil, d.wrap(err)
	}
	if len(root) == 0 {
		return nil, d.wrap(errors.New("no layers: want at least one [[layer]]"))
	}
	a := &Architecture{Name: f.Name, Root: root, Input: in, Normalise: f.Normalise}
	if _, err := a.describe(in, 10); err != nil {
		return nil, d.wrap(err)
	}
	return a, nil
}

func inputShape(v []int) (Shape, error) {
	if len(v) != 3 {
		return Shape{}, fmt.Errorf("input = %v: want [channels, rows, columns]", v)
	}
	for _, n := range v {
		if err := within("input", n, 1, maxSide); err != nil {
			return Shape{}, err
		}
	}
	return Shape{v[0], v[1], v[2]}, nil
}

// Bounds that keep every product of sizes far from overflow, and far beyond
// what can be run.
const (
	maxSide  = 1 << 14
	maxWidth = 1 << 20
	maxDepth = 8
	maxCount = 1 << 14
)

func within(what string, v, lo, hi int) error {
	if v < lo || v > hi {
		return fmt.Errorf("%s = %d: want %d to %d", what, v, lo, hi)
	}
	return nil
}

// tomlDecoder decodes layers, each by its type.
type tomlDecoder struct {
	text  []byte
	md    *toml.MetaData
	depth int
	count int
}

// layerHead is what the table of every layer has.
type layerHead struct {
	Type string `toml:"type"`
	Name string `toml:"name"`
}

func (d *tomlDecoder) layers(ps []toml.Primitive, within string) (Sequential, error) {
	if d.depth++; d.depth > maxDepth {
		return nil, fmt.Errorf("layers nested more than %d deep", maxDepth)
	}
	defer func() { d.depth-- }()
	var s Sequential
	for i, p := range ps {
		if d.count++; d.count > maxCount {
			return nil, fmt.Errorf("more than %d layers", maxCount)
		}
		var h layerHead
		at := strings.TrimSpace(fmt.Sprintf("%s layer %d", within, i+1))
		if err := d.md.PrimitiveDecode(p, &h); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if h.Name != "" {
			at = fmt.Sprintf("%s (%s)", at, h.Name)
		}
		l, err := d.layer(p, h, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		s = append(s, Named{h.Name, l})
	}
	return s, nil
}

// layerTypes are the types a [[layer]] can have.
var layerTypes = []string{"conv", "linear", "batchnorm", "relu", "tanh", "maxpool", "avgpool", "adaptiveavgpool",
	"globalavgpool", "globalmaxpool", "flatten", "dropout", "subsample", "sequential", "residual"}

func (d *tomlDecoder) layer(p toml.Primitive, h layerHead, at string) (Layer, error) {
	switch h.Type {
	case "conv", "linear", "batchnorm":
		if h.Name == "" {
			return nil, fmt.Errorf("a %s layer needs a name, as its parameters have it in the state dict", h.Type)
		}
	}
	switch h.Type {
	case "conv":
		return d.conv(p)
	case "linear":
		return d.linear(p)
	case "batchnorm":
		var t struct {
			layerHead
			Eps      float64 `toml:"eps"`
			Momentum float64 `toml:"momentum"`
		}
		err := d.md.PrimitiveDecode(p, &t)
		if err == nil && (t.Eps < 0 || t.Momentum < 0 || t.Momentum > 1) {
			err = fmt.Errorf("eps = %v, momentum = %v: want eps at least 0 and momentum between 0 and 1", t.Eps, t.Momentum)
		}
		return BatchNorm{t.Eps, t.Momentum}, err
	case "relu":
		return ReLU{}, nil
	case "tanh":
		return Tanh{}, nil
	case "maxpool":
		pool, err := d.pool(p)
		return MaxPool(pool), err
	case "avgpool":
		pool, err := d.pool(p)
		return AvgPool(pool), err
	case "adaptiveavgpool":
		var t struct {
			layerHead
			Size pair `toml:"size"`
		}
		if err := d.md.PrimitiveDecode(p, &t); err != nil {
			return nil, err
		}
		err := t.Size.check("size", 1, 1, maxSide)
		return AdaptiveAvgPool{t.Size.v[0], t.Size.v[1]}, err
	case "globalavgpool":
		return AdaptiveAvgPool{1, 1}, nil
	case "globalmaxpool":
		return GlobalMaxPool{}, nil
	case "flatten":
		return Flatten{}, nil
	case "dropout":
		var t struct {
			layerHead
			P float64 `toml:"p"`
		}
		t.P = .5
		err := d.md.PrimitiveDecode(p, &t)
		if err == nil && !(t.P >= 0 && t.P < 1) {
			err = fmt.Errorf("p = %v: want at least 0 and less than 1", t.P)
		}
		return Dropout{t.P}, err
	case "subsample":
		var t struct {
			layerHead
			Stride  int `toml:"stride"`
			Filters int `toml:"filters"`
		}
		if err := d.md.PrimitiveDecode(p, &t); err != nil {
			return nil, err
		}
		return Subsample{t.Stride, t.Filters}, errors.Join(within("stride", t.Stride, 1, maxSide), within("filters", t.Filters, 1, maxWidth))
	case "sequential":
		var t struct {
			layerHead
			Layer []toml.Primitive `toml:"layer"`
		}
		if err := d.md.PrimitiveDecode(p, &t); err != nil {
			return nil, err
		}
		return d.layers(t.Layer, at)
	case "residual":
		return d.residual(p, at)
	case "":
		return nil, fmt.Errorf("no type: want one of %s", strings.Join(layerTypes, ", "))
	}
	return nil, fmt.Errorf("type = %q: want one of %s", h.Type, strings.Join(layerTypes, ", "))
}

func (d *tomlDecoder) conv(p toml.Primitive) (Layer, error) {
	var t struct {
		layerHead
		Filters  int  `toml:"filters"`
		Kernel   pair `toml:"kernel"`
		Stride   pair `toml:"stride"`
		Pad      pair `toml:"pad"`
		Dilation pair `toml:"dilation"`
		Bias     bool `toml:"bias"`
	}
	t.Bias = true
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	err := errors.Join(
		within("filters", t.Filters, 1, maxWidth),
		t.Kernel.check("kernel", 0, 1, maxSide),
		t.Stride.check("stride", 1, 1, maxSide),
		t.Pad.check("pad", 0, 0, maxSide),
		t.Dilation.check("dilation", 1, 1, maxSide),
	)
	return Conv{
		Filters: t.Filters, Kernel: t.Kernel.v, NoBias: !t.Bias,
		Geometry: graph.Conv2D{
			StrideH: t.Stride.v[0], StrideW: t.Stride.v[1], PadH: t.Pad.v[0], PadW: t.Pad.v[1],
			DilateH: t.Dilation.v[0], DilateW: t.Dilation.v[1],
		},
	}, err
}

func (d *tomlDecoder) linear(p toml.Primitive) (Layer, error) {
	var t struct {
		layerHead
		Out  int  `toml:"out"`
		Bias bool `toml:"bias"`
	}
	t.Bias = true
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	return Linear{Out: t.Out, NoBias: !t.Bias}, within("out", t.Out, 0, maxWidth)
}

func (d *tomlDecoder) pool(p toml.Primitive) (graph.Pool2D, error) {
	var t struct {
		layerHead
		Size     pair `toml:"size"`
		Stride   pair `toml:"stride"`
		Pad      pair `toml:"pad"`
		Ceil     bool `toml:"ceil"`
		CountPad bool `toml:"count_pad"`
	}
	t.CountPad = true
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return graph.Pool2D{}, err
	}
	err := errors.Join(
		t.Size.check("size", 0, 1, maxSide),
		t.Stride.check("stride", 0, 0, maxSide),
		t.Pad.check("pad", 0, 0, maxSide),
	)
	return graph.Pool2D{
		SizeH: t.Size.v[0], SizeW: t.Size.v[1], StrideH: t.Stride.v[0], StrideW: t.Stride.v[1],
		PadH: t.Pad.v[0], PadW: t.Pad.v[1], Ceil: t.Ceil, CountPad: t.CountPad,
	}, err
}

func (d *tomlDecoder) residual(p toml.Primitive, at string) (Layer, error) {
	var t struct {
		layerHead
		Linear   bool             `toml:"linear"`
		Main     []toml.Primitive `toml:"main"`
		Shortcut []toml.Primitive `toml:"shortcut"`
	}
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	if len(t.Main) == 0 {
		return nil, errors.New("a residual block needs at least one [[layer.main]]")
	}
	main, err := d.layers(t.Main, at+", main")
	if err != nil {
		return nil, err
	}
	short, err := d.layers(t.Shortcut, at+", shortcut")
	return Residual{Main: main, Shortcut: short, Linear: t.Linear}, err
}

// pair is one number for both directions, or [rows, columns].
type pair struct {
	v   [2]int
	set bool
}

// UnmarshalTOML satisfies toml.Unmarshaler.
func (p *pair) UnmarshalTOML(v any) error {
	p.set = true
	switch v := v.(type) {
	case int64:
		p.v = [2]int{int(v), int(v)}
		return nil
	case []any:
		if len(v) == 2 {
			a, ok := v[0].(int64)
			b, ok2 := v[1].(int64)
			p.v = [2]int{int(a), int(b)}
			if ok && ok2 {
				return nil
			}
		}
	}
	return fmt.Errorf("got %v: want a whole number or [rows, columns]", v)
}

// check fills in what is not set and bounds the rest.
func (p *pair) check(name string, otherwise, lo, hi int) error {
	if !p.set {
		p.v = [2]int{otherwise, otherwise}
	}
	return errors.Join(within(name, p.v[0], lo, hi), within(name, p.v[1], lo, hi))
}

// wrap makes err a TOMLError, with the line if the decoder knows it.
func (d *tomlDecoder) wrap(err error) error {
	e := &TOMLError{Path: "architecture", Err: err}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		e.Line = pe.Position.Line
		e.Err = errors.New(pe.Message)
		if pe.Message == "" {
			e.Err = err
		}
	}
	return e
}

// unknownKey says which key is not known, and where it first stands.
func (d *tomlDecoder) unknownKey(k toml.Key) error {
	last := k[len(k)-1]
	line := slices.IndexFunc(strings.Split(string(d.text), "\n"), func(l string) bool {
		name, _, found := strings.Cut(l, "=")
		return found && strings.Trim(name, " \t\"'") == last || strings.Trim(l, " \t[]") == k.String()
	})
	return &TOMLError{Path: "architecture", Line: line + 1, Err: fmt.Errorf("unknown key %q: no setting of that name belongs there", k.String())}
}
