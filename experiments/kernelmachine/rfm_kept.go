package kernelmachine

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// OpenOwnExamples opens the images of a spec: at most so many training images, as many
// of every class and drawn by the seed, so that every seed learns from images of
// its own, and test images alike; or all images, where the spec does not say how
// many to train on.
func OpenOwnExamples(ctx context.Context, in study.Setting, s examples.Spec) (*examples.Set, error) {
	s.Dir, s.Seed, s.Balanced = in.DataDir, in.Seed, s.Train > 0
	if input.IsTable(s.Data) || input.IsFolder(s.Data) {
		return nil, input.Errorf("%s: want the name of an image set with a test split", s.Data)
	}
	return examples.Open(ctx, s)
}

// RecordExamples takes note of the examples.
func RecordExamples(o *study.Outcome, what string, e *examples.Set) {
	o.Data = append(o.Data, study.DataUsed{Name: what + ", training: " + e.Conventions.Train, Images: linalg.RowCount(e.Train.X), SHA256: e.Conventions.TrainSHA})
	if e.Test.X != nil {
		o.Data = append(o.Data, study.DataUsed{Name: what + ", test: " + e.Conventions.Test, Images: linalg.RowCount(e.Test.X), SHA256: e.Conventions.TestSHA})
	}
}
