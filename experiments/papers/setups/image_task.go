package setups

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// ImageTask is the classification of images of some classes.
type ImageTask struct {
	Name    string `json:"name" toml:"name"`
	Data    string `json:"data" toml:"data"`
	Classes string `json:"classes" toml:"classes"` // A,B,…; "" is all
	Size    int    `json:"size" toml:"size"`       // to which images are scaled; 0 leaves them unscaled
}

// OpenOnSphere opens the images of a task and scales them to the unit sphere: at most the given number of training
// images, drawn by the seed with equally many of every class, and test images. It records them in the outcome.
func (t ImageTask) OpenOnSphere(
	ctx context.Context, in study.Setting, train, test int, o *study.Outcome,
) (*examples.Set, error) {
	e, err := kernelmachine.OpenOwnExamples(ctx, in, examples.Spec{
		Data: t.Data, Classes: t.Classes, Size: t.Size, Train: train, Test: test, Sphere: true,
	})
	if err == nil {
		kernelmachine.RecordExamples(o, t.Name, e)
	}
	return e, err
}
