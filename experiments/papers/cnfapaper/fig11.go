package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig11 returns the responses of single eigenvectors to photographs.
func fig11() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig11", Paper: "cnfa", Figure: "Fig. 11",
		Title: "Eigenvectors of ConvRFM's M as edge detectors of different orientations",
		About: edgesAbout + "Of single eigenvectors v, |vᵀh| of photographs is correlated with the slope of the " +
			"photograph across the eigenvector's edge and with that along it; the difference, averaged over the " +
			"eigenvectors with their coherences as weights, is 0 of a detector of all edges. A random direction has " +
			"some orientation too: the control is the same of M with random rotations. " +
			edgesStandIns + " At scale small dead leaves, lying or standing, stand in for GTSRB.",
		Claims: []study.Claim{
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of CNTK-ConvRFM are edges: their orientation above "+
				"the null's mean, in its standard deviations (SVHN).",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("cntk")),
			coherenceSDs.Of("laplace").Claim("Laplace-ConvRFM (SVHN).",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("laplace")),
			coherenceSDs.Of("cntk-signs").Claim("CNTK-ConvRFM (GTSRB).",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("cntk-signs")),
			coherenceSDs.Of("laplace-signs").Claim("Laplace-ConvRFM (GTSRB).",
				"picture", study.AtLeast(2)).WithControl(coherenceOverImages.Of("laplace-signs")),
			orientations.Of("cntk").Claim("They are of different orientations: lying, standing and diagonal ones, "+
				"counted of CNTK-ConvRFM (SVHN).",
				"horizontal, vertical, diagonal", study.AtLeast(3)),
			orientations.Of("laplace").Claim("Of Laplace-ConvRFM (SVHN).",
				"horizontal, vertical, diagonal", study.AtLeast(3)),
			aligned.Of("cntk").Claim("They identify edges of the same alignment in photographs: CNTK-ConvRFM (SVHN).",
				"picture", study.Above(0)).WithControl(alignedOverRotated.Of("cntk")),
			aligned.Of("laplace").Claim("Laplace-ConvRFM (SVHN).",
				"picture", study.Above(0)).WithControl(alignedOverRotated.Of("laplace")),
			aligned.Of("cntk-signs").Claim("CNTK-ConvRFM (GTSRB).",
				"picture", study.Above(0)).WithControl(alignedOverRotated.Of("cntk-signs")),
			aligned.Of("laplace-signs").Claim("Laplace-ConvRFM (GTSRB).",
				"picture", study.Above(0)).WithControl(alignedOverRotated.Of("laplace-signs")),
			control(coherenceOverImages.Of("cntk"), "They are more oriented than the principal components of the "+
				"images' patches: CNTK-ConvRFM (SVHN)."),
			control(coherenceOverImages.Of("laplace"), "Laplace-ConvRFM (SVHN)."),
			control(coherenceOverImages.Of("cntk-signs"), "CNTK-ConvRFM (GTSRB)."),
			control(coherenceOverImages.Of("laplace-signs"), "Laplace-ConvRFM (GTSRB)."),
			control(alignedOverRotated.Of("cntk"), "They identify them more than the eigenvectors of M rotated at "+
				"random identify edges of their own alignment: CNTK-ConvRFM (SVHN)."),
			control(alignedOverRotated.Of("laplace"), "Laplace-ConvRFM (SVHN)."),
			control(alignedOverRotated.Of("cntk-signs"), "CNTK-ConvRFM (GTSRB)."),
			control(alignedOverRotated.Of("laplace-signs"), "Laplace-ConvRFM (GTSRB)."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					smokeEdges("cntk", "cntk", 3), smokeEdges("laplace", "laplace", 5),
					smokeEdges("cntk-signs", "cntk", 3), smokeEdges("laplace-signs", "laplace", 3),
				},
				Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{
					edgeCNTK("cntk", edgePhotographs()), edgeLaplace("laplace", edgePhotographs()),
					edgeCNTK("cntk-signs", edgeLeaves()), edgeLaplace("laplace-signs", edgeLeaves()),
				},
				Photographs: photographs224, Images: 20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					edgeCNTK("cntk", edgeDigits()), edgeLaplace("laplace", edgeDigits()),
					edgeCNTK("cntk-signs", edgeSigns()), edgeLaplace("laplace-signs", edgeSigns()),
				},
				Photographs: photographs224, Images: 100, Draws: 1000,
			},
		},
	}
}
