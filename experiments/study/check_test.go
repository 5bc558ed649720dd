package study

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// otherSpec is a spec of another type than toySpec. Its field Lost is not written to JSON.
type otherSpec struct {
	Lost  int `json:"-" toml:"lost"`
	Named int `json:"named" toml:"called"`
}

func (s *otherSpec) Run(context.Context, Setting) (*Outcome, error) {
	return nil, errors.New("it is never run")
}

// Check finds every fault of an experiment before it is run.
func TestCatalogueCheck(t *testing.T) {
	if err := (Catalogue{toy(&toySpec{})}).Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(e *Experiment){
		`"toy": want an ID PAPER/NAME`:            func(e *Experiment) { e.ID = "toy" },
		`want an ID PAPER/NAME, where Paper "x"`:  func(e *Experiment) { e.Paper = "x" },
		`"toys/../toys/one"`:                      func(e *Experiment) { e.ID = "toys/../toys/one" },
		"it has no Title":                         func(e *Experiment) { e.Title = "" },
		`Shows has "["`:                           func(e *Experiment) { e.Shows = []string{"["} },
		"it has no claims":                        func(e *Experiment) { e.Claims = nil },
		"claim 1 lacks its Measure":               func(e *Experiment) { e.Claims[0].Measure = Measure{} },
		`claim 2, about "level", can never hold`:  func(e *Experiment) { e.Claims[1].Holds = Interval{} },
		`the control of claim 1 is "lvel"`:        func(e *Experiment) { e.Claims[0].Control = NewMeasure("lvel") },
		"it has no Specs":                         func(e *Experiment) { e.Specs = nil },
		"it has specs, and is never run":          func(e *Experiment) { e.Absent = "it cannot be" },
		`there is no scale "huge"`:                func(e *Experiment) { e.Specs["huge"] = &toySpec{} },
		"scale smoke is no pointer":               func(e *Experiment) { e.Specs[Smoke] = (*toySpec)(nil) },
		"two types, *study.toySpec and *study.ot": func(e *Experiment) { e.Specs[Smoke] = &otherSpec{} },
		"JSON does not give field Lost back":      func(e *Experiment) { e.Specs = map[Scale]Spec{Small: &otherSpec{Lost: 1}} },
		"TOML does not give field B back":         func(e *Experiment) { e.Specs = map[Scale]Spec{Small: &mistagged{A: 1, B: 2}} },
		"a part of toys/two":                      func(e *Experiment) { e.Specs, e.Of = nil, &Experiment{ID: "toys/two"} },
	} {
		e := toy(&toySpec{})
		change(e)
		if err := (Catalogue{e}).Check(); !input.IsError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got: %v", want, err)
		}
	}
	err := (Catalogue{toy(&toySpec{}), nil, toy(&toySpec{})}).Check()
	for _, want := range []string{"another experiment has the same ID", "experiment 2 of the catalogue is nil"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s, got: %v", want, err)
		}
	}
}

// mistagged is a spec whose TOML tags do not match its JSON tags.
type mistagged struct {
	A int `json:"a" toml:"b"`
	B int `json:"b" toml:"-"`
}

func (s *mistagged) Run(context.Context, Setting) (*Outcome, error) {
	return nil, errors.New("it is never run")
}

// A claim about a measure is judged by the values that the seeds set.
func TestMeasure(t *testing.T) {
	m := NewMeasure("level")
	var all []*Outcome
	for k := range 3 {
		o := &Outcome{}
		o.Set(m, 1+.01*float64(k))
		all = append(all, o)
	}
	claim := m.Claim("It is high.", "high", AtLeast(.5))
	if j := claim.Judge(all); j.Verdict != Holds || j.Value != m.Name() || j.Seeds != 3 {
		t.Errorf("%+v", j)
	}
	// At scale smoke, which tests use, a measure that Run does not set is an error. At other scales it is not, so that
	// it does not end a long run.
	ran := 0
	e := toy(&toySpec{ran: &ran})
	e.Claims = append(e.Claims, NewMeasure("forgotten").Claim("It is there.", "–", AtLeast(0)))
	for scale, wrong := range map[Scale]bool{Smoke: true, Small: false} {
		_, err := Run{Experiment: e, Scale: scale, Seeds: 1}.Run(t.Context())
		if wrong != (err != nil && strings.Contains(err.Error(), `"forgotten", which Run does not set`)) {
			t.Errorf("scale %s: %v", scale, err)
		}
	}
}
