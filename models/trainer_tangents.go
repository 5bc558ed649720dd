package models

import "github.com/ansatz-lab/ansatz/models/weights"

// Tangents is the u that a trainer of a linearization has come to, under the names
// of the weights; those that are frozen are not there. It is nil unless
// [TrainOptions] has Linearized. The tensors are the trainer's own.
func (t *Trainer) Tangents() *weights.StateDict {
	if !t.o.Linearized {
		return nil
	}
	d := new(weights.StateDict)
	for _, w := range t.trained {
		d.Set(w.name, w.value)
	}
	return d
}
