package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig7 returns the networks of Fig. 1 before training.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig7", Paper: "cnfa", Figure: "Fig. 7", Title: "The ansatz before training",
		Of: fig1(), Shows: []string{"layers-before", "before-*", "above-*"},
		About: study.About{
			Done: "CNFM and AGOP of the networks of Fig. 1 before training, both of the initial network, are " +
				"compared beside those after training.",
			Controls: []string{
				"At an initialisation S is independent of W, so the similarity is its null. How high that is " +
					"depends on how uneven the spectrum of S is, which training changes too. A lower similarity " +
					"says little by itself: excesses are compared as well.",
			},
		}.With(powersAbout),
		Panels: []string{"before-*"},
		Claims: []study.Claim{
			pearsonGain.Claim("In AlexNet, VGG and ResNet the correlation of CNFM and AGOP is lower at "+
				"initialisation than after training: difference, mean over the layers of all networks.",
				"lower", study.Above(0)).On(imageNet).WithControl(normalisedGain),
			control(normalisedGain, "In AlexNet, VGG and ResNet the normalised excess of CNFM and AGOP over the "+
				"null is lower at initialisation than after training: difference over the layers of all networks."),
			higher.Claim("Training raises the correlation of CNFM and AGOP in each layer of AlexNet, VGG and "+
				"ResNet: share of the layers.",
				"at each layer", study.AtLeast(.8)).On(imageNet).WithControl(normalisedHigher).
				Diagnosed("Before training the first layers have correlations near 1, all of it the null's, which training " +
					"lowers: there the correlation falls although the alignment rises. The normalised excess rises in more " +
					"layers (the control). With torchvision's files in the data folder scale paper would decide, some hours " +
					"of a core."),
			normalisedHigher.Check("Training raises the normalised excess of CNFM and AGOP over the null in each "+
				"layer of AlexNet, VGG and ResNet: share of the layers.",
				study.AtLeast(.8)),
			beforeExcess.Check("Before training, CNFM and AGOP of AlexNet, VGG and ResNet are not aligned: "+
				"excess over the null, mean over the layers of all networks.", study.Within(0, .02)),
		},
	}
}
