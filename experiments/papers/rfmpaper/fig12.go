package rfmpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig12 is the gradient outer products of the networks of Fig. 11.
func fig12() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig12", Paper: "rfm", Figure: "Fig. 12", Title: "Depth on images: centred average gradient outer products",
		About: "Of the AGOPs of Fig. 11's networks the diagonals are drawn; similarities are of all elements, and of the diagonals. The paper says of the noise in an AGOP that it is seen to decrease: here it is what of the diagonal lies outside its largest elements.",
		Claims: []study.Claim{
			{Value: "agop_pearson", Sentence: "The AGOP closely resembles W₁ᵀW₁: the least similarity over the depths.", Paper: "pictures", Holds: study.AtLeast(.8)},
			{Value: "agop_excess", Sentence: "It does so beyond the null: the least excess.", Paper: "not asked by the paper", Holds: study.AtLeast(.02)},
			{Value: "diagonal_pearson", Sentence: "So do their diagonals.", Paper: "pictures", Holds: study.AtLeast(.8)},
			{Value: "diagonal_excess", Sentence: "They do so beyond the null: the least excess.", Paper: "not asked by the paper", Holds: study.AtLeast(.02)},
			{Value: "agop_growth", Sentence: "The amount of noise in the AGOP decreases with depth: growth of the share of the largest elements of its diagonal.", Paper: "less noise", Holds: study.AtLeast(.005)},
		},
		Controls: map[string]string{"agop_pearson": "agop_excess", "diagonal_pearson": "diagonal_excess"},
		Of:       fig11(), Shows: []string{"agop-diagonals", "features", "diagonals"},
	}
}

// fig13 is the feature matrices of the networks of Fig. 11.
func fig13() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig13", Paper: "rfm", Figure: "Fig. 13", Title: "Depth on images: feature matrices W₁ᵀW₁",
		About: "Of the feature matrices of Fig. 11's networks the diagonals are drawn.",
		Claims: []study.Claim{
			{Value: "share_growth", Sentence: "The intensity of the largest elements of the diagonal grows with depth, relative to the others: growth of their share.", Paper: "more", Holds: study.AtLeast(.005)},
			{Value: "share_learned", Sentence: "Training puts it there: the share after training less that before, the least over the depths.", Paper: "not asked by the paper", Holds: study.AtLeast(.005)},
		},
		Of: fig11(), Shows: []string{"network-diagonals", "features", "share"},
	}
}
