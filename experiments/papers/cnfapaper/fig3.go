package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig3 returns the edge detectors of ConvRFM.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About: edgesAbout + responsesAbout + edgesStandIns,
		Claims: []study.Claim{
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of CNTK-ConvRFM's M are edge detectors: their "+
				"orientation above the null's mean, in its standard deviations.",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("cntk")),
			coherenceSDs.Of("laplace").Claim("So are those of Laplace-ConvRFM's M.",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("laplace")),
			control(coherenceOverImages.Of("cntk"),
				"CNTK-ConvRFM's are more oriented than the principal components of the images' patches."),
			control(coherenceOverImages.Of("laplace"), "So are Laplace-ConvRFM's."),
			alike.Of("network").Claim("M and the network's first layer transform images alike.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("network")),
			control(overIdentity.Of("network"), "More than the norm of the patches alone would make them."),
			control(gainOverRotated.Of("network"),
				"What share of a patch they let through is alike, more than with M rotated at random."),
			photographEdges.Of("cntk").Claim("CNTK-ConvRFM's M extracts the edges of photographs: its correlation "+
				"with their gradients.",
				"picture", study.AtLeast(.5)).WithControl(photographEdgesOverIdentity.Of("cntk")),
			photographEdges.Of("laplace").Claim("So does Laplace-ConvRFM's.",
				"picture", study.AtLeast(.5)).WithControl(photographEdgesOverIdentity.Of("laplace")),
			control(photographEdgesOverIdentity.Of("cntk"), "CNTK-ConvRFM's does more than the norm of the patches."),
			control(photographEdgesOverIdentity.Of("laplace"), "So does Laplace-ConvRFM's."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{smokeEdges("cntk", "cntk", 3), smokeEdges("laplace", "laplace", 5)},
				Net:      smokeNetwork("cnn2"), Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{edgeCNTK("cntk", edgePhotographs()), edgeLaplace("laplace", edgePhotographs())},
				Net:      smallNetwork(50, 60), Photographs: photographs224, Images: 20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					edgeCNTK("cntk", paperPhotographs("svhn")), edgeLaplace("laplace", paperPhotographs("svhn")),
				},
				Net: paperNetwork(500), Photographs: photographs224, Images: 100, Draws: 1000,
			},
		},
	}
}
