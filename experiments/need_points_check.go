package experiments

// checkPoints are measured to check the models on, which are not fitted to them: other
// networks, sizes and tables than those that are.
func checkPoints() []pointRun {
	var all []pointRun
	for _, s := range []TrainSpec{
		{Arch: "lenet", Width: 2.5, Data: "cifar10", Train: 3000, Test: 500, Batch: 64, Epochs: 3},
		{Arch: "mlp:300,300,300", Data: "mnist", Train: 10000, Test: 1000, Batch: 64, Epochs: 10},
		{Arch: "mlp:1200", Data: "cifar10", Train: 5000, Test: 500, Batch: 100, Epochs: 4},
		{Arch: "cnn3", Data: "cifar10", Size: 24, Train: 500, Test: 200, Batch: 32, Epochs: 4, Optimiser: "adam"},
		{Arch: "cnn-vec", Width: .75, Data: "cifar10", Train: 500, Test: 200, Batch: 32, Epochs: 3},
		{Arch: "resnet32", Width: .75, Data: "cifar10", Train: 800, Test: 200, Batch: 50, Epochs: 3},
		{Arch: "resnet20", Width: 1.25, Data: "cifar10", Train: 800, Test: 200, Batch: 64, Epochs: 2},
		{Arch: "vgg13_bn", Width: .375, Data: "cifar10", Train: 1000, Test: 200, Batch: 50, Epochs: 2},
		{Arch: "vgg16_bn", Width: .1875, Data: "cifar10", Train: 1500, Test: 300, Batch: 64, Epochs: 3},
		{Arch: "alexnet", Width: .3, Data: "cifar10", Size: 64, Train: 1200, Test: 200, Batch: 64, Epochs: 3},
		{Arch: "simplenet", Width: .2, Data: "cifar10", Train: 800, Test: 200, Batch: 32, Epochs: 3, Optimiser: "adadelta"},
		{Arch: "resnet18", Width: .5, Data: "cifar10", Size: 64, Train: 300, Test: 60, Batch: 50, Epochs: 2},
		{Arch: "lenet", Width: 2.5, Data: "mnist", Train: 3000, Test: 500, Batch: 64, Epochs: 3, Linearized: true},
		{Arch: "mlp:700", Data: "mnist", Train: 6000, Test: 500, Batch: 50, Epochs: 5, Linearized: true},
		{Arch: "vgg11_bn", Width: .1875, Data: "cifar10", Train: 1000, Test: 200, Batch: 40, Epochs: 3, Linearized: true},
	} {
		if s.Linearized {
			s.Loss, s.LR = "mse", 1e-4
		}
		all = append(all, trainingPoint(s))
	}
	cifar := func(size int) DataSpec { return DataSpec{Data: "cifar10", Size: size} }
	for _, s := range []VerifySpec{
		{Arch: "lenet", Width: 6, DataSpec: DataSpec{Data: "mnist"}, Images: 1000},
		{Arch: "mlp:1100", DataSpec: cifar(0), Images: 4000, Groups: 10},
		{Arch: "cnn3", DataSpec: cifar(24), Images: 200},
		{Arch: "resnet44", Width: .75, DataSpec: cifar(0), Images: 250},
		{Arch: "resnet20", Width: 1.75, DataSpec: cifar(0), Images: 200},
		{Arch: "vgg11_bn", Width: .3125, DataSpec: cifar(0), Images: 600},
		{Arch: "vgg16", Width: .375, DataSpec: cifar(0), Images: 300, Groups: 10},
		{Arch: "alexnet", Width: .75, DataSpec: cifar(64), Images: 300},
		{Arch: "simplenet", Width: .45, DataSpec: cifar(0), Images: 150},
	} {
		all = append(all, gatheringPoint(s))
	}
	for _, s := range []VerifySpec{
		{Arch: "lenet", Width: 6, DataSpec: DataSpec{Data: "mnist"}, Images: 150},
		{Arch: "mlp:900,900", DataSpec: DataSpec{Data: "mnist"}, Images: 400},
		{Arch: "vgg11_bn", Width: .875, DataSpec: cifar(0), Images: 20},
		{Arch: "vgg16", Width: .625, DataSpec: cifar(0), Images: 40},
		{Arch: "resnet18", Width: .875, DataSpec: cifar(64), Images: 20},
		{Arch: "resnet32", Width: 2.5, DataSpec: cifar(0), Images: 40},
	} {
		all = append(all, comparingPoint(s))
	}
	images := func(set string, size, train, test int) ExamplesSpec {
		return ExamplesSpec{Data: set, Size: size, Train: train, Test: test}
	}
	for _, s := range []RFMSpec{
		{ExamplesSpec: images("mnist", 0, 3500, 1000), Iterations: 2},
		{ExamplesSpec: images("mnist", 20, 3000, 500), Iterations: 4},
		{ExamplesSpec: images("cifar10", 16, 4000, 500), Iterations: 1},
		{ExamplesSpec: images("cifar10", 0, 1200, 300), Iterations: 2},
		{ExamplesSpec: images("cifar10", 0, 5000, 1000), Iterations: 0},
		{ExamplesSpec: images("polynomial:rademacher", 0, 4500, 1000), Iterations: 4},
	} {
		all = append(all, machinePoint(s))
	}
	for _, s := range []ConvRFMSpec{
		{ExamplesSpec: images("cifar10", 18, 1300, 200), Depth: 3},
		{ExamplesSpec: images("mnist", 20, 1500, 200), Depth: 2},
		{ExamplesSpec: images("cifar10", 0, 250, 100), Depth: 3, Iterations: 2, Sample: 60},
		{ExamplesSpec: images("mnist", 0, 350, 100), Depth: 2, Iterations: 3, Sample: 80},
		{ExamplesSpec: images("cifar10", 24, 250, 100), Depth: 3, Layers: 2, Filters: 32, Iterations: 1, Sample: 20},
		{ExamplesSpec: images("mnist", 24, 250, 100), Depth: 3, Layers: 2, Filters: 48, Iterations: 1, Sample: 25},
		{ExamplesSpec: images("cifar10", 18, 500, 100), Kernel: "laplace", Patch: 3, Iterations: 2, Sample: 200},
		{ExamplesSpec: images("mnist", 24, 900, 200), Kernel: "laplace", Patch: 5},
		{ExamplesSpec: images("cifar10", 11, 200, 100), Kernel: "cntk-gap", Depth: 3},
		{ExamplesSpec: images("mnist", 12, 300, 50), Kernel: "cntk-gap", Depth: 2},
	} {
		all = append(all, patchPoint(s))
	}
	for _, s := range []NTKSpec{
		{Arch: "lenet", Width: 2.5, DataSpec: DataSpec{Data: "mnist"}, Images: 220},
		{Arch: "mlp:400", DataSpec: DataSpec{Data: "mnist"}, Images: 280},
		{Arch: "alexnet", Width: .21875, DataSpec: cifar(64), Images: 100},
		{Arch: "cnn2", DataSpec: cifar(16), Images: 200},
	} {
		all = append(all, tangentPoint(s))
	}
	for _, s := range []TabularSpec{
		{Datasets: "vehicle", PaperMode: true}, {Datasets: "tic-tac-toe", PaperMode: true}, {Datasets: "ionosphere", Methods: []string{"rfm", "laplace"}},
		{Datasets: "pendigits", PaperMode: true, Rows: 2500, Methods: []string{"ntk"}},
	} {
		all = append(all, tablePoint(s))
	}
	for i := range all {
		all[i].check = true
	}
	return all
}
