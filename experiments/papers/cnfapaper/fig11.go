package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

var (
	cntkCoherenceSds                = study.NewMeasure("cntk_coherence_sds")
	cntkCoherenceOverImages         = study.NewMeasure("cntk_coherence_over_images")
	laplaceCoherenceSds             = study.NewMeasure("laplace_coherence_sds")
	laplaceCoherenceOverImages      = study.NewMeasure("laplace_coherence_over_images")
	cntkSignsCoherenceSds           = study.NewMeasure("cntk-signs_coherence_sds")
	cntkSignsCoherenceOverImages    = study.NewMeasure("cntk-signs_coherence_over_images")
	laplaceSignsCoherenceSds        = study.NewMeasure("laplace-signs_coherence_sds")
	laplaceSignsCoherenceOverImages = study.NewMeasure("laplace-signs_coherence_over_images")
	cntkOrientations                = study.NewMeasure("cntk_orientations")
	laplaceOrientations             = study.NewMeasure("laplace_orientations")
	cntkAligned                     = study.NewMeasure("cntk_aligned")
	cntkAlignedOverRotated          = study.NewMeasure("cntk_aligned_over_rotated")
	laplaceAligned                  = study.NewMeasure("laplace_aligned")
	laplaceAlignedOverRotated       = study.NewMeasure("laplace_aligned_over_rotated")
	cntkSignsAligned                = study.NewMeasure("cntk-signs_aligned")
	cntkSignsAlignedOverRotated     = study.NewMeasure("cntk-signs_aligned_over_rotated")
	laplaceSignsAligned             = study.NewMeasure("laplace-signs_aligned")
	laplaceSignsAlignedOverRotated  = study.NewMeasure("laplace-signs_aligned_over_rotated")
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
			cntkCoherenceSds.Claim("The top eigenvectors of CNTK-ConvRFM are edges: their orientation above the null's mean, "+
				"in its standard deviations (SVHN).",
				"picture", study.AtLeast(2)).WithControl(cntkCoherenceOverImages),
			laplaceCoherenceSds.Claim("Laplace-ConvRFM (SVHN).",
				"picture", study.AtLeast(2)).WithControl(laplaceCoherenceOverImages),
			cntkSignsCoherenceSds.Claim("CNTK-ConvRFM (GTSRB).",
				"picture", study.AtLeast(2)).WithControl(cntkSignsCoherenceOverImages),
			laplaceSignsCoherenceSds.Claim("Laplace-ConvRFM (GTSRB).",
				"picture", study.AtLeast(2)).WithControl(laplaceSignsCoherenceOverImages),
			cntkOrientations.Claim("They are of different orientations: lying, standing and diagonal ones, counted of "+
				"CNTK-ConvRFM (SVHN).",
				"horizontal, vertical, diagonal", study.AtLeast(3)),
			laplaceOrientations.Claim("Of Laplace-ConvRFM (SVHN).",
				"horizontal, vertical, diagonal", study.AtLeast(3)),
			cntkAligned.Claim("They identify edges of the same alignment in photographs: CNTK-ConvRFM (SVHN).",
				"picture", study.Above(0)).WithControl(cntkAlignedOverRotated),
			laplaceAligned.Claim("Laplace-ConvRFM (SVHN).",
				"picture", study.Above(0)).WithControl(laplaceAlignedOverRotated),
			cntkSignsAligned.Claim("CNTK-ConvRFM (GTSRB).",
				"picture", study.Above(0)).WithControl(cntkSignsAlignedOverRotated),
			laplaceSignsAligned.Claim("Laplace-ConvRFM (GTSRB).",
				"picture", study.Above(0)).WithControl(laplaceSignsAlignedOverRotated),
			cntkCoherenceOverImages.Claim("They are more oriented than the principal components of the images' patches: CNTK-ConvRFM "+
				"(SVHN).",
				"not asked by the paper", study.Above(0)),
			laplaceCoherenceOverImages.Claim("Laplace-ConvRFM (SVHN).",
				"not asked by the paper", study.Above(0)),
			cntkSignsCoherenceOverImages.Claim("CNTK-ConvRFM (GTSRB).",
				"not asked by the paper", study.Above(0)),
			laplaceSignsCoherenceOverImages.Claim("Laplace-ConvRFM (GTSRB).",
				"not asked by the paper", study.Above(0)),
			cntkAlignedOverRotated.Claim("They identify them more than the eigenvectors of M rotated at random identify edges of "+
				"their own alignment: CNTK-ConvRFM (SVHN).",
				"not asked by the paper", study.Above(0)),
			laplaceAlignedOverRotated.Claim("Laplace-ConvRFM (SVHN).",
				"not asked by the paper", study.Above(0)),
			cntkSignsAlignedOverRotated.Claim("CNTK-ConvRFM (GTSRB).",
				"not asked by the paper", study.Above(0)),
			laplaceSignsAlignedOverRotated.Claim("Laplace-ConvRFM (GTSRB).",
				"not asked by the paper", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", smokeLeaves(), smokeMachine("cntk", 3)},
					{"laplace", smokeLeaves(), smokeMachine("laplace", 5)},
					{"cntk-signs", smokeLeaves(), smokeMachine("cntk", 3)},
					{"laplace-signs", smokeLeaves(), smokeMachine("laplace", 3)},
				},
				Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("photographs", "cifar10", 24, 400, 400, 200), edgeCNTK(5, 1e-3)},
					{"laplace", edgeTask("photographs", "cifar10", 24, 400, 400, 200), edgeLaplace(5, 1e-3)},
					{"cntk-signs", edgeTask("leaves", "deadleaves", 24, 400, 400, 200), edgeCNTK(5, 1e-3)},
					{"laplace-signs", edgeTask("leaves", "deadleaves", 24, 400, 400, 200), edgeLaplace(5, 1e-3)},
				},
				Photographs: photographs224, Images: 20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: []EdgeMachine{
					{"cntk", edgeTask("digits", "svhn", 0, 4000, 500, 2000), edgeCNTK(5, 1e-3)},
					{"laplace", edgeTask("digits", "svhn", 0, 4000, 500, 2000), edgeLaplace(5, 1e-3)},
					{"cntk-signs", edgeTask("signs", "gtsrb", 32, 4000, 500, 2000), edgeCNTK(5, 1e-3)},
					{"laplace-signs", edgeTask("signs", "gtsrb", 32, 4000, 500, 2000), edgeLaplace(5, 1e-3)},
				},
				Photographs: photographs224, Images: 100, Draws: 1000,
			},
		},
	}
}
