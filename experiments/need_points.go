package experiments

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// What is measured is as different as what is planned: small and large networks,
// images, tables and machines, a few seconds each.

// trainingPoints are trainings of networks, and of linearized ones.
func trainingPoints() []pointRun {
	var all []pointRun
	add := func(s TrainSpec) { all = append(all, trainingPoint(s)) }
	for _, s := range []TrainSpec{
		{Arch: "lenet", Data: "mnist", Train: 6000, Test: 1000, Batch: 32, Epochs: 5},
		{Arch: "lenet", Data: "mnist", Train: 8000, Test: 1000, Batch: 128, Epochs: 6},
		{Arch: "lenet", Width: 2, Data: "mnist", Train: 3000, Test: 500, Batch: 32, Epochs: 3},
		{Arch: "lenet", Width: 3, Data: "cifar10", Train: 2000, Test: 500, Batch: 64, Epochs: 3},
		{Arch: "lenet", Width: 5, Data: "mnist", Train: 2000, Test: 1000, Batch: 32, Epochs: 2},
		{Arch: "lenet", Width: 10, Data: "mnist", Train: 1000, Test: 200, Batch: 32, Epochs: 2},
		{Arch: "mlp:256", Data: "mnist", Train: 10000, Test: 1000, Batch: 64, Epochs: 15},
		{Arch: "mlp:1024,1024", Data: "mnist", Train: 5000, Test: 1000, Batch: 128, Epochs: 6},
		{Arch: "mlp:512,512,512", Data: "cifar10", Train: 6000, Test: 500, Batch: 64, Epochs: 8},
		{Arch: "mlp:2048,2048", Data: "cifar10", Train: 4000, Test: 500, Batch: 128, Epochs: 3},
		{Arch: "mlp:64,32", Data: "cifar10", Train: 20000, Test: 1000, Batch: 32, Epochs: 10},
		{Arch: "cnn3", Data: "cifar10", Size: 16, Train: 500, Test: 500, Batch: 25, Epochs: 8, Optimiser: "adam"},
		{Arch: "cnn3", Data: "cifar10", Train: 500, Test: 200, Batch: 50, Epochs: 4, Optimiser: "adam"},
		{Arch: "cnn2", Data: "mnist", Train: 1000, Test: 500, Batch: 50, Epochs: 3, Optimiser: "adam"},
		{Arch: "cnn-max", Width: .25, Data: "cifar10", Size: 16, Train: 1000, Test: 500, Batch: 25, Epochs: 5},
		{Arch: "cnn-vec", Width: .5, Data: "cifar10", Train: 500, Test: 200, Batch: 50, Epochs: 3},
		{Arch: "resnet20", Width: .5, Data: "cifar10", Train: 1000, Test: 500, Batch: 50, Epochs: 3},
		{Arch: "resnet20", Data: "cifar10", Train: 1000, Test: 200, Batch: 128, Epochs: 2},
		{Arch: "resnet20", Width: 2, Data: "cifar10", Train: 400, Test: 100, Batch: 32, Epochs: 2},
		{Arch: "resnet32", Data: "cifar10", Train: 600, Test: 100, Batch: 64, Epochs: 2},
		{Arch: "vgg11_bn", Width: .125, Data: "cifar10", Train: 1000, Test: 500, Batch: 16, Epochs: 5},
		{Arch: "vgg11_bn", Width: .25, Data: "cifar10", Train: 1000, Test: 500, Batch: 64, Epochs: 4},
		{Arch: "vgg11", Width: .5, Data: "cifar10", Train: 600, Test: 200, Batch: 32, Epochs: 2},
		{Arch: "vgg11_bn", Data: "cifar10", Train: 400, Test: 100, Batch: 50, Epochs: 1},
		{Arch: "vgg13_bn", Width: .125, Data: "cifar10", Train: 2000, Test: 200, Batch: 50, Epochs: 5},
		{Arch: "vgg16_bn", Width: .25, Data: "cifar10", Train: 1200, Test: 200, Batch: 50, Epochs: 3},
		{Arch: "vgg19", Width: .25, Data: "cifar10", Train: 1200, Test: 100, Batch: 128, Epochs: 3},
		{Arch: "alexnet", Width: .25, Data: "cifar10", Size: 64, Train: 1000, Test: 500, Batch: 50, Epochs: 4, NoDropout: true},
		{Arch: "alexnet", Width: .5, Data: "cifar10", Size: 64, Train: 500, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "alexnet", Width: .125, Data: "cifar10", Size: 96, Train: 1000, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "simplenet", Width: .125, Data: "cifar10", Train: 1200, Test: 200, Batch: 25, Epochs: 4, Optimiser: "adadelta"},
		{Arch: "simplenet", Width: .25, Data: "mnist", Train: 600, Test: 200, Batch: 50, Epochs: 2, Optimiser: "adadelta"},
		{Arch: "simplenet", Width: .5, Data: "cifar10", Train: 300, Test: 100, Batch: 50, Epochs: 2, Optimiser: "adadelta"},
		{Arch: "resnet18", Width: .25, Data: "cifar10", Size: 64, Train: 500, Test: 100, Batch: 50, Epochs: 2},
		{Arch: "lenet", Width: 4, Data: "mnist", Train: 3000, Test: 500, Batch: 64, Epochs: 3},
		{Arch: "mlp:768,384", Data: "cifar10", Train: 5000, Test: 500, Batch: 100, Epochs: 6},
		{Arch: "cnn2", Data: "cifar10", Train: 800, Test: 300, Batch: 40, Epochs: 4, Optimiser: "adam"},
		{Arch: "cnn-avg", Width: .5, Data: "cifar10", Train: 1500, Test: 300, Batch: 50, Epochs: 3},
		{Arch: "resnet20", Width: .75, Data: "cifar10", Train: 1500, Test: 300, Batch: 64, Epochs: 3},
		{Arch: "resnet44", Data: "cifar10", Train: 500, Test: 100, Batch: 50, Epochs: 2},
		{Arch: "vgg13_bn", Width: .5, Data: "cifar10", Train: 800, Test: 100, Batch: 64, Epochs: 2},
		{Arch: "vgg11_bn", Width: .75, Data: "cifar10", Train: 800, Test: 200, Batch: 128, Epochs: 2},
		{Arch: "alexnet", Width: .25, Data: "cifar10", Size: 96, Train: 1500, Test: 300, Batch: 64, Epochs: 3},
		{Arch: "simplenet", Width: .375, Data: "cifar10", Train: 600, Test: 100, Batch: 40, Epochs: 2, Optimiser: "adadelta"},
		{Arch: "lenet", Width: 1.5, Data: "cifar10", Train: 4000, Test: 500, Batch: 50, Epochs: 4},
		{Arch: "mlp:400,200,100", Data: "mnist", Train: 10000, Test: 500, Batch: 50, Epochs: 10},
		{Arch: "mlp:1536", Data: "cifar10", Train: 4000, Test: 500, Batch: 64, Epochs: 4},
		{Arch: "cnn3", Data: "cifar10", Size: 20, Train: 600, Test: 200, Batch: 50, Epochs: 5, Optimiser: "adam"},
		{Arch: "cnn-max", Width: .5, Data: "cifar10", Train: 800, Test: 200, Batch: 40, Epochs: 3},
		{Arch: "resnet56", Data: "cifar10", Train: 400, Test: 100, Batch: 40, Epochs: 2},
		{Arch: "resnet20", Width: 1.5, Data: "cifar10", Train: 600, Test: 200, Batch: 100, Epochs: 2},
		{Arch: "vgg16_bn", Width: .375, Data: "cifar10", Train: 800, Test: 200, Batch: 40, Epochs: 2},
		{Arch: "vgg19_bn", Width: .125, Data: "cifar10", Train: 1500, Test: 300, Batch: 32, Epochs: 3},
		{Arch: "alexnet", Width: .375, Data: "cifar10", Size: 64, Train: 800, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "simplenet", Width: .3, Data: "cifar10", Train: 600, Test: 200, Batch: 64, Epochs: 2, Optimiser: "adadelta"},
		{Arch: "resnet18", Width: .375, Data: "cifar10", Size: 64, Train: 400, Test: 100, Batch: 32, Epochs: 2},
	} {
		add(s)
	}
	for _, s := range []TrainSpec{
		{Arch: "lenet", Data: "mnist", Train: 8000, Test: 500, Batch: 32, Epochs: 5},
		{Arch: "lenet", Width: 2, Data: "mnist", Train: 2000, Test: 500, Batch: 32, Epochs: 3},
		{Arch: "lenet", Width: 4, Data: "cifar10", Train: 1000, Test: 500, Batch: 32, Epochs: 3},
		{Arch: "lenet", Width: 5, Data: "mnist", Train: 2000, Test: 500, Batch: 64, Epochs: 2},
		{Arch: "alexnet", Width: .0625, Data: "cifar10", Size: 64, Train: 1000, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "alexnet", Width: .125, Data: "cifar10", Size: 64, Train: 600, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "alexnet", Width: .25, Data: "cifar10", Size: 64, Train: 400, Test: 100, Batch: 32, Epochs: 2},
		{Arch: "mlp:256,256", Data: "mnist", Train: 10000, Test: 500, Batch: 64, Epochs: 10},
		{Arch: "mlp:1024", Data: "cifar10", Train: 4000, Test: 500, Batch: 32, Epochs: 3},
		{Arch: "mlp:512,512", Data: "mnist", Train: 5000, Test: 500, Batch: 64, Epochs: 6},
		{Arch: "vgg11_bn", Width: .125, Data: "cifar10", Train: 1500, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "vgg11", Width: .25, Data: "cifar10", Train: 400, Test: 100, Batch: 32, Epochs: 2},
		{Arch: "lenet", Width: 3, Data: "mnist", Train: 3000, Test: 500, Batch: 32, Epochs: 3},
		{Arch: "lenet", Width: 2, Data: "cifar10", Train: 3000, Test: 500, Batch: 32, Epochs: 4},
		{Arch: "lenet", Width: 4, Data: "mnist", Train: 2000, Test: 500, Batch: 50, Epochs: 3},
		{Arch: "mlp:512", Data: "cifar10", Train: 6000, Test: 500, Batch: 64, Epochs: 4},
		{Arch: "alexnet", Width: .1875, Data: "cifar10", Size: 64, Train: 500, Test: 100, Batch: 32, Epochs: 3},
	} {
		s.Linearized, s.Loss, s.LR = true, "mse", 1e-4
		add(s)
	}
	return all
}

func trainingPoint(s TrainSpec) pointRun {
	what := "training of "
	if s.Linearized {
		what = "linearized training of "
	}
	name := fmt.Sprintf("%s, %d images, %d epochs of batches of %d", what+atWidth(s.Arch, s.Width, s.Data, s.Size), s.Train, s.Epochs, s.Batch)
	return pointRun{name: name, open: func(ctx context.Context, dir string) (need.Job, pointWork, error) {
		s.Dir, s.Threads = dir, 1
		if s.LR == 0 {
			s.LR = 1e-4 // so that nothing diverges
		}
		t, err := NewTraining(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		return t.job(t.net.Layers()), func(ctx context.Context) error {
			_, err := t.Run(ctx, TrainRun{})
			return err
		}, nil
	}}
}

// atWidth names a network and images.
func atWidth(arch string, width float64, set string, size int) string {
	if width > 0 {
		arch += fmt.Sprintf(" × %g", width)
	}
	if size > 0 {
		set += fmt.Sprintf(" at %d", size)
	}
	return arch + " on " + set
}
