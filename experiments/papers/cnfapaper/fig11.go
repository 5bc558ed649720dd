package cnfapaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig11 returns the responses of single eigenvectors to photographs.
func fig11() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig11", Paper: "cnfa", Figure: "Fig. 11",
		Title: "Eigenvectors of ConvRFM's M as edge detectors of different orientations",
		About: study.About{
			Controls: []string{
				"A random direction has some orientation too: the control for single eigenvectors is the same " +
					"measure with randomly rotated M.",
			},
			Conventions: []string{
				"For a single eigenvector v, |vᵀh| on photographs is correlated with the slope of the photograph " +
					"across the eigenvector's edge and with that along it. The difference, averaged over the " +
					"eigenvectors with their coherences as weights, is 0 for a detector of edges of any direction.",
			},
		}.With(edgesAbout).With(edgesStandIns),
		Claims: fig11Claims(),
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &EdgesSpec{
				Machines: []EdgeMachine{
					smokeEdges("cntk", "cntk", 3, "SVHN"), smokeEdges("laplace", "laplace", 5, "SVHN"),
					smokeEdges("cntk-signs", "cntk", 3, "GTSRB"), smokeEdges("laplace-signs", "laplace", 3, "GTSRB"),
				},
				Photographs: smokePhotographs, Images: 4, Draws: 50,
			},
			study.Small: &EdgesSpec{
				Machines: smallEdges(
					edgeCNTK("cntk", smallStreetDigits()), edgeLaplace("laplace", smallStreetDigits()),
					edgeCNTK("cntk-signs", smallSigns()), edgeLaplace("laplace-signs", smallSigns())),
				Photographs: photographs224, Images: 20, Draws: 1000,
			},
			study.PaperScale: &EdgesSpec{
				Machines: paperEdges(
					edgeCNTK("cntk", edgeDigits()), edgeLaplace("laplace", edgeDigits()),
					edgeCNTK("cntk-signs", edgeSigns()), edgeLaplace("laplace-signs", edgeSigns())),
				Photographs: photographs224, Images: 100, Draws: 1000,
			},
		},
	}
}

// orientationsKnown says what is known of the claims about how many directions there are.
const orientationsKnown = "M has most of its trace on two eigenvectors, edges of two directions (table of eigenvectors). An edge " +
	"of any other direction is a sum of these two, so that a third eigenvector, at right angles to both, has to be of another " +
	"colour or finer. Nine seeds count two to four, about three on average, which is the threshold. The paper shows more of them; " +
	"SVHN and GTSRB would decide at scale paper, a day or two of a core for a seed."

// fig11Claims returns the claims on the two machines, each on two datasets.
func fig11Claims() []study.Claim {
	var claims, controls []study.Claim
	for _, m := range []struct{ part, machine, dataset string }{
		{"cntk", "CNTK-ConvRFM", "SVHN"}, {"laplace", "Laplace-ConvRFM", "SVHN"},
		{"cntk-signs", "CNTK-ConvRFM", "GTSRB"}, {"laplace-signs", "Laplace-ConvRFM", "GTSRB"},
	} {
		claims = append(claims,
			coherenceSDs.Of(m.part).Claim(fmt.Sprintf("The top eigenvectors of the M of %s, trained on %s, are "+
				"edges: excess of their orientation over the null, in standard deviations of the null.",
				m.machine, m.dataset),
				"picture", aboveNull).WithControl(coherenceOverImages.Of(m.part)).On(m.dataset),
			orientations.Of(m.part).Claim(fmt.Sprintf("The top eigenvectors of the M of %s, trained on %s, have "+
				"different orientations: how many of horizontal, vertical and both diagonal ones there are.",
				m.machine, m.dataset),
				"horizontal, vertical, diagonal", study.AtLeast(3)).On(m.dataset).Diagnosed(orientationsKnown),
			aligned.Of(m.part).Claim(fmt.Sprintf("The eigenvectors of the M of %s, trained on %s, respond to "+
				"edges of their own orientation in photographs: correlation with the slope across the edge less "+
				"that with the slope along it.", m.machine, m.dataset),
				"picture", study.Above(0)).WithControl(alignedOverRotated.Of(m.part)).On(m.dataset))
		controls = append(controls,
			control(coherenceOverImages.Of(m.part), fmt.Sprintf("The eigenvectors of the M of %s, trained on %s, "+
				"are more oriented than the principal components of the images' patches: difference of the "+
				"orientations.", m.machine, m.dataset)).On(m.dataset),
			control(alignedOverRotated.Of(m.part), fmt.Sprintf("The eigenvectors of the M of %s, trained on %s, "+
				"respond to edges of their own orientation more than those of an M rotated at random do: "+
				"difference.",
				m.machine, m.dataset)).On(m.dataset))
	}
	return append(claims, controls...)
}
