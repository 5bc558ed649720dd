package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// The thresholds of Figs. 3, 11 and 12, in which the paper shows pictures and no numbers. About one random M in forty
// lies two standard deviations above the null. A correlation of .5 is large by convention (Cohen 1988).
var (
	aboveNull = study.AtLeast(2)
	large     = study.AtLeast(.5)
)

// fig3 returns the edge detectors of ConvRFM.
func fig3() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig3", Paper: "cnfa", Figure: "Fig. 3", Title: "ConvRFM learns edge detectors, as the network does",
		About:  study.About{}.With(edgesAbout).With(ablationAbout).With(responsesAbout).With(edgesStandIns),
		Panels: []string{"eigenvectors", "single-eigenvectors", "photographs", "networks"},
		Claims: append([]study.Claim{
			coherenceSDs.Of("cntk").Claim("The top eigenvectors of the M of CNTK-ConvRFM, trained on SVHN, are "+
				"edge detectors: excess of their orientation over the null, in standard deviations of the null.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("cntk")).On("SVHN"),
			coherenceSDs.Of("laplace").Claim("The top eigenvectors of the M of Laplace-ConvRFM, trained on SVHN, "+
				"are edge detectors: excess of their orientation over the null, in standard deviations of the "+
				"null.",
				"picture", aboveNull).WithControl(coherenceOverImages.Of("laplace")).On("SVHN"),
			control(coherenceOverImages.Of("cntk"),
				"The eigenvectors of the M of CNTK-ConvRFM, trained on SVHN, are more oriented than the "+
					"principal components of the images' patches: difference of the orientations.").On("SVHN"),
			control(coherenceOverImages.Of("laplace"),
				"The eigenvectors of the M of Laplace-ConvRFM, trained on SVHN, are more oriented than the "+
					"principal components of the images' patches: difference of the orientations.").On("SVHN"),
			alike.Of("network").Claim("CNTK-ConvRFM and a network's first layer, trained on SVHN, transform test "+
				"images similarly: correlation of their responses.",
				"picture", large).WithControl(overIdentity.Of("network")).On("SVHN").
				Diagnosed("The network's first layer responds as the norm of the patch does (M = I in the table of responses). " +
					"The M of ConvRFM's last iterations has nine tenths of its trace on one edge, which does not look at " +
					"brightness; it classifies as well as the network (table of accuracies). Street digits stand in for SVHN, which " +
					"would decide: half a day of a core for a seed."),
			control(overIdentity.Of("network"),
				"CNTK-ConvRFM and a network's first layer, trained on SVHN, respond to test images more "+
					"similarly than the norms of the patches alone would make them: difference of the "+
					"correlations.").On("SVHN"),
			control(gainOverRotated.Of("network"),
				"CNTK-ConvRFM and a network's first layer, trained on SVHN, pass on similar shares of patches, "+
					"more than with M rotated at random: difference of the correlations of the gains.").On("SVHN"),
			photographEdges.Of("cntk").Claim("The M of CNTK-ConvRFM, trained on SVHN, extracts the edges of "+
				"photographs: correlation of its responses with the photographs' gradients.",
				"picture", large).WithControl(photographEdgesOverIdentity.Of("cntk")).On("SVHN"),
			photographEdges.Of("laplace").Claim("The M of Laplace-ConvRFM, trained on SVHN, extracts the edges "+
				"of photographs: correlation of its responses with the photographs' gradients.",
				"picture", large).WithControl(photographEdgesOverIdentity.Of("laplace")).On("SVHN").
				Diagnosed("Its eigenvectors have one orientation (table of edges), but are smooth over larger patches: they see " +
					"light beside dark, and edges only a little more than the norm of the patch does. SVHN would " +
					"decide, half a day of a core for a seed."),
			control(photographEdgesOverIdentity.Of("cntk"),
				"The M of CNTK-ConvRFM, trained on SVHN, extracts the edges of photographs better than the norm "+
					"of the patches does: difference of the correlations.").On("SVHN"),
			control(photographEdgesOverIdentity.Of("laplace"),
				"The M of Laplace-ConvRFM, trained on SVHN, extracts the edges of photographs better than the "+
					"norm of the patches does: difference of the correlations.").On("SVHN"),
		}, ablationChecks("SVHN")...),
		SmallSeeds: 5,
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
