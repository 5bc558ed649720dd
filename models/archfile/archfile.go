// Package archfile reads and writes architectures as TOML files:
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
//
// [Parse] and [ReadFile] return the architecture in a file. [Write] writes that of any network whose layers all have
// a [Type]. [Types] lists the types, and [Type.Keys] the keys of each; a program may add types of its own.
package archfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/internal/tomlfile"
	"github.com/ansatz-lab/ansatz/models"
)

// Error says what is wrong with an architecture file.
type Error struct {
	Path string
	Line int // 0 if unknown
	Err  error
}

// Error returns the text of Err, with path and line.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s, line %d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.Path, e.Err)
}

// InputError returns true: the fault is in the user's architecture file.
func (e *Error) InputError() bool { return true }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// file holds the keys of an architecture file.
type file struct {
	Input     []int             `toml:"input" doc:"the size of the images, [channels, rows, columns]" default:"required"`
	Normalise string            `toml:"normalise" doc:"none, imagenet, dataset or MEAN/STD; --normalise overrides it" default:"none"`
	Name      string            `toml:"name" doc:"the name in records" default:"that of the file"`
	Layer     models.Sequential `toml:"layer" doc:"the layers, in order" default:"required"`
}

// Is reports whether a name is the path of an architecture file.
func Is(name string) bool { return strings.HasSuffix(name, ".toml") }

// ReadFile reads an architecture from a TOML file, as [Parse] does.
func ReadFile(path string, own ...Type) (*models.Architecture, error) {
	text, err := tomlfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("architecture: %w", err)
	}
	a, err := Parse(text, own...)
	var e *Error
	if errors.As(err, &e) {
		e.Path = path
	}
	if err == nil && a.Name == "" {
		a.Name = strings.TrimSuffix(filepath.Base(path), ".toml")
	}
	return a, err
}

// Parse reads an architecture from the text of a TOML file, whose layers are of the types of this package and of the
// caller's own. Its errors are of type [*Error].
func Parse(text []byte, own ...Type) (*models.Architecture, error) {
	a, err := parse(text, own)
	if err != nil {
		return nil, located(err, text)
	}
	return a, nil
}

func parse(text []byte, own []Type) (*models.Architecture, error) {
	if err := tomlfile.Check(text); err != nil {
		return nil, err
	}
	var keys map[string]any
	if err := errors.Join(toml.Unmarshal(text, &keys), tomlfile.CheckKeys(keys)); err != nil {
		return nil, err
	}
	d := decoder{types: append(Types(), own...)}
	var f file
	if err := d.table(keys, reflect.ValueOf(&f).Elem(), "an architecture file", ""); err != nil {
		return nil, err
	}
	in, err := inputShape(f.Input)
	if err != nil {
		return nil, err
	}
	if len(f.Layer) == 0 {
		return nil, errors.New("no layers: want at least one [[layer]]")
	}
	a := &models.Architecture{Name: f.Name, Root: f.Layer, Input: in, Normalise: f.Normalise}
	if _, err := a.Describe(in, 10); err != nil {
		return nil, err
	}
	return a, nil
}

func inputShape(v []int) (models.Shape, error) {
	switch len(v) {
	case 0:
		return models.Shape{}, errors.New("the file sets no input: want input = [channels, rows, columns]")
	case 3:
	default:
		return models.Shape{}, fmt.Errorf("input = %v: want [channels, rows, columns]", v)
	}
	for _, n := range v {
		if err := within("input", n, 1, models.MaxSide); err != nil {
			return models.Shape{}, err
		}
	}
	return models.Shape{Channels: v[0], Height: v[1], Width: v[2]}, nil
}

// within returns an error unless a value is from lo to hi.
func within(key string, v, lo, hi int) error {
	if v < lo || v > hi {
		return fmt.Errorf("%s = %d: want %d to %d", key, v, lo, hi)
	}
	return nil
}

// located returns err as an [*Error], with its line if that is known.
func located(err error, text []byte) error {
	e := &Error{Path: "architecture", Err: err}
	var (
		syntax  toml.ParseError
		unknown *keyError
	)
	switch {
	case errors.As(err, &syntax):
		e.Line = syntax.Position.Line
		if syntax.Message != "" {
			e.Err = errors.New(syntax.Message)
		}
	case errors.As(err, &unknown):
		e.Line = unknown.line(text)
	}
	return e
}
