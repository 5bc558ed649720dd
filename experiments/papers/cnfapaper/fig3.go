package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The thresholds of Figs. 3, 11 and 12, which show pictures and no numbers. Two standard deviations above
// the null is what about one random M in forty reaches; a correlation of .5 is by convention a large one
// (Cohen 1988).
var (
	aboveNull = study.AtLeast(2)
	large     = study.AtLeast(.5)
)

// fig3 returns the edge detectors of ConvRFM.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About: study.About{Done: edgesAbout + ablationAbout + responsesAbout + edgesStandIns},
		Claims: append([]study.Claim{
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of CNTK-ConvRFM's M are edge detectors: their "+
				"orientation above the null's mean, in its standard deviations.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("cntk")).On("SVHN"),
			coherenceSDs.Of("laplace").Claim("The top eigenvectors of Laplace-ConvRFM's M are edge detectors: their "+
				"orientation above the null's mean, in its standard deviations.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("laplace")).On("SVHN"),
			control(coherenceOverImages.Of("cntk"),
				"CNTK-ConvRFM's are more oriented than the principal components of the images' patches.").On("SVHN"),
			control(coherenceOverImages.Of("laplace"),
				"Laplace-ConvRFM's are more oriented than the principal components of the images' patches.").On("SVHN"),
			alike.Of("network").Claim("M and the network's first layer transform images alike.",
				"picture", large).WithControl(overIdentity.Of("network")).On("SVHN"),
			control(overIdentity.Of("network"),
				"They do more than the norm of the patches alone would make them.").On("SVHN"),
			control(gainOverRotated.Of("network"),
				"What share of a patch they let through is alike, more than with M rotated at random.").On("SVHN"),
			photographEdges.Of("cntk").Claim("CNTK-ConvRFM's M extracts the edges of photographs: its correlation "+
				"with their gradients.",
				"picture", large).WithControl(photographEdgesOverIdentity.Of("cntk")).On("SVHN"),
			photographEdges.Of("laplace").Claim("Laplace-ConvRFM's M extracts the edges of photographs: its "+
				"correlation with their gradients.",
				"picture", large).WithControl(photographEdgesOverIdentity.Of("laplace")).On("SVHN"),
			control(photographEdgesOverIdentity.Of("cntk"),
				"CNTK-ConvRFM's M does more than the norm of the patches.").On("SVHN"),
			control(photographEdgesOverIdentity.Of("laplace"),
				"Laplace-ConvRFM's M does more than the norm of the patches.").On("SVHN"),
		}, ablationChecks("SVHN")...),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					smokeEdges("cntk", "cntk", 3, "SVHN"), smokeEdges("laplace", "laplace", 5, "SVHN"),
				},
				Ablation: true, Net: smokeNetwork("cnn2"), Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: smallEdges(
					edgeCNTK("cntk", smallStreetDigits()), edgeLaplace("laplace", smallStreetDigits())),
				Ablation: true, Net: smallNetwork(50, 60), Photographs: photographs224, Images: 20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: paperEdges(edgeCNTK("cntk", edgeDigits()), edgeLaplace("laplace", edgeDigits())),
				Ablation: true, Net: paperNetwork(500), Photographs: photographs224, Images: 100, Draws: 1000,
			},
		},
	}
}
