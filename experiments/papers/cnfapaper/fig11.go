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
		About: study.About{Done: edgesAbout + "Of single eigenvectors v, |vᵀh| of photographs is correlated with the slope of the " +
			"photograph across the eigenvector's edge and with that along it; the difference, averaged over the " +
			"eigenvectors with their coherences as weights, is 0 of a detector of all edges. A random direction has " +
			"some orientation too: the control is the same of M with random rotations. " + edgesStandIns},
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

// fig11Claims returns the claims on the two machines, each on two datasets.
func fig11Claims() []study.Claim {
	var claims, controls []study.Claim
	for _, m := range []struct{ part, machine, dataset string }{
		{"cntk", "CNTK-ConvRFM", "SVHN"}, {"laplace", "Laplace-ConvRFM", "SVHN"},
		{"cntk-signs", "CNTK-ConvRFM", "GTSRB"}, {"laplace-signs", "Laplace-ConvRFM", "GTSRB"},
	} {
		claims = append(claims,
			coherenceSDs.Of(m.part).Claim(fmt.Sprintf("The top eigenvectors of %s, trained on %s, are edges: their "+
				"orientation above the null's mean, in its standard deviations.", m.machine, m.dataset),
				"picture", aboveNull).WithControl(coherenceOverImages.Of(m.part)).On(m.dataset),
			orientations.Of(m.part).Claim(fmt.Sprintf("The top eigenvectors of %s, trained on %s, are of different "+
				"orientations: how many of lying, standing and both diagonal ones there are.", m.machine, m.dataset),
				"horizontal, vertical, diagonal", study.AtLeast(3)).On(m.dataset),
			aligned.Of(m.part).Claim(fmt.Sprintf("The eigenvectors of %s, trained on %s, identify edges of the same "+
				"alignment in photographs.", m.machine, m.dataset),
				"picture", study.Above(0)).WithControl(alignedOverRotated.Of(m.part)).On(m.dataset))
		controls = append(controls,
			control(coherenceOverImages.Of(m.part), fmt.Sprintf("The eigenvectors of %s, trained on %s, are more "+
				"oriented than the principal components of the images' patches.", m.machine, m.dataset)).On(m.dataset),
			control(alignedOverRotated.Of(m.part), fmt.Sprintf("The eigenvectors of %s, trained on %s, identify edges "+
				"of their alignment more than those of M rotated at random do.", m.machine, m.dataset)).On(m.dataset))
	}
	return append(claims, controls...)
}
