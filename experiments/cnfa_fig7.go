package experiments

// cnfaFig7 is the networks of Fig. 1 before their training.
func cnfaFig7() *Experiment {
	return &Experiment{
		ID: "cnfa/fig7", Paper: "cnfa", Figure: "Fig. 7", Title: "The ansatz before training",
		Of: cnfaFig1(), Shows: []string{"layers-before", "before-*", "above-*"},
		About: "CNFM and AGOP of the networks of Fig. 1 as they were before training, both of the initial network, beside those after training. " +
			"At an initialisation S knows nothing of W, so that the similarity is its null; how high that is depends on how uneven the spectrum of S is, which training changes too: a claim of lower similarities says little before it is made of excesses.",
		Claims: []Claim{
			{"gain", "Correlations are lower at initialisation than at the end of training: by how much, on average over the layers.", "lower", above(0)},
			{"excess_gain", "So are excesses over the null.", "not asked by the paper", above(0)},
			{"higher", "At each layer: share of the layers whose correlation training raises.", "at each layer", atLeast(.8)},
			{"excess_higher", "Share of the layers whose excess training raises.", "not asked by the paper", atLeast(.8)},
			{"before_excess", "Before training there is no alignment: excess over the null, on average.", "not asked by the paper", within(0, .02)},
		},
		Controls: map[string]string{"gain": "excess_gain", "higher": "excess_higher"},
	}
}
