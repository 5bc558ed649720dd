package models

import (
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/graph"
)

// The settings of the layers' types.

func (d *tomlDecoder) batchNorm(p toml.Primitive, _ string) (Layer, error) {
	var t struct {
		layerHead
		Eps      *float64 `toml:"eps"`
		Momentum *float64 `toml:"momentum"`
	}
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	var b BatchNorm // whose zeros stand for the defaults
	if t.Eps != nil {
		if b.Eps = *t.Eps; !(b.Eps > 0 && b.Eps <= 1) {
			return nil, fmt.Errorf("eps = %v: want more than 0 and at most 1; PyTorch's default is 1e-5", b.Eps)
		}
	}
	if t.Momentum != nil {
		if b.Momentum = *t.Momentum; !(b.Momentum > 0 && b.Momentum <= 1) {
			return nil, fmt.Errorf("momentum = %v: want more than 0 and at most 1; PyTorch's default is 0.1",
				b.Momentum)
		}
	}
	return b, nil
}

func (d *tomlDecoder) maxPool(p toml.Primitive, _ string) (Layer, error) {
	pool, err := d.pool(p)
	return MaxPool(pool), err
}

func (d *tomlDecoder) avgPool(p toml.Primitive, _ string) (Layer, error) {
	pool, err := d.pool(p)
	return AvgPool(pool), err
}

func (d *tomlDecoder) adaptiveAvgPool(p toml.Primitive, _ string) (Layer, error) {
	var t struct {
		layerHead
		Size pair `toml:"size"`
	}
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	err := t.Size.check("size", 1, 1, maxSide)
	return AdaptiveAvgPool{t.Size.v[0], t.Size.v[1]}, err
}

func (d *tomlDecoder) dropout(p toml.Primitive, _ string) (Layer, error) {
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
}

func (d *tomlDecoder) subsample(p toml.Primitive, _ string) (Layer, error) {
	var t struct {
		layerHead
		Stride  int `toml:"stride"`
		Filters int `toml:"filters"`
	}
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	return Subsample{t.Stride, t.Filters}, errors.Join(within("stride", t.Stride, 1, maxSide),
		within("filters", t.Filters, 1, maxWidth))
}

func (d *tomlDecoder) sequential(p toml.Primitive, at string) (Layer, error) {
	var t struct {
		layerHead
		Layer []toml.Primitive `toml:"layer"`
	}
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	return d.layers(t.Layer, at)
}

func (d *tomlDecoder) conv(p toml.Primitive, _ string) (Layer, error) {
	var t struct {
		layerHead
		Filters  int  `toml:"filters"`
		Kernel   pair `toml:"kernel"`
		Stride   pair `toml:"stride"`
		Pad      pair `toml:"pad"`
		Dilation pair `toml:"dilation"`
		Bias     bool `toml:"bias"`
		Groups   int  `toml:"groups"`
		// Depthwise makes every channel a group.
		Depthwise bool `toml:"depthwise"`
	}
	t.Bias, t.Groups = true, 1
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	err := errors.Join(
		within("filters", t.Filters, 1, maxWidth),
		t.Kernel.check("kernel", 0, 1, maxSide),
		t.Stride.check("stride", 1, 1, maxSide),
		t.Pad.check("pad", 0, 0, maxSide),
		t.Dilation.check("dilation", 1, 1, maxSide),
		within("groups", t.Groups, 1, maxWidth),
	)
	return Conv{
		Filters: t.Filters, Kernel: t.Kernel.v, NoBias: !t.Bias, Depthwise: t.Depthwise,
		Geometry: graph.Conv2D{
			StrideH: t.Stride.v[0], StrideW: t.Stride.v[1], PadH: t.Pad.v[0], PadW: t.Pad.v[1],
			DilateH: t.Dilation.v[0], DilateW: t.Dilation.v[1], Groups: t.Groups,
		},
	}, err
}

func (d *tomlDecoder) linear(p toml.Primitive, _ string) (Layer, error) {
	var t struct {
		layerHead
		Out         *int `toml:"out"`
		Bias        bool `toml:"bias"`
		PerPosition bool `toml:"per_position"`
	}
	t.Bias = true
	if err := d.md.PrimitiveDecode(p, &t); err != nil || t.Out == nil {
		return Linear{NoBias: !t.Bias, PerPosition: t.PerPosition}, err // with an output for every class
	}
	return Linear{Out: *t.Out, NoBias: !t.Bias, PerPosition: t.PerPosition}, within("out", *t.Out, 1, maxWidth)
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
	leastStride := 0 // without a stride it is the size
	if t.Stride.set {
		leastStride = 1
	}
	err := errors.Join(
		t.Size.check("size", 0, 1, maxSide),
		t.Stride.check("stride", 0, leastStride, maxSide),
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

func (d *tomlDecoder) branches(p toml.Primitive, at string) (Layer, error) {
	var t struct {
		layerHead
		Join   string `toml:"join"`
		Branch []struct {
			Name  string           `toml:"name"`
			Layer []toml.Primitive `toml:"layer"`
		} `toml:"branch"`
	}
	if err := d.md.PrimitiveDecode(p, &t); err != nil {
		return nil, err
	}
	join, ok := map[string]Join{"concat": Concat, "add": Add, "multiply": Multiply}[t.Join]
	if !ok {
		return nil, fmt.Errorf("join = %q: want concat, add or multiply", t.Join)
	}
	if len(t.Branch) < 2 {
		return nil, errors.New("branches need at least two [[layer.branch]], of which one may be empty: its input")
	}
	out := Branches{Join: join}
	for i, b := range t.Branch {
		layers, err := d.layers(b.Layer, fmt.Sprintf("%s, branch %d", at, i+1))
		if err != nil {
			return nil, err
		}
		out.Branches = append(out.Branches, Named{b.Name, layers})
	}
	return out, nil
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

// check sets a pair that is not set to a default, and returns an error unless both numbers are from lo to hi.
func (p *pair) check(name string, otherwise, lo, hi int) error {
	if !p.set {
		p.v = [2]int{otherwise, otherwise}
	}
	return errors.Join(within(name, p.v[0], lo, hi), within(name, p.v[1], lo, hi))
}
