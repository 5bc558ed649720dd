package archfile

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/suggest"
	"github.com/ansatz-lab/ansatz/models"
)

// Bounds on the depth of nested layers, and on the number of layers.
const (
	MaxDepth = 8
	MaxCount = 1 << 14
)

// decoder turns tables into layers, each according to its type.
type decoder struct {
	types []Type
	depth int
	count int
}

// keyError says that a table has an unknown key.
type keyError struct {
	key, where string
	allowed    []string
}

func (e *keyError) Error() string {
	return fmt.Sprintf("unknown key %q%s: %s has the keys %s", e.key, suggest.Hint(e.key, e.allowed), e.where,
		strings.Join(e.allowed, ", "))
}

// line returns the number of the line that has the key, or 0 if no line or several have it.
func (e *keyError) line(text []byte) (line int) {
	for i, l := range strings.Split(string(text), "\n") {
		name, _, found := strings.Cut(l, "=")
		table := strings.Trim(l, " \t[]\r")
		if found && strings.Trim(name, " \t\"'") == e.key || table == e.key || strings.HasSuffix(table, "."+e.key) {
			if line > 0 {
				return 0
			}
			line = i + 1
		}
	}
	return line
}

// table sets the fields of a struct to the values of a table. Errors call the table what.
func (d *decoder) table(values map[string]any, into reflect.Value, what, at string) error {
	keys := keysOf(into)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		field, known := find(keys, name)
		if !known {
			e := &keyError{key: name, where: what}
			for _, k := range keys {
				e.allowed = append(e.allowed, k.Name)
			}
			return e
		}
		if err := d.value(values[name], field.value, field.Name, at); err != nil {
			return err
		}
	}
	return nil
}

// find returns the field of a key, ignoring case.
func find(keys []field, name string) (field, bool) {
	for _, k := range keys {
		if strings.EqualFold(k.Name, name) {
			return k, true
		}
	}
	return field{}, false
}

// value sets a field to the value of its key.
func (d *decoder) value(v any, into reflect.Value, key, at string) error {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch into.Interface().(type) {
	case models.Sequential:
		tables, ok := tablesOf(v)
		if !ok {
			return fmt.Errorf("%s: want tables of layers, as [[layer]]", key)
		}
		if key != "layer" {
			at += ", " + key
		}
		s, err := d.layers(tables, at)
		into.Set(reflect.ValueOf(s))
		return err
	case []branch:
		tables, ok := tablesOf(v)
		if !ok {
			return fmt.Errorf("%s: want tables, as [[layer.branch]]", key)
		}
		all := make([]branch, len(tables))
		for i, t := range tables {
			where := fmt.Sprintf("%s, branch %d", at, i+1)
			if err := d.table(t, reflect.ValueOf(&all[i]).Elem(), "a branch", where); err != nil {
				return err
			}
		}
		into.Set(reflect.ValueOf(all))
		return nil
	}
	if !set(into, v) {
		return fmt.Errorf("%s = %s: want %s", key, written(v), wanted(into))
	}
	return nil
}

// written returns a value as it stands in a TOML file, which tells "4" and 4.0 from 4.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return fmt.Sprintf("%.1f", v)
		}
	}
	return fmt.Sprint(v)
}

// tablesOf returns v as an array of tables, which may be empty.
func tablesOf(v any) ([]map[string]any, bool) {
	if tables, ok := v.([]map[string]any); ok {
		return tables, true
	}
	list, ok := v.([]any)
	var tables []map[string]any
	for _, e := range list {
		t, is := e.(map[string]any)
		tables, ok = append(tables, t), ok && is
	}
	return tables, ok
}

// set sets a plain field to v, and reports whether v is of the field's kind.
func set(into reflect.Value, v any) bool {
	switch x := into.Addr().Interface().(type) {
	case *int:
		n, ok := v.(int64)
		*x = int(n)
		return ok && int64(*x) == n
	case *float64:
		switch v := v.(type) {
		case float64:
			*x = v
			return true
		case int64:
			*x = float64(v)
			return true
		}
	case *bool:
		b, ok := v.(bool)
		*x = b
		return ok
	case *string:
		s, ok := v.(string)
		*x = s
		return ok
	case *Pair:
		if n, ok := v.(int64); ok {
			*x = Pair{int(n), int(n)}
			return true
		}
		var both []int
		ok := set(reflect.ValueOf(&both).Elem(), v) && len(both) == 2
		if ok {
			*x = Pair(both)
		}
		return ok
	case *[]int:
		list, ok := v.([]any)
		*x = make([]int, len(list))
		for i, e := range list {
			ok = ok && set(reflect.ValueOf(&(*x)[i]).Elem(), e)
		}
		return ok
	}
	return false
}

// wanted says which values a field accepts.
func wanted(f reflect.Value) string {
	switch f.Interface().(type) {
	case int:
		return "a whole number"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	case string:
		return "a text in quotes"
	case Pair:
		return "a whole number or [rows, columns]"
	case []int:
		return "whole numbers in brackets"
	}
	return "a value of another type"
}

// layers makes a layer from every table.
func (d *decoder) layers(tables []map[string]any, within string) (models.Sequential, error) {
	if d.depth++; d.depth > MaxDepth {
		return nil, fmt.Errorf("layers nested more than %d deep", MaxDepth)
	}
	defer func() { d.depth-- }()
	var s models.Sequential
	for i, t := range tables {
		if d.count++; d.count > MaxCount {
			return nil, fmt.Errorf("more than %d layers", MaxCount)
		}
		at := strings.TrimSpace(fmt.Sprintf("%s layer %d", within, i+1))
		name := ""
		for key, v := range t { // one key at most: see tomlfile.CheckKeys
			if strings.EqualFold(key, "name") {
				name, _ = v.(string)
			}
		}
		if name != "" {
			at = fmt.Sprintf("%s (%s)", at, name)
		}
		l, err := d.layer(t, name, at)
		if err != nil {
			return nil, &placeError{at, err}
		}
		s = append(s, models.Named{Name: name, Layer: l})
	}
	return s, nil
}

// placeError says in which layer an error is. For nested layers it names the innermost.
type placeError struct {
	at  string
	err error
}

func (e *placeError) Error() string {
	if inner, ok := e.err.(*placeError); ok {
		return inner.Error()
	}
	return e.at + ": " + e.err.Error()
}

func (e *placeError) Unwrap() error { return e.err }

// layer makes the layer that a table describes.
func (d *decoder) layer(table map[string]any, name, at string) (models.Layer, error) {
	var head struct {
		Type string `toml:"type"`
		Name string `toml:"name"`
	}
	settings := map[string]any{}
	for key, v := range table {
		f, isHead := find(keysOf(reflect.ValueOf(&head).Elem()), key)
		if !isHead {
			settings[key] = v
		} else if err := d.value(v, f.value, f.Name, at); err != nil {
			return nil, err
		}
	}
	var names []string
	for _, t := range d.types {
		if t.Name != head.Type {
			names = append(names, t.Name)
			continue
		}
		if t.Params && name == "" {
			return nil, fmt.Errorf("a %s layer needs a name, that of its parameters in the state dict", t.Name)
		}
		return d.settings(t, settings, at)
	}
	if head.Type == "" {
		return nil, fmt.Errorf("no type: want one of %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("type = %q%s: want one of %s", head.Type, suggest.Hint(head.Type, names),
		strings.Join(names, ", "))
}

// settings makes a layer of a type from the values of its keys.
func (d *decoder) settings(t Type, values map[string]any, at string) (models.Layer, error) {
	s := t.New()
	if err := d.table(values, reflect.ValueOf(s).Elem(), "a "+t.Name+" layer", at); err != nil {
		if e, unknown := err.(*keyError); unknown && strings.HasPrefix(e.where, "a "+t.Name) {
			e.allowed = append([]string{"type", "name"}, e.allowed...)
		}
		return nil, err
	}
	return s.Layer()
}
