package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// machinePoint measures a recursive feature machine.
func machinePoint(s RFMSpec) pointRun {
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
	return pointRun{name: name, open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
		s.Dir, s.Threads, s.Select, s.Ridge = dir, 1, "last", 1e-3
		r, err := NewRFM(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return r.job(), func(ctx context.Context) error {
			_, err := r.Run(ctx, nil)
			return err
		}, nil
	}}
}

// patchPoint measures a convolutional kernel machine.
func patchPoint(s ConvRFMSpec) pointRun {
	name := fmt.Sprintf("ConvRFM on %s, %d images, kernel %s of depth %d, patches of %d, %d iterations, AGOP on %d, %d layers",
		atSize(s.Data, s.Size), s.Train, s.Kernel, s.Depth, s.Patch, s.Iterations, s.Sample, s.Layers)
	if s.Classes != "" {
		name += ", " + s.Classes
	}
	return pointRun{name: name, open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
		s.Dir, s.Threads, s.Select, s.Ridges = dir, 1, "last", []float64{1e-3}
		c, err := NewConvRFM(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return together(c.size().jobs()), func(ctx context.Context) error {
			_, err := c.Run(ctx, nil)
			return err
		}, nil
	}}
}

// tangentPoint measures the tangent kernel of a network.
func tangentPoint(s NTKSpec) pointRun {
	name := fmt.Sprintf("tangent kernel of %s, %d images, outputs %d", atWidth(s.Arch, s.Width, s.Data, s.Size), s.Images, s.Outputs)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
		s.Dir, s.Threads = dir, 1
		m, err := NewNTK(s)
		if err != nil {
			return nil, nil, err
		}
		return m.job(), func(ctx context.Context) error {
			_, err := m.Run(ctx, nil)
			return err
		}, nil
	}}
}

// tablePoint measures a table of the UCI benchmark.
func tablePoint(s TabularSpec) pointRun {
	name := fmt.Sprintf("table %s, %v, paper mode %t, protocol %s, rows %d", s.Datasets, s.Methods, s.PaperMode, s.Protocol, s.Rows)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
		s := s
		s.Dir, s.Threads, s.Benchmark = dir, 1, filepath.Join(dir, "uci")
		s.Datasets = "^" + regexp.QuoteMeta(s.Datasets) + "$"
		t, err := NewTabular(s)
		if err != nil {
			return nil, nil, err
		}
		session := &tabularSession{Tabular: t, folder: &tabularFolder{}}
		if err := session.plan(ctx); err != nil {
			return nil, nil, err
		}
		return s.job(session.tables[0].size()), func(ctx context.Context) error {
			_, err := t.Run(ctx, TabularRun{})
			return err
		}, nil
	}}
}
