package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	networkAlike                       = study.NewMeasure("network_alike")
	networkOverIdentity                = study.NewMeasure("network_over_identity")
	networkGainOverRotated             = study.NewMeasure("network_gain_over_rotated")
	cntkPhotographEdges                = study.NewMeasure("cntk_photograph_edges")
	cntkPhotographEdgesOverIdentity    = study.NewMeasure("cntk_photograph_edges_over_identity")
	laplacePhotographEdges             = study.NewMeasure("laplace_photograph_edges")
	laplacePhotographEdgesOverIdentity = study.NewMeasure("laplace_photograph_edges_over_identity")
)

// fig3 returns the edge detectors of ConvRFM.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About: edgesAbout + seenAbout + edgesStandIns,
		Claims: []study.Claim{
			cntkCoherenceSds.Claim("The top eigenvectors of CNTK-ConvRFM's M are edge detectors: their orientation above the "+
				"null's mean, in its standard deviations.",
				"picture", study.AtLeast(2)).WithControl(cntkCoherenceOverImages),
			laplaceCoherenceSds.Claim("So are those of Laplace-ConvRFM's M.",
				"picture", study.AtLeast(2)).WithControl(laplaceCoherenceOverImages),
			cntkCoherenceOverImages.Claim("CNTK-ConvRFM's are more oriented than the principal components of the images' patches.",
				"not asked by the paper", study.Above(0)),
			laplaceCoherenceOverImages.Claim("So are Laplace-ConvRFM's.",
				"not asked by the paper", study.Above(0)),
			networkAlike.Claim("M and the network's first layer transform images alike.",
				"picture", study.AtLeast(.5)).WithControl(networkOverIdentity),
			networkOverIdentity.Claim("More than the norm of the patches alone would make them.",
				"not asked by the paper", study.Above(0)),
			networkGainOverRotated.Claim("What share of a patch they let through is alike, more than with M rotated at random.",
				"not asked by the paper", study.Above(0)),
			cntkPhotographEdges.Claim("CNTK-ConvRFM's M extracts the edges of photographs: its correlation with their gradients.",
				"picture", study.AtLeast(.5)).WithControl(cntkPhotographEdgesOverIdentity),
			laplacePhotographEdges.Claim("So does Laplace-ConvRFM's.",
				"picture", study.AtLeast(.5)).WithControl(laplacePhotographEdgesOverIdentity),
			cntkPhotographEdgesOverIdentity.Claim("CNTK-ConvRFM's does more than the norm of the patches.",
				"not asked by the paper", study.Above(0)),
			laplacePhotographEdgesOverIdentity.Claim("So does Laplace-ConvRFM's.",
				"not asked by the paper", study.Above(0)),
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
