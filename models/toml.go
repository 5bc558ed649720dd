package models

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/internal/tomlfile"
)

// TOMLError says what is wrong with an architecture file.
type TOMLError struct {
	Path string
	Line int // 0 if unknown
	Err  error
}

// Error returns the text of Err, with path and line.
func (e *TOMLError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

// InputError returns true: the fault is in the user's architecture file.
func (e *TOMLError) InputError() bool { return true }

// Unwrap returns Err.
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

// ReadFile reads an architecture from a TOML file, as [Parse] does.
func ReadFile(path string, own ...LayerType) (*Architecture, error) {
	text, err := tomlfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("architecture: %w", err)
	}
	a, err := Parse(text, own...)
	var e *TOMLError
	if errors.As(err, &e) {
		e.Path = path
	}
	if err == nil && a.Name == "" {
		a.Name = strings.TrimSuffix(filepath.Base(path), ".toml")
	}
	return a, err
}

// Parse reads an architecture from the text of a TOML file, whose layers are of the types
// of this package and of the caller's own. Its errors are of type [*TOMLError].
func Parse(text []byte, own ...LayerType) (*Architecture, error) {
	var f tomlFile
	d := &tomlDecoder{text: text, own: own}
	if err := tomlfile.Check(text); err != nil {
		return nil, d.wrap(err)
	}
	md, err := toml.NewDecoder(bytes.NewReader(text)).Decode(&f)
	if err != nil {
		return nil, d.wrap(err)
	}
	d.md = &md
	var keys map[string]any
	if err := errors.Join(toml.Unmarshal(text, &keys), tomlfile.CheckKeys(keys)); err != nil {
		return nil, d.wrap(err)
	}
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

// Bounds on sizes, far beyond what can be run, with which no product of sizes overflows.
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
	own   []LayerType
	md    *toml.MetaData
	depth int
	count int
}

// layerHead has the keys of every layer's table.
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

// LayerType is a type of layer, besides those of this package, that an architecture file
// may name.
type LayerType struct {
	Name   string // the type of a [[layer]]
	Params bool   // the layer has parameters, and therefore needs a name
	// Decode returns the layer. It calls settings with a pointer to a struct, whose fields
	// are set by their names in TOML; a key without a field is an error.
	Decode func(settings func(any) error) (Layer, error)
}

// layerType is a type that a [[layer]] can have, and how it is decoded.
type layerType struct {
	name   string
	decode func(d *tomlDecoder, p toml.Primitive, at string) (Layer, error)
	params bool // it has parameters, and therefore needs a name
}

func (d *tomlDecoder) types() []layerType {
	all := []layerType{
		{"conv", (*tomlDecoder).conv, true},
		{"linear", (*tomlDecoder).linear, true},
		{"batchnorm", (*tomlDecoder).batchNorm, true},
		{"relu", plain(ReLU{}), false},
		{"tanh", plain(Tanh{}), false},
		{"maxpool", (*tomlDecoder).maxPool, false},
		{"avgpool", (*tomlDecoder).avgPool, false},
		{"adaptiveavgpool", (*tomlDecoder).adaptiveAvgPool, false},
		{"globalavgpool", plain(AdaptiveAvgPool{1, 1}), false},
		{"globalmaxpool", plain(GlobalMaxPool{}), false},
		{"channelmean", plain(ChannelMean{}), false},
		{"flatten", plain(Flatten{}), false},
		{"dropout", (*tomlDecoder).dropout, false},
		{"subsample", (*tomlDecoder).subsample, false},
		{"sequential", (*tomlDecoder).sequential, false},
		{"residual", (*tomlDecoder).residual, false},
		{"branches", (*tomlDecoder).branches, false},
	}
	for _, t := range d.own {
		decode := func(d *tomlDecoder, p toml.Primitive, _ string) (Layer, error) {
			return t.Decode(func(settings any) error { return d.md.PrimitiveDecode(p, settings) })
		}
		all = append(all, layerType{t.Name, decode, t.Params})
	}
	return all
}

// plain decodes a layer without settings.
func plain(l Layer) func(*tomlDecoder, toml.Primitive, string) (Layer, error) {
	return func(*tomlDecoder, toml.Primitive, string) (Layer, error) { return l, nil }
}

func (d *tomlDecoder) layer(p toml.Primitive, h layerHead, at string) (Layer, error) {
	var names []string
	for _, t := range d.types() {
		if t.name != h.Type {
			names = append(names, t.name)
			continue
		}
		if t.params && h.Name == "" {
			return nil, fmt.Errorf("a %s layer needs a name, as its parameters have it in the state dict", h.Type)
		}
		return t.decode(d, p, at)
	}
	if h.Type == "" {
		return nil, fmt.Errorf("no type: want one of %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("type = %q: want one of %s", h.Type, strings.Join(names, ", "))
}

// wrap returns err as a TOMLError, with the line if the decoder knows it.
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

// unknownKey returns the error of an unknown key, with the line where it first is.
func (d *tomlDecoder) unknownKey(k toml.Key) error {
	last := k[len(k)-1]
	line := slices.IndexFunc(strings.Split(string(d.text), "\n"), func(l string) bool {
		name, _, found := strings.Cut(l, "=")
		return found && strings.Trim(name, " \t\"'") == last || strings.Trim(l, " \t[]") == k.String()
	})
	return &TOMLError{Path: "architecture", Line: line + 1,
		Err: fmt.Errorf("unknown key %q: no setting of that name belongs there", k.String())}
}
