package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// machinePoints are recursive feature machines.
func machinePoints() []pointRun {
	var all []pointRun
	for _, s := range []RFMSpec{
		{ExamplesSpec: ExamplesSpec{Data: "polynomial:rademacher", Train: 3000, Test: 1000}, Iterations: 5},
		{ExamplesSpec: ExamplesSpec{Data: "polynomial:rademacher", Train: 4000, Test: 500}, Iterations: 3},
		{ExamplesSpec: ExamplesSpec{Data: "polynomial:rademacher", Train: 5000, Test: 1000}, Iterations: 1},
		{ExamplesSpec: ExamplesSpec{Data: "polynomial:rademacher", Train: 9000, Test: 1000}},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 1500, Test: 500}, Iterations: 5},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 1000, Test: 2000}, Iterations: 3},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 2000, Test: 1000}, Iterations: 5},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 3000, Test: 1000}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 4000, Test: 1000}, Iterations: 1},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 8000, Test: 2000}},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Size: 14, Train: 4000, Test: 1000}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 500, Test: 500}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 1000, Test: 500}, Iterations: 3},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 2000, Test: 1000}, Iterations: 1},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 7000, Test: 500}},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 4000, Test: 500}, Iterations: 1},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Size: 16, Train: 2000, Test: 500}, Iterations: 3},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Size: 16, Train: 3000, Test: 500}, Iterations: 5, Sample: 500},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Classes: "cat,dog", Train: 2000, Test: 500}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Size: 24, Train: 1500, Test: 500}, Iterations: 4},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 1500, Test: 500}, Iterations: 3, Diagonal: true},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Size: 16, Train: 2500, Test: 500}, Iterations: 2, Diagonal: true},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 3000, Test: 1000}, Iterations: 2, Diagonal: true},
		{ExamplesSpec: ExamplesSpec{Data: "polynomial:rademacher", Train: 5000, Test: 1000}, Iterations: 2, Diagonal: true},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 2500, Test: 1000}, Iterations: 3},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 5000, Test: 1000}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Train: 1500, Test: 500}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Size: 20, Train: 2500, Test: 500}, Iterations: 2},
		{ExamplesSpec: ExamplesSpec{Data: "polynomial:rademacher", Train: 6000, Test: 1000}, Iterations: 2},
	} {
		all = append(all, machinePoint(s))
	}
	return all
}

func machinePoint(s RFMSpec) pointRun {
	name := fmt.Sprintf("RFM on %s, %d examples, %d iterations", atWidth("", 0, s.Data, s.Size)[len(" on "):], s.Train, s.Iterations)
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

// patchPoints are convolutional kernel machines.
func patchPoints() []pointRun {
	var all []pointRun
	examples := func(set string, size, train, test int) ExamplesSpec {
		return ExamplesSpec{Data: set, Size: size, Train: train, Test: test}
	}
	for _, s := range []ConvRFMSpec{
		{ExamplesSpec: examples("cifar10", 16, 1500, 200), Depth: 3, Iterations: 0},
		{ExamplesSpec: examples("cifar10", 24, 900, 100), Depth: 3, Iterations: 0},
		{ExamplesSpec: examples("cifar10", 0, 700, 100), Depth: 3, Iterations: 0},
		{ExamplesSpec: examples("cifar10", 0, 900, 100), Depth: 2, Iterations: 0},
		{ExamplesSpec: examples("cifar10", 0, 600, 100), Depth: 5, Iterations: 0},
		{ExamplesSpec: examples("mnist", 0, 900, 200), Depth: 3, Iterations: 0},
		{ExamplesSpec: examples("mnist", 14, 2500, 500), Depth: 3, Iterations: 0},
		{ExamplesSpec: examples("mnist", 0, 2000, 100), Depth: 1, Iterations: 0},
		{ExamplesSpec: examples("cifar10", 16, 300, 100), Depth: 3, Iterations: 2},
		{ExamplesSpec: examples("cifar10", 16, 400, 100), Depth: 2, Iterations: 3, Sample: 50},
		{ExamplesSpec: examples("cifar10", 24, 300, 100), Depth: 3, Iterations: 2, Sample: 50},
		{ExamplesSpec: examples("cifar10", 0, 200, 100), Depth: 3, Iterations: 1, Sample: 40},
		{ExamplesSpec: examples("mnist", 0, 300, 100), Depth: 2, Iterations: 2},
		{ExamplesSpec: examples("mnist", 14, 500, 100), Depth: 2, Iterations: 3, Sample: 100},
		{ExamplesSpec: examples("cifar10", 16, 300, 100), Depth: 3, Layers: 3, Filters: 32, Iterations: 1, Sample: 20},
		{ExamplesSpec: examples("mnist", 0, 200, 100), Depth: 3, Layers: 2, Filters: 32, Iterations: 1, Sample: 20},
		{ExamplesSpec: examples("cifar10", 16, 400, 100), Depth: 3, Layers: 2, Filters: 64, Iterations: 1, Sample: 40},
		{ExamplesSpec: ExamplesSpec{Data: "cifar10", Size: 16, Train: 500, Test: 100, Classes: "cat,dog"}, Depth: 3, Iterations: 2, Sample: 100},
		{ExamplesSpec: ExamplesSpec{Data: "mnist", Train: 500, Test: 100, Classes: "3,5,8"}, Depth: 2, Iterations: 2, Sample: 100},
		{ExamplesSpec: examples("cifar10", 12, 300, 100), Kernel: "cntk-gap", Depth: 2},
		{ExamplesSpec: examples("mnist", 14, 200, 100), Kernel: "cntk-gap", Depth: 2},
		{ExamplesSpec: examples("cifar10", 10, 300, 50), Kernel: "cntk-gap", Depth: 3},
		{ExamplesSpec: examples("cifar10", 0, 400, 50), Depth: 2, Layers: 2, Filters: 64, Iterations: 1, Sample: 10},
		{ExamplesSpec: examples("cifar10", 16, 300, 100), Kernel: "laplace", Patch: 3, Iterations: 2},
		{ExamplesSpec: examples("cifar10", 16, 1500, 100), Kernel: "laplace", Patch: 3},
		{ExamplesSpec: examples("cifar10", 24, 300, 100), Kernel: "laplace", Patch: 7, Iterations: 1},
		{ExamplesSpec: examples("cifar10", 24, 900, 200), Kernel: "laplace", Patch: 7},
		{ExamplesSpec: examples("cifar10", 0, 300, 100), Kernel: "laplace", Patch: 3, Iterations: 1, Sample: 50},
		{ExamplesSpec: examples("mnist", 0, 500, 100), Kernel: "laplace", Patch: 3, Iterations: 1, Sample: 100},
		{ExamplesSpec: examples("mnist", 14, 800, 100), Kernel: "laplace", Patch: 5, Iterations: 2},
		{ExamplesSpec: examples("cifar10", 12, 600, 100), Kernel: "laplace", Patch: 5, Iterations: 3},
		{ExamplesSpec: examples("cifar10", 20, 1000, 200), Depth: 3},
		{ExamplesSpec: examples("cifar10", 0, 500, 200), Depth: 4},
		{ExamplesSpec: examples("mnist", 0, 400, 100), Depth: 3, Iterations: 2, Sample: 100},
		{ExamplesSpec: examples("cifar10", 20, 400, 100), Depth: 2, Iterations: 2, Sample: 100},
		{ExamplesSpec: examples("cifar10", 16, 400, 100), Depth: 3, Layers: 2, Filters: 48, Iterations: 1, Sample: 30},
		{ExamplesSpec: examples("cifar10", 20, 600, 100), Kernel: "laplace", Patch: 5, Iterations: 1},
		{ExamplesSpec: examples("cifar10", 11, 300, 50), Kernel: "cntk-gap", Depth: 2},
		{ExamplesSpec: examples("cifar10", 8, 500, 50), Kernel: "cntk-gap", Depth: 3},
		{ExamplesSpec: examples("mnist", 10, 300, 50), Kernel: "cntk-gap", Depth: 2},
		{ExamplesSpec: examples("mnist", 12, 200, 50), Kernel: "cntk-gap", Depth: 3},
		{ExamplesSpec: examples("cifar10", 16, 1000, 100), Kernel: "laplace", Patch: 5},
		{ExamplesSpec: examples("mnist", 0, 800, 100), Kernel: "laplace", Patch: 5},
		{ExamplesSpec: examples("cifar10", 28, 300, 100), Kernel: "laplace", Patch: 3, Iterations: 1},
		{ExamplesSpec: examples("mnist", 20, 500, 100), Kernel: "laplace", Patch: 3, Iterations: 2},
		{ExamplesSpec: examples("cifar10", 0, 500, 100), Kernel: "laplace", Patch: 5},
		{ExamplesSpec: examples("cifar10", 20, 1200, 100), Kernel: "laplace", Patch: 3},
		{ExamplesSpec: examples("mnist", 0, 400, 100), Kernel: "laplace", Patch: 5, Iterations: 1, Sample: 100},
		{ExamplesSpec: examples("cifar10", 10, 200, 50), Kernel: "cntk-gap", Depth: 1},
		{ExamplesSpec: examples("mnist", 20, 300, 100), Depth: 2, Layers: 2, Filters: 64, Iterations: 1, Sample: 30},
		{ExamplesSpec: examples("cifar10", 0, 150, 50), Depth: 3, Layers: 2, Filters: 32, Iterations: 1, Sample: 10},
	} {
		all = append(all, patchPoint(s))
	}
	return all
}

func patchPoint(s ConvRFMSpec) pointRun {
	name := fmt.Sprintf("ConvRFM on %s, %d images, kernel %s of depth %d, patches of %d, %d iterations, AGOP on %d, %d layers",
		atWidth("", 0, s.Data, s.Size)[len(" on "):], s.Train, s.Kernel, s.Depth, s.Patch, s.Iterations, s.Sample, s.Layers)
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

// tangentPoints are tangent kernels of networks.
func tangentPoints() []pointRun {
	var all []pointRun
	for _, s := range []NTKSpec{
		{Arch: "lenet", DataSpec: DataSpec{Data: "mnist"}, Images: 300},
		{Arch: "lenet", DataSpec: DataSpec{Data: "mnist"}, Images: 3000, Outputs: 1},
		{Arch: "lenet", Width: 2, DataSpec: DataSpec{Data: "mnist"}, Images: 300},
		{Arch: "lenet", Width: 5, DataSpec: DataSpec{Data: "mnist"}, Images: 180},
		{Arch: "lenet", Width: 10, DataSpec: DataSpec{Data: "cifar10"}, Images: 90},
		{Arch: "lenet", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 4000, Outputs: 1},
		{Arch: "mlp:512", DataSpec: DataSpec{Data: "mnist"}, Images: 300},
		{Arch: "mlp:1024,1024", DataSpec: DataSpec{Data: "mnist"}, Images: 1500, Outputs: 1},
		{Arch: "alexnet", Width: .0625, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 160},
		{Arch: "alexnet", Width: .125, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 100},
		{Arch: "alexnet", Width: .25, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 90},
		{Arch: "vgg11", Width: .25, DataSpec: DataSpec{Data: "cifar10"}, Images: 120},
		{Arch: "cnn3", DataSpec: DataSpec{Data: "cifar10", Size: 16}, Images: 180},
		{Arch: "lenet", DataSpec: DataSpec{Data: "mnist"}, Images: 400},
		{Arch: "lenet", Width: 3, DataSpec: DataSpec{Data: "mnist"}, Images: 300},
		{Arch: "lenet", Width: 4, DataSpec: DataSpec{Data: "mnist"}, Images: 150},
		{Arch: "lenet", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "vgg11", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 80},
		{Arch: "lenet", Width: 1.5, DataSpec: DataSpec{Data: "mnist"}, Images: 250},
		{Arch: "mlp:768", DataSpec: DataSpec{Data: "mnist"}, Images: 250},
		{Arch: "alexnet", Width: .1875, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 90},
		{Arch: "vgg11", Width: .1875, DataSpec: DataSpec{Data: "cifar10"}, Images: 150},
	} {
		all = append(all, tangentPoint(s))
	}
	return all
}

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

// tablePoints are tables of a benchmark.
func tablePoints() []pointRun {
	var all []pointRun
	for _, s := range []TabularSpec{
		{Datasets: "balance.scale"}, {Datasets: "breast.w"}, {Datasets: "glass"}, {Datasets: "heart.statlog"}, {Datasets: "ionosphere"}, {Datasets: "iris"},
		{Datasets: "sonar"}, {Datasets: "tic-tac-toe"}, {Datasets: "vehicle"}, {Datasets: "vowel"}, {Datasets: "wine"}, {Datasets: "zoo"}, {Datasets: "hepatitis"},
		{Datasets: "credit.g", PaperMode: true}, {Datasets: "car", PaperMode: true}, {Datasets: "segment", PaperMode: true, Methods: []string{"rfm"}},
		{Datasets: "splice", PaperMode: true, Methods: []string{"laplace"}}, {Datasets: "waveform5000", PaperMode: true, Methods: []string{"ntk"}},
		{Datasets: "waveform5000", PaperMode: true, Rows: 2000, Methods: []string{"rfm"}}, {Datasets: "pendigits", PaperMode: true, Rows: 3000, Methods: []string{"laplace"}},
		{Datasets: "vehicle", Protocol: grinsztajnProtocol, Configs: 10}, {Datasets: "segment", Protocol: grinsztajnProtocol, Configs: 5, Methods: []string{"rfm", "laplace"}},
		{Datasets: "credit.g", Methods: []string{"rfm"}}, {Datasets: "letter", PaperMode: true, Rows: 2000, Methods: []string{"laplace"}},
		{Datasets: "segment", PaperMode: true}, {Datasets: "credit.g", Methods: []string{"laplace", "ntk"}}, {Datasets: "vowel", PaperMode: true},
		{Datasets: "waveform5000", PaperMode: true, Rows: 3000},
	} {
		all = append(all, tablePoint(s))
	}
	return all
}

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
