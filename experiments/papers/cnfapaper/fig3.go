package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The machines of Figs. 3, 11 and 12: CNTK-ConvRFM on patches of 3×3 and
// Laplace-ConvRFM on patches of 7×7.
func cntkOfEdges(iterations int, ridges ...float64) setups.PatchMachineSpec {
	return setups.PatchMachineSpec{Kernel: "cntk", Depth: 3, Patch: 3, Iterations: iterations, Layers: 1, Ridges: ridges, Last: true}
}

func laplaceOfEdges(iterations int, ridges ...float64) setups.PatchMachineSpec {
	return setups.PatchMachineSpec{Kernel: "laplace", Patch: 7, Iterations: iterations, Layers: 1, Ridges: ridges, Last: true}
}

// edgeTask is photographs in colour to learn from.
func edgeTask(name, set string, size, train, validation, test int) setups.PatchTask {
	return setups.PatchTask{Name: name, Data: set, Size: size, Train: train, Validation: validation, Test: test, Whole: true}
}

// The settings that the three experiments share: what there is to learn at scale
// smoke, and photographs by scale.
func smokeLeaves() setups.PatchTask { return edgeTask("leaves", "deadleaves", 12, 40, 10, 10) }

func smokeMachine(kernel string, patch int) setups.PatchMachineSpec {
	return setups.PatchMachineSpec{Kernel: kernel, Depth: map[string]int{"cntk": 2}[kernel], Patch: patch, Iterations: 1, Layers: 1, Ridges: []float64{1e-3}, Last: true}
}

var (
	smokePhotographs = setups.PhotographsSpec{Folder: "photos", Count: 2, Size: 24}
	photographs224   = setups.PhotographsSpec{Folder: "photos", Count: 10, Size: 224} // the size of the paper's, from ImageNet
)

const edgesStandIns = "At scale small CIFAR-10 stands in for SVHN, with fewer images, 24×24, other ones for every seed. The photographs are those in the folder photos of the data folder, and generated dead leaves where there is none."

// fig3 is edge detectors of ConvRFM.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About: edgesAbout + seenAbout + edgesStandIns,
		Claims: []study.Claim{
			{Value: "cntk_coherence_sds", Sentence: "The top eigenvectors of CNTK-ConvRFM's M are edge detectors: their orientation above the null's mean, in its standard deviations.", Paper: "picture", Holds: study.AtLeast(2)},
			{Value: "laplace_coherence_sds", Sentence: "So are those of Laplace-ConvRFM's M.", Paper: "picture", Holds: study.AtLeast(2)},
			{Value: "cntk_coherence_over_images", Sentence: "CNTK-ConvRFM's are more oriented than the principal components of the images' patches.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "laplace_coherence_over_images", Sentence: "So are Laplace-ConvRFM's.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "network_alike", Sentence: "M and the network's first layer transform images alike.", Paper: "picture", Holds: study.AtLeast(.5)},
			{Value: "network_over_identity", Sentence: "More than the norm of the patches alone would make them.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "network_gain_over_rotated", Sentence: "What share of a patch they let through is alike, more than with M rotated at random.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "cntk_photograph_edges", Sentence: "CNTK-ConvRFM's M extracts the edges of photographs: its correlation with their gradients.", Paper: "picture", Holds: study.AtLeast(.5)},
			{Value: "laplace_photograph_edges", Sentence: "So does Laplace-ConvRFM's.", Paper: "picture", Holds: study.AtLeast(.5)},
			{Value: "cntk_photograph_edges_over_identity", Sentence: "CNTK-ConvRFM's does more than the norm of the patches.", Paper: "not asked by the paper", Holds: study.Above(0)},
			{Value: "laplace_photograph_edges_over_identity", Sentence: "So does Laplace-ConvRFM's.", Paper: "not asked by the paper", Holds: study.Above(0)},
		},
		Controls: map[string]string{
			"cntk_coherence_sds": "cntk_coherence_over_images", "laplace_coherence_sds": "laplace_coherence_over_images", "network_alike": "network_over_identity",
			"cntk_photograph_edges": "cntk_photograph_edges_over_identity", "laplace_photograph_edges": "laplace_photograph_edges_over_identity",
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines:    []EdgeMachine{{"cntk", smokeLeaves(), smokeMachine("cntk", 3)}, {"laplace", smokeLeaves(), smokeMachine("laplace", 5)}},
				Photographs: smokePhotographs, Net: setups.PatchNetworkSpec{Arch: "cnn2", Init: "", Rate: 1e-3, Batch: 10, Epochs: 2}, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "cifar10", 24, 400, 400, 200), cntkOfEdges(5, 1e-3)},
					{"laplace", edgeTask("photographs", "cifar10", 24, 400, 400, 200), laplaceOfEdges(5, 1e-3)},
				},
				Photographs: photographs224, Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: 50, Epochs: 60}, Images: 20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "svhn", 0, 4000, 500, 2000), cntkOfEdges(5, 1e-3)},
					{"laplace", edgeTask("photographs", "svhn", 0, 4000, 500, 2000), laplaceOfEdges(5, 1e-3)},
				},
				Photographs: photographs224, Net: setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-4, Batch: 128, Epochs: 500}, Images: 100, Draws: 1000,
			},
		},
	}
}
