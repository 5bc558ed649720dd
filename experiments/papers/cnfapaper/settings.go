package cnfapaper

import "github.com/ansatz-lab/ansatz/experiments/papers/setups"

// Settings that several figures share.

// noisyDigits is the dataset of noisy digits in Figs. 4 and 10.
const noisyDigits = "noisydigits:mnist,noise=1"

// smallInit is the initialisation of the networks whose features the paper verifies (Appendix B).
const smallInit = "normal:5e-3,1e-2"

// paperRidges returns the ridges that the paper chooses from (Appendix B).
func paperRidges() []float64 { return []float64{1e-8, 1e-5, 1e-3} }

// standInFor returns the task with its data marked as stand-ins for a dataset of the paper.
func standInFor(dataset string, t setups.PatchTask) setups.PatchTask {
	t.Paper = dataset
	return t
}

// photographTask returns a task on colour photographs, for which the responses are ‖Mh‖.
func photographTask(name, set string, size, train, validation, test int) setups.PatchTask {
	return setups.PatchTask{
		Name: name, Data: set, Size: size, Train: train, Validation: validation, Test: test, Whole: true,
	}
}

// smallPhotographs and paperPhotographs return tasks with photographs of a given size and from a given dataset.
func smallPhotographs(size, train int) setups.PatchTask {
	return photographTask("photographs", "cifar10", size, train, 400, 200)
}

func paperPhotographs(set string) setups.PatchTask {
	return photographTask("photographs", set, 0, 4000, 500, 2000)
}

// smokeDigits returns a task for scale smoke.
func smokeDigits() setups.PatchTask {
	return setups.PatchTask{Name: "digits", Data: "glyphs", Size: 10, Train: 30, Validation: 10, Test: 10}
}

// smokeNetwork, smallNetwork and paperNetwork return the network to compare with kernel machines, at the three scales.
func smokeNetwork(arch string) setups.PatchNetworkSpec {
	return setups.PatchNetworkSpec{Arch: arch, Rate: 1e-3, Batch: 10, Epochs: 2}
}

func smallNetwork(batch, epochs int) setups.PatchNetworkSpec {
	return setups.PatchNetworkSpec{Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: batch, Epochs: epochs}
}

func paperNetwork(epochs int) setups.PatchNetworkSpec {
	return setups.PatchNetworkSpec{Arch: "cnn3", Rate: 1e-4, Batch: 128, Epochs: epochs}
}

// smallNoisyDigits and paperNoisyDigits return the noisy digits of Figs. 4 and 10.
func smallNoisyDigits() setups.PatchTask {
	return setups.PatchTask{Name: "digits", Data: noisyDigits, Train: 400, Validation: 200, Test: 200}
}

func paperNoisyDigits() setups.PatchTask {
	return setups.PatchTask{Name: "digits", Data: noisyDigits, Train: 4000, Validation: 500, Test: 2000}
}

// asPublished returns a machine whose iterations and ridges are chosen on test images, as in the published code
// (Appendix B: the M of the best performance).
func asPublished(m setups.PatchMachineSpec) setups.PatchMachineSpec {
	m.Select = "test"
	return m
}

// convrfm returns a CNTK-ConvRFM whose M is the best of five iterations. With more than one layer it is a Deep
// ConvRFM.
func convrfm(layers int, ridges ...float64) setups.PatchMachineSpec {
	m := setups.PatchMachineSpec{Kernel: "cntk", Depth: 3, Patch: 3, Iterations: 5, Layers: layers, Ridges: ridges}
	if layers > 1 {
		m.Filters = 64
	}
	return m
}

// smokeConvRFM returns a CNTK-ConvRFM that fits in seconds, for scale smoke.
func smokeConvRFM(depth, layers, filters int) setups.PatchMachineSpec {
	return setups.PatchMachineSpec{
		Kernel: "cntk", Depth: depth, Patch: 3, Iterations: 1, Layers: layers, Filters: filters,
		Ridges: []float64{1e-3},
	}
}
