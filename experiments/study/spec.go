package study

import (
	"encoding/json"
	"reflect"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/settings"
)

// SpecWith returns a copy of the spec of a scale, changed by a text in TOML as [settings.Overlay] does.
func (e *Experiment) SpecWith(scale Scale, text string) (Spec, error) {
	own, err := e.SpecAt(scale)
	if err != nil {
		return nil, err
	}
	s, err := e.emptySpec()
	if err != nil {
		return nil, err
	}
	from, err := json.Marshal(own)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(from, s); err != nil {
		return nil, err
	}
	return s, settings.Overlay(s, text)
}

// emptySpec returns a new spec of the experiment's type with all settings zero.
func (e *Experiment) emptySpec() (Spec, error) {
	for _, own := range e.Source().Specs {
		return reflect.New(reflect.TypeOf(own).Elem()).Interface().(Spec), nil
	}
	return nil, input.Errorf("%s has no settings: %s", e.ID, e.Absent)
}
