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

// Overlay changes those settings of a spec that a text in TOML gives. A key that
// the spec has not, and a value that does not fit or is not finite, are errors.
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
	if _, err := json.Marshal(s); err != nil { // TOML has words for them, and a record has not
		return input.Errorf("settings: %w: want numbers that are finite", err)
	}
	return nil
}

// SpecWith is the spec of a scale with those settings changed that a text in TOML
// gives, see [Overlay]. The experiment keeps its own.
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

// emptySpec returns a new spec of the experiment's type, all of whose settings are zero.
func (e *Experiment) emptySpec() (Spec, error) {
	for _, own := range e.Source().Specs {
		return reflect.New(reflect.TypeOf(own).Elem()).Interface().(Spec), nil
	}
	return nil, input.Errorf("%s has no settings: %s", e.ID, e.Absent)
}

// SettingNames lists the settings of a spec with their values.
func SettingNames(s Spec) []string {
	text, _ := toml.Marshal(s) // specs are numbers and texts
	return strings.FieldsFunc(strings.TrimSpace(string(text)), func(r rune) bool { return r == '\n' })
}
