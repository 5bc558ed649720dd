package experiments

// energyFig16 is the profiles of Table 4.
func energyFig16() *Experiment {
	return &Experiment{
		ID: "energy/fig16", Paper: "energy", Figure: "Fig. 16", Title: "Energy profiles of what VGG-11 learns by two losses, under true and under random labels",
		About: "The profiles of Table 4's networks.",
		Of:    energyTable4(), Shows: []string{"profiles-*"},
		Claims: []Claim{
			{"random_pearson", "The two losses change the first layer alike under random labels too.", "picture", atLeast(.9)},
			{"random_partial", "They share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
		},
		Controls: partialControls("random"),
	}
}
