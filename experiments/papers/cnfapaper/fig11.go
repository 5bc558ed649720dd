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
			{
				Value: "cntk_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "The top eigenvectors of CNTK-ConvRFM are edges: their orientation above the null's mean, " +
					"in its standard deviations (SVHN).",
			},
			{
				Value: "laplace_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "Laplace-ConvRFM (SVHN).",
			},
			{
				Value: "cntk-signs_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "CNTK-ConvRFM (GTSRB).",
			},
			{
				Value: "laplace-signs_coherence_sds", Paper: "picture", Holds: study.AtLeast(2),
				Sentence: "Laplace-ConvRFM (GTSRB).",
			},
			{
				Value: "cntk_orientations", Paper: "horizontal, vertical, diagonal", Holds: study.AtLeast(3),
				Sentence: "They are of different orientations: lying, standing and diagonal ones, counted of " +
					"CNTK-ConvRFM (SVHN).",
			},
			{
				Value: "laplace_orientations", Paper: "horizontal, vertical, diagonal", Holds: study.AtLeast(3),
				Sentence: "Of Laplace-ConvRFM (SVHN).",
			},
			{
				Value: "cntk_aligned", Paper: "picture", Holds: study.Above(0),
				Sentence: "They identify edges of the same alignment in photographs: CNTK-ConvRFM (SVHN).",
			},
			{
				Value: "laplace_aligned", Paper: "picture", Holds: study.Above(0),
				Sentence: "Laplace-ConvRFM (SVHN).",
			},
			{
				Value: "cntk-signs_aligned", Paper: "picture", Holds: study.Above(0),
				Sentence: "CNTK-ConvRFM (GTSRB).",
			},
			{
				Value: "laplace-signs_aligned", Paper: "picture", Holds: study.Above(0),
				Sentence: "Laplace-ConvRFM (GTSRB).",
			},
			{
				Value: "cntk_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "They are more oriented than the principal components of the images' patches: CNTK-ConvRFM " +
					"(SVHN).",
			},
			{
				Value: "laplace_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "Laplace-ConvRFM (SVHN).",
			},
			{
				Value: "cntk-signs_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "CNTK-ConvRFM (GTSRB).",
			},
			{
				Value: "laplace-signs_coherence_over_images", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "Laplace-ConvRFM (GTSRB).",
			},
			{
				Value: "cntk_aligned_over_rotated", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "They identify them more than the eigenvectors of M rotated at random identify edges of " +
					"their own alignment: CNTK-ConvRFM (SVHN).",
			},
			{
				Value: "laplace_aligned_over_rotated", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "Laplace-ConvRFM (SVHN).",
			},
			{
				Value: "cntk-signs_aligned_over_rotated", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "CNTK-ConvRFM (GTSRB).",
			},
			{
				Value: "laplace-signs_aligned_over_rotated", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "Laplace-ConvRFM (GTSRB).",
			},
		},
		Controls: map[string]string{
			"cntk_coherence_sds": "cntk_coherence_over_images", "cntk_aligned": "cntk_aligned_over_rotated",
			"laplace_coherence_sds": "laplace_coherence_over_images", "laplace_aligned": "laplace_aligned_over_rotated",
			"cntk-signs_coherence_sds":    "cntk-signs_coherence_over_images",
			"cntk-signs_aligned":          "cntk-signs_aligned_over_rotated",
			"laplace-signs_coherence_sds": "laplace-signs_coherence_over_images",
			"laplace-signs_aligned":       "laplace-signs_aligned_over_rotated",
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
