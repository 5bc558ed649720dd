package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig6 is the profiles of Table 2's tasks of many classes.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig6", Paper: "energy", Figure: "Fig. 6",
		Title: "Energy profiles of VGG-11 under true and under random labels, three datasets",
		About: "The profiles of Table 2's VGGs.",
		Of:    table2(), Shows: []string{"profiles-vgg-*"},
		Claims: []study.Claim{
			{
				Value: "init", Paper: "close to 0", Holds: study.Within(0, .2),
				Sentence: "Profiles differ from the initialisation: those before and after training are hardly " +
					"correlated.",
			},
			{
				Value: "middle_over_low", Paper: "picture", Holds: study.Above(0),
				Sentence: "They are still mostly sensitive to intermediate frequencies, under random labels too: the " +
					"middle third of the components above the first.",
			},
			{
				Value: "middle_over_high", Paper: "picture", Holds: study.Above(0),
				Sentence: "And above the last third.",
			},
		},
	}
}

// fig17 is the profiles of Table 2's binary tasks.
func fig17() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig17", Paper: "energy", Figure: "Fig. 17",
		Title: "Energy profiles of VGG-11 under true and under random labels, two classes of CIFAR-10",
		About: "The binary tasks among Table 2's.",
		Of:    table2(), Shows: []string{"pairs", "profiles-binary-*"},
		Claims: []study.Claim{
			{
				Value: "binary_pearson", Paper: "> .9", Holds: study.AtLeast(.9),
				Sentence: "The profiles of true and of random labels are alike in binary tasks.",
			},
			{
				Value: "binary_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "They share more than the spectrum of the patches: partial correlation.",
			},
		},
		Controls: partialControls("binary"),
	}
}

// fig18 is the profiles of VGGs and ResNets among Table 2's.
func fig18() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig18", Paper: "energy", Figure: "Fig. 18",
		Title: "Energy profiles of a VGG and of a ResNet under true and under random labels",
		About: "VGGs and ResNets among Table 2's networks. The ResNet is ResNet-20, with half of its width at scale " +
			"small.",
		Of: table2(), Shows: []string{"pairs", "profiles-vgg-*", "profiles-resnet-*"},
		Claims: []study.Claim{
			{
				Value: "resnet_pearson", Paper: "> .9", Holds: study.AtLeast(.9),
				Sentence: "The profiles of true and of random labels are alike of a ResNet.",
			},
			{
				Value: "resnet_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "They share more than the spectrum of the patches: partial correlation.",
			},
		},
		Controls: partialControls("resnet"),
	}
}
