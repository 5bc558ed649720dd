package experiments

// rfmFig12 is the gradient outer products of the networks of Fig. 11.
func rfmFig12() *Experiment {
	return &Experiment{
		ID: "rfm/fig12", Paper: "rfm", Figure: "Fig. 12", Title: "Depth on images: centred average gradient outer products",
		About: "Of the AGOPs of Fig. 11's networks the diagonals are drawn; similarities are of all elements, and of the diagonals. The paper says of the noise in an AGOP that it is seen to decrease: here it is what of the diagonal lies outside its largest elements.",
		Claims: []Claim{
			{"agop_pearson", "The AGOP closely resembles W₁ᵀW₁: the least similarity over the depths.", "pictures", atLeast(.8)},
			{"agop_excess", "It does so beyond the null: the least excess.", "not asked by the paper", atLeast(.02)},
			{"diagonal_pearson", "So do their diagonals.", "pictures", atLeast(.8)},
			{"diagonal_excess", "They do so beyond the null: the least excess.", "not asked by the paper", atLeast(.02)},
			{"agop_growth", "The amount of noise in the AGOP decreases with depth: growth of the share of the largest elements of its diagonal.", "less noise", atLeast(.005)},
		},
		Controls: map[string]string{"agop_pearson": "agop_excess", "diagonal_pearson": "diagonal_excess"},
		Of:       rfmFig11(), Shows: []string{"agop-diagonals", "features", "diagonals"},
	}
}

// rfmFig13 is the feature matrices of the networks of Fig. 11.
func rfmFig13() *Experiment {
	return &Experiment{
		ID: "rfm/fig13", Paper: "rfm", Figure: "Fig. 13", Title: "Depth on images: feature matrices W₁ᵀW₁",
		About: "Of the feature matrices of Fig. 11's networks the diagonals are drawn.",
		Claims: []Claim{
			{"share_growth", "The intensity of the largest elements of the diagonal grows with depth, relative to the others: growth of their share.", "more", atLeast(.005)},
			{"share_learned", "Training puts it there: the share after training less that before, the least over the depths.", "not asked by the paper", atLeast(.005)},
		},
		Of: rfmFig11(), Shows: []string{"network-diagonals", "features", "share"},
	}
}
