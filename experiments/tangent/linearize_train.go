package tangent

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// LinearTrainingRecord is the record of a linearization that was trained by stochastic gradients and,
// where they are compared, of the network from the same initial weights with the same batches.
type LinearTrainingRecord struct {
	Method string `json:"method"` // sgd
	*train.Record
	Network *train.Record `json:"network,omitempty"`
}

// LinearTraining is the training of a linearization, and of its network if they are compared.
type LinearTraining struct {
	linear, network *train.Training // network is nil unless it is compared
}

// NewLinearTraining opens what the spec names. With compare the network itself is trained too,
// from the same weights and by the same batches, without dropout unless the spec gives one.
func NewLinearTraining(ctx context.Context, s train.Spec, compare bool) (*LinearTraining, error) {
	t := &LinearTraining{}
	s.Linearized = true
	var err error
	if t.linear, err = train.NewTraining(ctx, s); err != nil || !compare {
		return t, err
	}
	s.Linearized, s.NoDropout = false, s.Dropout == 0
	t.network, err = train.NewTraining(ctx, s)
	return t, err
}

// splitRun returns the runs of the two trainings. The network's folder lies within the
// linearization's.
func (t *LinearTraining) splitRun(r train.Run) (linear, network train.Run) {
	linear, network = r, r
	if r.Out != "" {
		network.Out = filepath.Join(r.Out, "network")
	}
	return linear, network
}

// Check is [train.Training.Check] of both trainings.
func (t *LinearTraining) Check(r train.Run) error {
	linear, network := t.splitRun(r)
	if err := t.linear.Check(linear); err != nil || t.network == nil {
		return err
	}
	return t.network.Check(network)
}

// Run is [train.Training.Run] of the linearization and then of the network. It calls begin before
// each.
func (t *LinearTraining) Run(ctx context.Context, r train.Run, begin func(what string)) (*LinearTrainingRecord, error) {
	linear, network := t.splitRun(r)
	out := &LinearTrainingRecord{Method: "sgd"}
	var err error
	begin("the linearization")
	if out.Record, err = t.linear.Run(ctx, linear); err != nil || t.network == nil {
		return out, err
	}
	begin("the network")
	if out.Network, err = t.network.Run(ctx, network); err != nil {
		return nil, err
	}
	if r.Out == "" {
		return out, nil
	}
	return out, atomicfile.WriteJSON(filepath.Join(r.Out, "comparison.json"), out)
}

// Summary describes the training, and how far the network is ahead.
func (r *LinearTrainingRecord) Summary() string {
	text := r.Record.Summary()
	if r.Network == nil {
		return text
	}
	text += " " + r.Network.Summary()
	if a, b := r.Network.Final(), r.Record.Final(); a != nil && b != nil && a.TestAccuracy != nil &&
		b.TestAccuracy != nil {
		text += fmt.Sprintf(" The network is ahead by %+.2f points on the test images.",
			100*(*a.TestAccuracy-*b.TestAccuracy))
	}
	return text
}

// Tables returns the histories.
func (r *LinearTrainingRecord) Tables() []*report.Table {
	linear := r.Record.Table()
	if r.Network == nil {
		return []*report.Table{linear}
	}
	network := r.Network.Table()
	linear.Caption, network.Caption = "The linearization. "+linear.Caption, "The network. "+network.Caption
	return []*report.Table{linear, network}
}
