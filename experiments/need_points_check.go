package experiments

// checkPoints are measured to check the models on, which are not fitted to them: other
// networks, sizes and tables than those that are.
func checkPoints() []pointRun {
	var all []pointRun
	for _, s := range []TrainSpec{
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
		{Arch: "lenet", Width: 4, Data: "mnist", Train: 2000, Test: 500, Batch: 50, Epochs: 3, Linearized: true},
		{Arch: "mlp:512", Data: "cifar10", Train: 6000, Test: 500, Batch: 64, Epochs: 4, Linearized: true},
		{Arch: "alexnet", Width: .1875, Data: "cifar10", Size: 64, Train: 500, Test: 100, Batch: 32, Epochs: 3, Linearized: true},
	} {
		if s.Linearized {
			s.Loss, s.LR = "mse", 1e-4
		}
		all = append(all, trainingPoint(s))
	}
	cifar := func(size int) DataSpec { return DataSpec{Data: "cifar10", Size: size} }
	for _, s := range []VerifySpec{
		{Arch: "lenet", Width: 3, DataSpec: DataSpec{Data: "mnist"}, Images: 2500},
		{Arch: "mlp:768,768", DataSpec: cifar(0), Images: 4000},
		{Arch: "cnn-avg", Width: .5, DataSpec: cifar(0), Images: 300},
		{Arch: "resnet44", DataSpec: cifar(0), Images: 250},
		{Arch: "resnet20", Width: .75, DataSpec: cifar(0), Images: 700, Groups: 10},
		{Arch: "vgg13_bn", Width: .25, DataSpec: cifar(0), Images: 700},
		{Arch: "vgg11", Width: .375, DataSpec: cifar(0), Images: 500, Groups: 10, Outputs: "probes:5"},
		{Arch: "alexnet", Width: .375, DataSpec: cifar(64), Images: 600},
		{Arch: "simplenet", Width: .375, DataSpec: cifar(0), Images: 200, Groups: 5},
	} {
		all = append(all, gatheringPoint(s))
	}
	for _, s := range []VerifySpec{
		{Arch: "lenet", Width: 7, DataSpec: DataSpec{Data: "mnist"}, Images: 150},
		{Arch: "mlp:768,768", DataSpec: DataSpec{Data: "mnist"}, Images: 400},
		{Arch: "vgg13_bn", Width: .625, DataSpec: cifar(0), Images: 20},
		{Arch: "vgg19", Width: .75, DataSpec: cifar(0), Images: 40},
		{Arch: "resnet18", Width: .625, DataSpec: cifar(64), Images: 20},
		{Arch: "resnet44", Width: 3, DataSpec: cifar(0), Images: 20},
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
		{Arch: "lenet", Width: 1.5, DataSpec: DataSpec{Data: "mnist"}, Images: 250},
		{Arch: "mlp:768", DataSpec: DataSpec{Data: "mnist"}, Images: 250},
		{Arch: "alexnet", Width: .1875, DataSpec: cifar(64), Images: 90},
		{Arch: "vgg11", Width: .1875, DataSpec: cifar(0), Images: 150},
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
