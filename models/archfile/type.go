package archfile

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ansatz-lab/ansatz/models"
)

// Type is a type of layer that an architecture file may name.
type Type struct {
	Name   string // the type of a [[layer]]
	Doc    string // what the layer does, a sentence without a full stop
	Params bool   // the layer has parameters, and therefore needs a name
	// New returns the default settings of a layer.
	New func() Settings
	// Of returns the settings of a layer of this type, and nil for a layer of another type. If Of is nil, such layers can
	// be read but not written.
	Of func(models.Layer) Settings
}

// Settings are the keys of a type of layer: a pointer to a struct whose fields have the tags toml, the key, and doc, its
// meaning. The optional tag default describes the default; without it the value of [Type.New] is shown. Fields are
// numbers, strings, bools, a [Pair], a [models.Sequential] of layers, or a pointer to one of these, which is nil if the
// key is not given.
type Settings interface {
	// Layer returns the layer with these settings, or an error for values that are out of range.
	Layer() (models.Layer, error)
}

// Pair is one number for rows and columns, or [rows, columns].
type Pair [2]int

// String returns the pair as TOML.
func (p Pair) String() string {
	if p[0] == p[1] {
		return fmt.Sprint(p[0])
	}
	return fmt.Sprintf("[%d, %d]", p[0], p[1])
}

// within returns an error unless both numbers are from lo to hi.
func (p Pair) within(key string, lo, hi int) error {
	if err := within(key, p[0], lo, hi); err != nil {
		return err
	}
	return within(key, p[1], lo, hi)
}

// branch is one of several branches that read the same input.
type branch struct {
	Name  string            `toml:"name"`
	Layer models.Sequential `toml:"layer"`
}

// Key is a key of a type of layer.
type Key struct {
	Name    string
	Doc     string
	Default string // "required" if there is none
}

// Keys lists the keys of a type besides type and name.
func (t Type) Keys() []Key {
	var all []Key
	for _, f := range keysOf(reflect.ValueOf(t.New()).Elem()) {
		all = append(all, f.Key)
	}
	return all
}

// field is a field of settings.
type field struct {
	Key
	value reflect.Value
}

// keysOf lists the fields of a struct that are keys.
func keysOf(v reflect.Value) []field {
	var all []field
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		name := tag.Get("toml")
		if name == "" {
			continue
		}
		otherwise := tag.Get("default")
		if otherwise == "" {
			otherwise = tomlValue(v.Field(i))
		}
		all = append(all, field{Key{name, tag.Get("doc"), otherwise}, v.Field(i)})
	}
	return all
}

// tomlValue returns a plain value as TOML. It returns "" for layers, and for a value that is not given.
func tomlValue(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case string:
		return fmt.Sprintf("%q", x)
	case float64:
		text := fmt.Sprint(x)
		if !strings.ContainsAny(text, ".e") {
			text += ".0" // a TOML float
		}
		return text
	case models.Sequential, []branch:
		return ""
	case []int:
		return strings.ReplaceAll(fmt.Sprint(x), " ", ", ")
	}
	return fmt.Sprint(v.Interface())
}

// typeOf returns the type and the settings of a layer; the settings are nil if the layer is of no type.
func typeOf(l models.Layer, types []Type) (Type, Settings) {
	for _, t := range types {
		if t.Of == nil {
			continue
		}
		if s := t.Of(l); s != nil {
			return t, s
		}
	}
	return Type{}, nil
}

// of returns a type with the given defaults and a function that returns the settings of a layer, or nil for a layer of
// another type.
func of[S any, P interface {
	*S
	Settings
}, L models.Layer](name, doc string, params bool, defaults S, settings func(L) *S) Type {
	return Type{
		Name: name, Doc: doc, Params: params,
		New: func() Settings { s := defaults; return P(&s) },
		Of: func(l models.Layer) Settings {
			if mine, is := l.(L); is {
				if s := settings(mine); s != nil {
					return P(s)
				}
			}
			return nil
		},
	}
}

// fixed holds a layer without settings.
type fixed struct{ layer models.Layer }

// Layer implements [Settings].
func (f *fixed) Layer() (models.Layer, error) { return f.layer, nil }

// plain is the type of a layer without settings.
func plain(name, doc string, layer models.Layer) Type {
	return Type{
		Name: name, Doc: doc,
		New: func() Settings { return &fixed{layer} },
		Of: func(l models.Layer) Settings {
			if l == layer {
				return &fixed{layer}
			}
			return nil
		},
	}
}

// named returns a type as one that has parameters and therefore needs a name.
func named(t Type) Type {
	t.Params = true
	return t
}
