package experiments

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// LinearTrainingRecord is a linearization that was trained by stochastic gradients
// and, where it was compared, the network at the same initial weights with the
// same batches.
type LinearTrainingRecord struct {
	Method string `json:"method"` // sgd
	*TrainRecord
	Network *TrainRecord `json:"network,omitempty"`
}

// LinearTraining is the training of a linearization, and of its network if that is
// compared.
type LinearTraining struct {
	linear, network *Training // network is nil unless it is compared
}

// NewLinearTraining opens what the spec names. With compare, the network itself is
// trained too, without dropout: from the same weights, by the same batches.
func NewLinearTraining(ctx context.Context, s TrainSpec, compare bool) (*LinearTraining, error) {
	t := &LinearTraining{}
	s.Linearized = true
	var err error
	if t.linear, err = NewTraining(ctx, s); err != nil || !compare {
		return t, err
	}
	s.Linearized, s.NoDropout = false, s.Dropout == 0
	t.network, err = NewTraining(ctx, s)
	return t, err
}

// runs are where the two trainings are kept: the network's in a folder within the
// other's.
func (t *LinearTraining) runs(r TrainRun) (linear, network TrainRun) {
	linear, network = r, r
	if r.Out != "" {
		network.Out = filepath.Join(r.Out, "network")
	}
	return linear, network
}

// Check is [Training.Check] of both trainings.
func (t *LinearTraining) Check(r TrainRun) error {
	linear, network := t.runs(r)
	if err := t.linear.Check(linear); err != nil || t.network == nil {
		return err
	}
	return t.network.Check(network)
}

// Run is [Training.Run] of the linearization and then of the network. Begin is
// told of each.
func (t *LinearTraining) Run(ctx context.Context, r TrainRun, begin func(what string)) (*LinearTrainingRecord, error) {
	linear, network := t.runs(r)
	out := &LinearTrainingRecord{Method: "sgd"}
	var err error
	begin("the linearization")
	if out.TrainRecord, err = t.linear.Run(ctx, linear); err != nil || t.network == nil {
		return out, err
	}
	begin("the network")
	if out.Network, err = t.network.Run(ctx, network); err != nil {
		return nil, err
	}
	if r.Out == "" {
		return out, nil
	}
	return out, writeJSON(filepath.Join(r.Out, "comparison.json"), out)
}

// Summary says what came of the training, and how far the network is ahead.
func (r *LinearTrainingRecord) Summary() string {
	text := r.TrainRecord.Summary()
	if r.Network == nil {
		return text
	}
	text += " " + r.Network.Summary()
	if a, b := r.Network.final(), r.TrainRecord.final(); a != nil && b != nil && a.TestAccuracy != nil && b.TestAccuracy != nil {
		text += fmt.Sprintf(" The network is ahead by %+.2f points on the test images.", 100*(*a.TestAccuracy-*b.TestAccuracy))
	}
	return text
}

// Tables are the histories.
func (r *LinearTrainingRecord) Tables() []*report.Table {
	linear := r.TrainRecord.Table()
	if r.Network == nil {
		return []*report.Table{linear}
	}
	network := r.Network.Table()
	linear.Caption, network.Caption = "The linearization. "+linear.Caption, "The network. "+network.Caption
	return []*report.Table{linear, network}
}
