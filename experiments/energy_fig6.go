package experiments

// energyFig6 is the profiles of Table 2's tasks of many classes.
func energyFig6() *Experiment {
	return &Experiment{
		ID: "energy/fig6", Paper: "energy", Figure: "Fig. 6", Title: "Energy profiles of VGG-11 under true and under random labels, three datasets",
		About: "The profiles of Table 2's VGGs.",
		Of:    energyTable2(), Shows: []string{"profiles-vgg-*"},
		Claims: []Claim{
			{"init", "Profiles differ from the initialisation: those before and after training are hardly correlated.", "close to 0", within(0, .2)},
			{"middle_over_low", "They are still mostly sensitive to intermediate frequencies, under random labels too: the middle third of the components above the first.", "picture", above(0)},
			{"middle_over_high", "And above the last third.", "picture", above(0)},
		},
	}
}

// energyFig17 is the profiles of Table 2's binary tasks.
func energyFig17() *Experiment {
	return &Experiment{
		ID: "energy/fig17", Paper: "energy", Figure: "Fig. 17", Title: "Energy profiles of VGG-11 under true and under random labels, two classes of CIFAR-10",
		About: "The binary tasks among Table 2's.",
		Of:    energyTable2(), Shows: []string{"pairs", "profiles-binary-*"},
		Claims: []Claim{
			{"binary_pearson", "The profiles of true and of random labels are alike in binary tasks.", "> .9", atLeast(.9)},
			{"binary_partial", "They share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
		},
		Controls: partialControls("binary"),
	}
}

// energyFig18 is the profiles of VGGs and ResNets among Table 2's.
func energyFig18() *Experiment {
	return &Experiment{
		ID: "energy/fig18", Paper: "energy", Figure: "Fig. 18", Title: "Energy profiles of a VGG and of a ResNet under true and under random labels",
		About: "VGGs and ResNets among Table 2's networks. The ResNet is ResNet-20, with half of its width at scale small.",
		Of:    energyTable2(), Shows: []string{"pairs", "profiles-vgg-*", "profiles-resnet-*"},
		Claims: []Claim{
			{"resnet_pearson", "The profiles of true and of random labels are alike of a ResNet.", "> .9", atLeast(.9)},
			{"resnet_partial", "They share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
		},
		Controls: partialControls("resnet"),
	}
}
