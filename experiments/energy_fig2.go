package experiments

// energyFig2 is the shape of the profiles of Table 1.
func energyFig2() *Experiment {
	return &Experiment{
		ID: "energy/fig2", Paper: "energy", Figure: "Fig. 2", Title: "Energy profiles across networks and datasets, beside the contrast sensitivity of humans",
		About: "The profiles of Table 1's networks, by what differs between them. " + whatSensitivityIs,
		Of:    energyTable1(), Shows: []string{"profiles-*", "sensitivity"},
		Claims: []Claim{
			{"middle_over_low", "Profiles are less sensitive to very low frequencies: the middle third of the components above the first.", "picture", above(0)},
			{"middle_over_high", "And to very high ones: the middle third above the last.", "picture", above(0)},
			{"sensitivity", "They resemble the contrast sensitivity of humans: correlation on the components, each by its share of luminance.", "picture", atLeast(.5)},
			{"sensitivity_excess", "More so than before training: by how much.", "not asked by the paper", above(0)},
		},
		Controls: map[string]string{"sensitivity": "sensitivity_excess"},
	}
}
