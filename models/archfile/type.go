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
	// New returns the settings of a layer, at their defaults.
	New func() Settings
	// Of returns the settings of a layer of this type, and nil for a layer of another one. Without it a layer cannot be
	// written.
	Of func(models.Layer) Settings
}

// Settings are the keys of a type of layer: a pointer to a struct, whose fields have the tags toml, which is the key, and
// doc, which says what it means. The tag default, where it stands, says what is true without the key. Fields are
// numbers, texts, truth values, a [Pair], a [models.Sequential] of layers, or a pointer to one of them, which is nil
// where the key is not given.
type Settings interface {
	// Layer returns the layer, or an error for values that it cannot have.
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

// branch is one of several parts that read the same input.
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

// tomlValue returns a plain value as TOML, and "" for one that is not given and for layers.
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

// typeOf returns the type and the settings of a layer, of which there are none if no type has it.
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

// of returns a type by its defaults and by a function that returns the settings of a layer, nil for a layer that is of
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

// fixed is a layer without settings.
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

// named makes a type one with parameters, which needs a name.
func named(t Type) Type {
	t.Params = true
	return t
}
