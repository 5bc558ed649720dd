package experiments

// The machines of Figs. 3, 11 and 12: CNTK-ConvRFM on patches of 3×3 and
// Laplace-ConvRFM on patches of 7×7.
func cntkOfEdges(iterations int, ridges ...float64) PatchMachineSpec {
	return PatchMachineSpec{Kernel: "cntk", Depth: 3, Patch: 3, Iterations: iterations, Layers: 1, Ridges: ridges, Last: true}
}

func laplaceOfEdges(iterations int, ridges ...float64) PatchMachineSpec {
	return PatchMachineSpec{Kernel: "laplace", Patch: 7, Iterations: iterations, Layers: 1, Ridges: ridges, Last: true}
}

// edgeTask is photographs in colour to learn from.
func edgeTask(name, set string, size, train, validation, test int) PatchTask {
	return PatchTask{Name: name, Data: set, Size: size, Train: train, Validation: validation, Test: test, Whole: true}
}

// The settings that the three experiments share: what there is to learn at scale
// smoke, and photographs by scale.
func smokeLeaves() PatchTask { return edgeTask("leaves", "deadleaves", 12, 40, 10, 10) }

func smokeMachine(kernel string, patch int) PatchMachineSpec {
	return PatchMachineSpec{Kernel: kernel, Depth: map[string]int{"cntk": 2}[kernel], Patch: patch, Iterations: 1, Layers: 1, Ridges: []float64{1e-3}, Last: true}
}

var (
	smokePhotographs = PhotographsSpec{"photos", 2, 24}
	photographs224   = PhotographsSpec{"photos", 10, 224} // the size of the paper's, from ImageNet
)

const edgesStandIns = "At scale small CIFAR-10 stands in for SVHN, with fewer images, 24×24, other ones for every seed. The photographs are those in the folder photos of the data folder, and generated dead leaves where there is none."

// cnfaFig3 is edge detectors of ConvRFM.
func cnfaFig3() *Experiment {
	return &Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About: edgesAbout + seenAbout + edgesStandIns,
		Claims: []Claim{
			{"cntk_coherence_sds", "The top eigenvectors of CNTK-ConvRFM's M are edge detectors: their orientation above the null's mean, in its standard deviations.", "picture", atLeast(2)},
			{"laplace_coherence_sds", "So are those of Laplace-ConvRFM's M.", "picture", atLeast(2)},
			{"cntk_coherence_over_images", "CNTK-ConvRFM's are more oriented than the principal components of the images' patches.", "not asked by the paper", above(0)},
			{"laplace_coherence_over_images", "So are Laplace-ConvRFM's.", "not asked by the paper", above(0)},
			{"network_alike", "M and the network's first layer transform images alike.", "picture", atLeast(.5)},
			{"network_over_identity", "More than the norm of the patches alone would make them.", "not asked by the paper", above(0)},
			{"network_gain_over_rotated", "What share of a patch they let through is alike, more than with M rotated at random.", "not asked by the paper", above(0)},
			{"cntk_photograph_edges", "CNTK-ConvRFM's M extracts the edges of photographs: its correlation with their gradients.", "picture", atLeast(.5)},
			{"laplace_photograph_edges", "So does Laplace-ConvRFM's.", "picture", atLeast(.5)},
			{"cntk_photograph_edges_over_identity", "CNTK-ConvRFM's does more than the norm of the patches.", "not asked by the paper", above(0)},
			{"laplace_photograph_edges_over_identity", "So does Laplace-ConvRFM's.", "not asked by the paper", above(0)},
		},
		Controls: map[string]string{
			"cntk_coherence_sds": "cntk_coherence_over_images", "laplace_coherence_sds": "laplace_coherence_over_images", "network_alike": "network_over_identity",
			"cntk_photograph_edges": "cntk_photograph_edges_over_identity", "laplace_photograph_edges": "laplace_photograph_edges_over_identity",
		},
		Specs: map[Scale]Spec{
			Smoke: &EdgesSpec{
				Machines:    []EdgeMachine{{"cntk", smokeLeaves(), smokeMachine("cntk", 3)}, {"laplace", smokeLeaves(), smokeMachine("laplace", 5)}},
				Photographs: smokePhotographs, Net: PatchNetSpec{"cnn2", "", 1e-3, 10, 2}, Images: 4, Draws: 50,
			},
			Small: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "cifar10", 24, 400, 400, 200), cntkOfEdges(5, 1e-3)},
					{"laplace", edgeTask("photographs", "cifar10", 24, 400, 400, 200), laplaceOfEdges(5, 1e-3)},
				},
				Photographs: photographs224, Net: PatchNetSpec{"cnn3", smallInit, 1e-3, 50, 60}, Images: 20, Draws: 1000,
			},
			PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "svhn", 0, 4000, 500, 2000), cntkOfEdges(5, 1e-3)},
					{"laplace", edgeTask("photographs", "svhn", 0, 4000, 500, 2000), laplaceOfEdges(5, 1e-3)},
				},
				Photographs: photographs224, Net: PatchNetSpec{"cnn3", "", 1e-4, 128, 500}, Images: 100, Draws: 1000,
			},
		},
	}
}
