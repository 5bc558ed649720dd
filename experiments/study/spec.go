package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Overlay changes the settings of a spec that a text in TOML sets. Unknown keys, and values that do
// not fit or are not finite, are an [*input.Error].
func Overlay(s Spec, text string) error {
	meta, err := toml.Decode(text, s)
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		return input.Errorf("settings, line %d: %s", wrong.Position.Line, wrong.Message)
	}
	if err != nil {
		return &input.Error{Err: fmt.Errorf("settings: %w", err)}
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return input.Errorf("settings: there is no %v: there are %s", unknown[0], strings.Join(SettingNames(s), ", "))
	}
	if _, err := json.Marshal(s); err != nil { // TOML has infinities, JSON has not
		return input.Errorf("settings: %w: want numbers that are finite", err)
	}
	return nil
}

// SpecWith returns a copy of the spec of a scale, changed by a text in TOML as [Overlay] does.
func (e *Experiment) SpecWith(scale Scale, text string) (Spec, error) {
	own, err := e.SpecAt(scale)
	if err != nil {
		return nil, err
	}
	s, err := e.emptySpec()
	if err != nil {
		return nil, err
	}
	settings, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(settings, s); err != nil {
		return nil, err
	}
	return s, Overlay(s, text)
}

// emptySpec returns a new spec of the experiment's type with all settings zero.
func (e *Experiment) emptySpec() (Spec, error) {
	for _, own := range e.Source().Specs {
		return reflect.New(reflect.TypeOf(own).Elem()).Interface().(Spec), nil
	}
	return nil, input.Errorf("%s has no settings: %s", e.ID, e.Absent)
}

// SettingNames returns the settings of a spec as lines of TOML, "name = value".
func SettingNames(s Spec) []string {
	text, _ := toml.Marshal(s) // numbers and strings can always be encoded
	return strings.FieldsFunc(strings.TrimSpace(string(text)), func(r rune) bool { return r == '\n' })
}
