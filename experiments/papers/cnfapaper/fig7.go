package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig7 returns the networks of Fig. 1 before training.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig7", Paper: "cnfa", Figure: "Fig. 7", Title: "The ansatz before training",
		Of: fig1(), Shows: []string{"layers-before", "before-*", "above-*"},
		About: study.About{Done: "CNFM and AGOP of the networks of Fig. 1 as they were before training, both of the initial network, " +
			"beside those after training. At an initialisation S knows nothing of W, so that the similarity is its " +
			"null; how high that is depends on how uneven the spectrum of S is, which training changes too: a claim " +
			"of lower similarities says little before it is made of excesses. " + powersAbout},
		Claims: []study.Claim{
			pearsonGain.Claim("The correlation of CNFM and AGOP is lower at initialisation than at the end of "+
				"training: by how much, mean over the layers of all networks.",
				"lower", study.Above(0)).On(imageNet).WithControl(normalisedGain),
			control(normalisedGain, "The normalised excess over the null is lower at initialisation than at the end "+
				"of training: by how much, over the layers of all networks."),
			higher.Claim("Training raises the correlation of CNFM and AGOP at each layer: share of the layers.",
				"at each layer", study.AtLeast(.8)).On(imageNet).WithControl(normalisedHigher),
			normalisedHigher.Check("Training raises the normalised excess at each layer: share of the layers.",
				study.AtLeast(.8)),
			beforeExcess.Check("Before training CNFM and AGOP are not aligned: excess over the null, mean over the "+
				"layers of all networks.", study.Within(0, .02)),
		},
	}
}
