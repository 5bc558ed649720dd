package train

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
)

// TrainIn runs a training of a seed, from where it was interrupted.
func TrainIn(ctx context.Context, in study.Setting, t *Training, name string, r Run) (*Record, error) {
	r.RunLoop = func(ctx context.Context, l *models.Loop) error { return in.Train(ctx, name, t.spec, l) }
	return t.Run(ctx, r)
}

// TrainReporting is training that reports every epoch, and names the network in errors.
func TrainReporting(ctx context.Context, in study.Setting, t *Training, name string) (*Record, error) {
	r, err := TrainIn(ctx, in, t, name, Run{Progress: func(p Progress) {
		if p.Ended != nil {
			in.Report("training "+name, p.Epoch, p.Epochs)
		}
	}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
