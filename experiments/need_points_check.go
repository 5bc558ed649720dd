package experiments

// checkPoints are measured to check the models on, which are not fitted to them: other
// networks, sizes and tables than those that are.
func checkPoints() []pointRun {
	var all []pointRun
	for _, s := range []TrainSpec{
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
		{Arch: "lenet", Width: 3, Data: "mnist", Train: 3000, Test: 500, Batch: 32, Epochs: 3, Linearized: true},
		{Arch: "lenet", Width: 2, Data: "cifar10", Train: 3000, Test: 500, Batch: 32, Epochs: 4, Linearized: true},
	} {
		if s.Linearized {
			s.Loss, s.LR = "mse", 1e-4
		}
		all = append(all, trainingPoint(s))
	}
	for _, s := range []VerifySpec{
		{Arch: "vgg11_bn", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 600},
		{Arch: "resnet32", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "resnet20", Width: 1.5, DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "vgg16_bn", Width: .5, DataSpec: DataSpec{Data: "cifar10"}, Images: 200},
		{Arch: "cnn2", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "simplenet", Width: .25, DataSpec: DataSpec{Data: "cifar10"}, Images: 400},
	} {
		all = append(all, gatheringPoint(s))
	}
	for _, s := range []VerifySpec{
		{Arch: "vgg11", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
		{Arch: "resnet18", Width: .75, DataSpec: DataSpec{Data: "cifar10", Size: 64}, Images: 20},
		{Arch: "vgg16", Width: .75, DataSpec: DataSpec{Data: "cifar10"}, Images: 20},
	} {
		all = append(all, comparingPoint(s))
	}
	images := func(set string, size, train, test int) ExamplesSpec {
		return ExamplesSpec{Data: set, Size: size, Train: train, Test: test}
	}
	for _, s := range []RFMSpec{
		{ExamplesSpec: images("mnist", 0, 2500, 1000), Iterations: 3},
		{ExamplesSpec: images("mnist", 0, 5000, 1000), Iterations: 2},
		{ExamplesSpec: images("cifar10", 0, 1500, 500), Iterations: 2},
		{ExamplesSpec: images("cifar10", 20, 2500, 500), Iterations: 2},
		{ExamplesSpec: images("polynomial:rademacher", 0, 6000, 1000), Iterations: 2},
	} {
		all = append(all, machinePoint(s))
	}
	for _, s := range []ConvRFMSpec{
		{ExamplesSpec: images("cifar10", 20, 1000, 200), Depth: 3},
		{ExamplesSpec: images("cifar10", 0, 500, 200), Depth: 4},
		{ExamplesSpec: images("mnist", 0, 400, 100), Depth: 3, Iterations: 2, Sample: 100},
		{ExamplesSpec: images("cifar10", 20, 400, 100), Depth: 2, Iterations: 2, Sample: 100},
		{ExamplesSpec: images("cifar10", 16, 400, 100), Depth: 3, Layers: 2, Filters: 48, Iterations: 1, Sample: 30},
		{ExamplesSpec: images("cifar10", 20, 600, 100), Kernel: "laplace", Patch: 5, Iterations: 1},
		{ExamplesSpec: images("cifar10", 11, 300, 50), Kernel: "cntk-gap", Depth: 2},
	} {
		all = append(all, patchPoint(s))
	}
	for _, s := range []NTKSpec{
		{Arch: "lenet", Width: 4, DataSpec: DataSpec{Data: "mnist"}, Images: 150},
		{Arch: "lenet", DataSpec: DataSpec{Data: "cifar10"}, Images: 300},
		{Arch: "vgg11", Width: .375, DataSpec: DataSpec{Data: "cifar10"}, Images: 80},
	} {
		all = append(all, tangentPoint(s))
	}
	for _, s := range []TabularSpec{
		{Datasets: "segment", PaperMode: true}, {Datasets: "credit.g", Methods: []string{"laplace", "ntk"}}, {Datasets: "vowel", PaperMode: true},
		{Datasets: "waveform5000", PaperMode: true, Rows: 3000},
	} {
		all = append(all, tablePoint(s))
	}
	for i := range all {
		all[i].check = true
	}
	return all
}
