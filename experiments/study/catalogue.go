package study

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/input"
)

// Catalogue is the experiments that a program knows, in the order in which they are listed.
type Catalogue []*Experiment

// Find returns the experiment with an ID, or an [*input.Error] if there is none.
func (c Catalogue) Find(id string) (*Experiment, error) {
	for _, e := range c {
		if e.ID == id {
			return e, nil
		}
	}
	return nil, input.Errorf("there is no experiment %q: ansatz list shows them", id)
}

// Papers returns the papers that the experiments belong to, in the order of the catalogue.
func (c Catalogue) Papers() []string {
	var all []string
	for _, e := range c {
		if !slices.Contains(all, e.Paper) {
			all = append(all, e.Paper)
		}
	}
	return all
}
