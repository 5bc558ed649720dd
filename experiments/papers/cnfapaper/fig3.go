package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig3 returns the edge detectors of ConvRFM.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About: edgesAbout + seenAbout + edgesStandIns,
		Claims: []study.Claim{
			{
				Value: "cntk_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "The top eigenvectors of CNTK-ConvRFM's M are edge detectors: their orientation above the " +
					"null's mean, in its standard deviations.",
			},
			{
				Value: "laplace_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "So are those of Laplace-ConvRFM's M.",
			},
			{
				Value: "cntk_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "CNTK-ConvRFM's are more oriented than the principal components of the images' patches.",
			},
			{
				Value: "laplace_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "So are Laplace-ConvRFM's.",
			},
			{
				Value: "network_alike", Paper: "picture", Holds: study.AtLeast(.5),
				Sentence: "M and the network's first layer transform images alike.",
			},
			{
				Value: "network_over_identity", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "More than the norm of the patches alone would make them.",
			},
			{
				Value: "network_gain_over_rotated", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "What share of a patch they let through is alike, more than with M rotated at random.",
			},
			{
				Value: "cntk_photograph_edges", Paper: "picture", Holds: study.AtLeast(.5),
				Sentence: "CNTK-ConvRFM's M extracts the edges of photographs: its correlation with their gradients.",
			},
			{
				Value: "laplace_photograph_edges", Paper: "picture", Holds: study.AtLeast(.5),
				Sentence: "So does Laplace-ConvRFM's.",
			},
			{
				Value: "cntk_photograph_edges_over_identity", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "CNTK-ConvRFM's does more than the norm of the patches.",
			},
			{
				Value: "laplace_photograph_edges_over_identity", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "So does Laplace-ConvRFM's.",
			},
		},
		Controls: map[string]string{
			"cntk_coherence_sds":    "cntk_coherence_over_images",
			"laplace_coherence_sds": "laplace_coherence_over_images", "network_alike": "network_over_identity",
			"cntk_photograph_edges":    "cntk_photograph_edges_over_identity",
			"laplace_photograph_edges": "laplace_photograph_edges_over_identity",
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", smokeLeaves(), smokeMachine("cntk", 3)},
					{"laplace", smokeLeaves(), smokeMachine("laplace", 5)},
				},
				Photographs: smokePhotographs,
				Net:         setups.PatchNetworkSpec{Arch: "cnn2", Init: "", Rate: 1e-3, Batch: 10, Epochs: 2}, Images: 4,
				Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "cifar10", 24, 400, 400, 200), edgeCNTK(5, 1e-3)},
					{"laplace", edgeTask("photographs", "cifar10", 24, 400, 400, 200), edgeLaplace(5, 1e-3)},
				},
				Photographs: photographs224,
				Net:         setups.PatchNetworkSpec{Arch: "cnn3", Init: smallInit, Rate: 1e-3, Batch: 50, Epochs: 60},
				Images:      20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "svhn", 0, 4000, 500, 2000), edgeCNTK(5, 1e-3)},
					{"laplace", edgeTask("photographs", "svhn", 0, 4000, 500, 2000), edgeLaplace(5, 1e-3)},
				},
				Photographs: photographs224,
				Net:         setups.PatchNetworkSpec{Arch: "cnn3", Init: "", Rate: 1e-4, Batch: 128, Epochs: 500},
				Images:      100, Draws: 1000,
			},
		},
	}
}
