package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig4 returns the layers of Deep ConvRFM and of networks.
func fig4() *study.Experiment {
	deep := convrfm(3, 1e-3)
	deep.Iterations, deep.Sample = 3, 40
	return &study.Experiment{
		ID: "cnfa/fig4", Paper: "cnfa", Figure: "Fig. 4",
		Title: "Deep ConvRFM sees images as the network does, layer by layer",
		About: responsesAbout + bestAbout +
			"From the second layer on machine and network read different features, 64 " +
			"random ones and 64 learned ones, so that their matrices have no coordinates in common: compared are the " +
			"pictures, which have the same positions. M = I is then the norm of the patch of the machine's own " +
			"features. At scale small CIFAR-10 stands in for SVHN, with fewer images, 16×16, M is learned in 3 " +
			"iterations and not 5, on patch-AGOPs of 40 of them, and the noisy digits are MNIST's in their frame, of " +
			"other images for every seed.",
		Claims: []study.Claim{
			alike.Of("layer1").Claim("Machine and network see images alike in the first layer.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("layer1")),
			alike.Of("layer2").Claim("In the second.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("layer2")),
			alike.Of("layer3").Claim("In the third.",
				"picture", study.AtLeast(.5)).WithControl(overIdentity.Of("layer3")),
			control(overIdentity.Of("layer1"),
				"More than the norm of the patches alone would make them, in the first layer."),
			control(overIdentity.Of("layer2"), "In the second."),
			control(overIdentity.Of("layer3"), "In the third."),
			control(gainOverRotated.Of("layer1"),
				"What share of a patch they let through is alike, more than with M rotated at random, in the "+
					"first layer."),
			control(gainOverRotated.Of("layer2"), "In the second."),
			control(gainOverRotated.Of("layer3"), "In the third."),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ResponsesSpec{
				Tasks: []setups.PatchTask{smokeDigits()}, Machine: smokeConvRFM(3, 3, 8), Net: smokeNetwork("cnn3"),
				Images: 4,
			},
			study.Small: &ResponsesSpec{Tasks: smallTasks(), Machine: deep, Net: smallNetwork(25, 30), Images: 20},
			study.PaperScale: &ResponsesSpec{
				Tasks: paperTasks("svhn"), Machine: convrfm(3, paperRidges()...), Net: paperNetwork(250), Images: 100,
			},
		},
	}
}
