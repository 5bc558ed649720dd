package calibrate

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// needPointsTOML lists the settings of the jobs that are measured.
//
//go:embed points.toml
var needPointsTOML string

// pointSpecs are the settings of jobs to measure, by what the jobs do.
type pointSpecs struct {
	Training, Linearized  []train.Spec
	Gradients, Comparison []verify.Spec
	RFM                   []kernelmachine.RFMSpec
	ConvRFM               []kernelmachine.ConvRFMSpec
	Tangent               []tangent.NTKSpec
	Table                 []tabular.Spec
}

// pointRuns reads the list of all jobs that are measured.
func pointRuns() ([]pointRun, error) {
	var specs struct{ Fit, Check pointSpecs }
	meta, err := toml.Decode(needPointsTOML, &specs)
	if err != nil {
		return nil, fmt.Errorf("points.toml: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("points.toml: there is no setting %v", unknown[0])
	}
	checks := specs.Check.runs()
	for i := range checks {
		checks[i].check = true
	}
	return append(specs.Fit.runs(), checks...), nil
}

// runs returns the jobs, kind by kind.
func (s pointSpecs) runs() []pointRun {
	return slices.Concat(each(s.Training, trainingPoint), each(s.Linearized, linearizedPoint),
		each(s.Gradients, gatheringPoint), each(s.Comparison, comparingPoint),
		each(s.RFM, machinePoint), each(s.ConvRFM, patchPoint), each(s.Tangent, tangentPoint), each(s.Table, tablePoint))
}

// each returns f of every element.
func each[A, B any](all []A, f func(A) B) []B {
	made := make([]B, len(all))
	for i, a := range all {
		made[i] = f(a)
	}
	return made
}

// linearizedPoint measures the training of a linearized network.
func linearizedPoint(s train.Spec) pointRun {
	s.Linearized, s.Loss = true, "mse"
	return trainingPoint(s)
}

// trainingPoint measures a training, at a learning rate at which nothing diverges.
func trainingPoint(s train.Spec) pointRun {
	what := "training of "
	if s.Linearized {
		what = "linearized training of "
	}
	name := fmt.Sprintf("%s, %d images, %d epochs of batches of %d", what+atWidth(s.Arch, s.Width, s.Data, s.Size), s.Train, s.Epochs, s.Batch)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads = dir, 1
		s.LR = cmp.Or(s.LR, 1e-4)
		t, err := train.NewTraining(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return t.Job(t.Net.Layers()), func(ctx context.Context) error {
			_, err := t.Run(ctx, train.Run{})
			return err
		}, nil
	}}
}

// atWidth names a network and images.
func atWidth(arch string, width float64, set string, size int) string {
	if width > 0 {
		arch += fmt.Sprintf(" × %g", width)
	}
	return arch + " on " + atSize(set, size)
}

// atSize names images.
func atSize(set string, size int) string {
	if size > 0 {
		set += fmt.Sprintf(" at %d", size)
	}
	return set
}
