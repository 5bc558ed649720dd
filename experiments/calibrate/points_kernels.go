package calibrate

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// machinePoint measures a recursive feature machine.
func machinePoint(s kernelmachine.RFMSpec) pointRun {
	name := fmt.Sprintf("RFM on %s, %d examples, %d iterations", atSize(s.Data, s.Size), s.Train, s.Iterations)
	if s.Sample > 0 {
		name += fmt.Sprintf(", AGOP on %d", s.Sample)
	}
	if s.Classes != "" {
		name += ", " + s.Classes
	}
	if s.Diagonal {
		name += ", diagonal"
	}
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads, s.Select, s.Ridge = dir, 1, "last", 1e-3
		r, err := kernelmachine.NewRFM(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return r.Job(), func(ctx context.Context) error {
			_, err := r.Run(ctx, nil)
			return err
		}, nil
	}}
}

// patchPoint measures a convolutional kernel machine.
func patchPoint(s kernelmachine.ConvRFMSpec) pointRun {
	name := fmt.Sprintf("ConvRFM on %s, %d images, kernel %s of depth %d, patches of %d, %d iterations, AGOP on %d, %d layers",
		atSize(s.Data, s.Size), s.Train, s.Kernel, s.Depth, s.Patch, s.Iterations, s.Sample, s.Layers)
	if s.Classes != "" {
		name += ", " + s.Classes
	}
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads, s.Select, s.Ridges = dir, 1, "last", []float64{1e-3}
		c, err := kernelmachine.NewConvRFM(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return workload.Combine(c.Size().Jobs()), func(ctx context.Context) error {
			_, err := c.Run(ctx, nil)
			return err
		}, nil
	}}
}

// tangentPoint measures the tangent kernel of a network.
func tangentPoint(s tangent.NTKSpec) pointRun {
	name := fmt.Sprintf("tangent kernel of %s, %d images, outputs %d", atWidth(s.Arch, s.Width, s.Data, s.Size), s.Images, s.Outputs)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s.Dir, s.Threads = dir, 1
		m, err := tangent.NewNTK(s)
		if err != nil {
			return nil, nil, err
		}
		return m.Job(), func(ctx context.Context) error {
			_, err := m.Run(ctx, nil)
			return err
		}, nil
	}}
}

// tablePoint measures a table of the UCI benchmark.
func tablePoint(s tabular.Spec) pointRun {
	name := fmt.Sprintf("table %s, %v, paper mode %t, protocol %s, rows %d", s.Datasets, s.Methods, s.PaperMode, s.Protocol, s.Rows)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (cost.Job, pointWork, error) {
		s := s
		s.Dir, s.Threads, s.Benchmark = dir, 1, filepath.Join(dir, "uci")
		s.Datasets = "^" + regexp.QuoteMeta(s.Datasets) + "$"
		t, err := tabular.NewTabular(s)
		if err != nil {
			return nil, nil, err
		}
		session := &tabular.Session{Tabular: t, Folder: &tabular.Folder{}}
		if err := session.Plan(ctx); err != nil {
			return nil, nil, err
		}
		return s.Job(session.Tables[0].Size()), func(ctx context.Context) error {
			_, err := t.Run(ctx, tabular.Run{})
			return err
		}, nil
	}}
}
