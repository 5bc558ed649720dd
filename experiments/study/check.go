package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/settings"
)

// Check looks for errors in the experiments of a catalogue before any of them runs: in IDs, claims, controls, the patterns of
// what is shown, and settings that do not survive a record or a TOML file. It returns an [*input.Error] that lists all of them.
func (c Catalogue) Check() error {
	var faults []error
	seen := map[string]bool{}
	for i, e := range c {
		if e == nil {
			faults = append(faults, fmt.Errorf("experiment %d of the catalogue is nil", i+1))
			continue
		}
		all := []error{e.checkNames(), e.checkClaims(), e.checkSpecs()}
		if seen[e.ID] {
			all = append(all, errors.New("another experiment has the same ID"))
		}
		seen[e.ID] = true
		ofIt := func(other *Experiment) bool { return other != nil && other.ID == e.Of.ID }
		if e.Of != nil && !slices.ContainsFunc(c, ofIt) {
			all = append(all, fmt.Errorf("it shows a part of %s, which is not in the catalogue", e.Of.ID))
		}
		if err := errors.Join(all...); err != nil {
			faults = append(faults, fmt.Errorf("experiment %q: %s", e.ID, strings.ReplaceAll(err.Error(), "\n", "; ")))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return &input.Error{Err: errors.Join(faults...)}
}

// checkNames checks the ID, the title and the patterns of what is shown.
func (e *Experiment) checkNames() error {
	var faults []error
	inPaper := path.Dir(e.ID) == e.Paper || e.Stated && e.ID == e.Paper
	if !inPaper || e.Paper == "" || e.Paper == "." || !fs.ValidPath(e.ID) {
		faults = append(faults, fmt.Errorf("want an ID PAPER/NAME, where Paper %q is PAPER", e.Paper))
	}
	if e.Title == "" {
		faults = append(faults, errors.New("it has no Title"))
	}
	for _, pattern := range e.Shows {
		if _, err := path.Match(pattern, ""); err != nil {
			faults = append(faults, fmt.Errorf("its Shows has %q: %w", pattern, err))
		}
	}
	return errors.Join(faults...)
}

// checkClaims checks the claims, and that every control is between two of them.
func (e *Experiment) checkClaims() error {
	var faults []error
	if len(e.Claims) == 0 && !e.Stated {
		faults = append(faults, errors.New("it has no claims"))
	}
	for i, c := range e.Claims {
		if !slices.Contains(Origins(), c.Origin) {
			faults = append(faults, fmt.Errorf("claim %d, about %q, was made neither by Measure.Claim nor by "+
				"Measure.Check", i+1, c.Measure.name))
		}
		if c.Measure.name == "" || c.Sentence == "" {
			faults = append(faults, fmt.Errorf("claim %d lacks its Measure or its Sentence", i+1))
		}
		if !(c.Holds.Low <= c.Holds.High) || c.Holds == (Interval{}) {
			faults = append(faults, fmt.Errorf("claim %d, about %q, can never hold: its interval is %v", i+1,
				c.Measure.name, c.Holds))
		}
		isControl := func(other Claim) bool { return other.Measure == c.Control && other.Origin == OfControl }
		if c.Control.name != "" && !slices.ContainsFunc(e.Claims, isControl) {
			faults = append(faults, fmt.Errorf("the control of claim %d is %q, which no Check is about", i+1,
				c.Control.name))
		}
	}
	return errors.Join(faults...)
}

// checkSpecs checks that the specs are of one type, and that JSON and TOML preserve them.
func (e *Experiment) checkSpecs() error {
	if e.Of != nil || e.Absent != "" {
		if len(e.Specs) > 0 {
			return errors.New("it has specs, and is never run itself")
		}
		return nil
	}
	if len(e.Specs) == 0 {
		return errors.New("it has no Specs")
	}
	var faults []error
	var first reflect.Type
	for _, scale := range slices.Sorted(maps.Keys(e.Specs)) {
		spec := e.Specs[scale]
		if !slices.Contains(Scales, scale) {
			faults = append(faults, fmt.Errorf("there is no scale %q", scale))
			continue
		}
		of := reflect.TypeOf(spec)
		if of == nil || of.Kind() != reflect.Pointer || of.Elem().Kind() != reflect.Struct ||
			reflect.ValueOf(spec).IsNil() {
			return fmt.Errorf("the spec of scale %s is no pointer to a struct", scale)
		}
		if first == nil {
			first = of
		}
		if of != first {
			return fmt.Errorf("the specs of its scales are of two types, %v and %v", first, of)
		}
		if err := checkRoundTrip(spec); err != nil {
			faults = append(faults, fmt.Errorf("the spec of scale %s: %w", scale, err))
		}
	}
	return errors.Join(faults...)
}

// checkRoundTrip checks that a spec stays the same when it is encoded as JSON or as TOML and decoded again.
func checkRoundTrip(spec Spec) error {
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	empty := func() Spec { return reflect.New(reflect.TypeOf(spec).Elem()).Interface().(Spec) }
	again := empty()
	if err := json.Unmarshal(text, again); err != nil {
		return err
	}
	if name := differentField(spec, again); name != "" {
		return fmt.Errorf("JSON does not give field %s back: every setting needs a json tag of its own", name)
	}
	again = empty()
	if err := settings.Overlay(again, strings.Join(settings.Names(spec), "\n")); err != nil {
		return err
	}
	if name := differentField(spec, again); name != "" {
		return fmt.Errorf("TOML does not give field %s back: every setting needs a toml tag of its own", name)
	}
	return nil
}

// differentField returns the first exported field in which two structs of one type differ, "" for none.
func differentField(a, b any) string {
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		f := x.Type().Field(i)
		if f.IsExported() && !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			return f.Name
		}
	}
	return ""
}
