// Package settings changes the settings of an experiment, a struct with names for TOML, by a text of a user's.
package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/internal/tomlfile"
)

// Overlay changes the settings of s, a pointer to a struct, that a text in TOML sets. A list in the text takes the place
// of the whole list in the spec. Unknown keys, and values that do not fit, are negative or are not finite, are an
// [*input.Error], and so are an empty list and no draws where the spec has some (see [checkEmpty]).
func Overlay(s any, text string) error {
	if err := tomlfile.Check([]byte(text)); err != nil {
		return input.Errorf("settings: %w", err)
	}
	var given map[string]any
	if _, err := toml.Decode(text, &given); err == nil { // its error is found again below
		if err := errors.Join(tomlfile.CheckKeys(given), checkSigns("", given)); err != nil {
			return input.Errorf("settings: %w", err)
		}
		if err := checkEmpty("", reflect.ValueOf(s).Elem(), given); err != nil {
			return input.Errorf("settings: %w", err)
		}
		clearLists(reflect.ValueOf(s).Elem(), given)
	}
	meta, err := toml.Decode(text, s)
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		return input.Errorf("settings, line %d: %s", wrong.Position.Line, wrong.Message)
	}
	if err != nil {
		return &input.Error{Err: fmt.Errorf("settings: %w", err)}
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return input.Errorf("settings: unknown key %v: allowed are %s", unknown[0], strings.Join(Names(s), ", "))
	}
	if _, err := json.Marshal(s); err != nil { // TOML has infinities, JSON has not
		return input.Errorf("settings: %w: want numbers that are finite", err)
	}
	return nil
}

// checkSigns returns an error for a negative number in a value of a settings file. No setting has a
// meaning below 0: sizes, rates and seeds would be taken for others, or for "not given".
func checkSigns(name string, value any) error {
	negative := false
	switch v := value.(type) {
	case int64:
		negative = v < 0
	case float64:
		negative = v < 0
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := checkSigns(key, v[key]); err != nil {
				return err
			}
		}
	case []map[string]any:
		for _, table := range v {
			if err := checkSigns(name, table); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := checkSigns(name, element); err != nil {
				return err
			}
		}
	}
	if negative {
		return fmt.Errorf("%s = %v: want a number that is not negative", name, value)
	}
	return nil
}

// drawsKeys are the settings that count random draws: a null of none has no mean. Other numbers may be 0, which
// stands for all, for none or for the training's own, as their settings say.
var drawsKeys = []string{"draws", "null_draws"}

// checkEmpty returns an error if a table of settings gives an empty list, or 0 draws, where the struct has some: the
// experiment would have nothing to measure, and would say so only after it has been run. A list that its JSON omits
// when it is empty may be empty.
func checkEmpty(prefix string, v reflect.Value, given map[string]any) error {
	var errs []error
	eachGiven(v, given, func(name string, field reflect.Value, f reflect.StructField, value any) {
		table, isTable := value.(map[string]any)
		list := field.Kind() == reflect.Slice && !strings.Contains(f.Tag.Get("json"), ",omitempty")
		elements, isList := value.([]any)
		switch {
		case field.Kind() == reflect.Struct && isTable:
			errs = append(errs, checkEmpty(prefix+name+".", field, table))
		case list && field.Len() > 0 && isList && len(elements) == 0:
			errs = append(errs, fmt.Errorf("%s%s = []: want at least one element", prefix, name))
		case slices.Contains(drawsKeys, strings.ToLower(name)) && value == int64(0) && !field.IsZero():
			errs = append(errs, fmt.Errorf("%s%s = 0: want at least 2 draws", prefix, name))
		}
	})
	return errors.Join(errs...)
}

// eachGiven calls visit with every field of a struct that a table of settings gives, in the order of the fields. An
// embedded struct's fields count as the struct's own.
func eachGiven(v reflect.Value, given map[string]any,
	visit func(name string, field reflect.Value, f reflect.StructField, value any)) {
	for i := range v.NumField() {
		field, f := v.Field(i), v.Type().Field(i)
		if f.Anonymous && field.Kind() == reflect.Struct {
			eachGiven(field, given, visit)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		for key, value := range given {
			if f.IsExported() && strings.EqualFold(key, cmp.Or(name, f.Name)) {
				visit(key, field, f, value)
			}
		}
	}
}

// clearLists empties the lists and maps in a struct that a table of settings gives anew: the decoder
// would write their elements over those that are there, and keep what these do not set.
func clearLists(v reflect.Value, given map[string]any) {
	eachGiven(v, given, func(_ string, field reflect.Value, _ reflect.StructField, value any) {
		table, isTable := value.(map[string]any)
		switch {
		case field.Kind() == reflect.Slice || field.Kind() == reflect.Map || field.Kind() == reflect.Array:
			field.SetZero()
		case field.Kind() == reflect.Struct && isTable:
			clearLists(field, table)
		}
	})
}

// Names returns the settings of s as lines of TOML, "name = value".
func Names(s any) []string {
	text, _ := toml.Marshal(s) // numbers and strings can always be encoded
	return strings.FieldsFunc(strings.TrimSpace(string(text)), func(r rune) bool { return r == '\n' })
}
