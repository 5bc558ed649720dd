package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig7 returns the networks of Fig. 1 before training.
func fig7() *study.Experiment {
	return &study.Experiment{
		ID: "cnfa/fig7", Paper: "cnfa", Figure: "Fig. 7", Title: "The ansatz before training",
		Of: fig1(), Shows: []string{"layers-before", "before-*", "above-*"},
		About: "CNFM and AGOP of the networks of Fig. 1 as they were before training, both of the initial network, " +
			"beside those after training. At an initialisation S knows nothing of W, so that the similarity is its " +
			"null; how high that is depends on how uneven the spectrum of S is, which training changes too: a claim " +
			"of lower similarities says little before it is made of excesses.",
		Claims: []study.Claim{
			{
				Value: "gain", Paper: "lower", Holds: study.Above(0),
				Sentence: "Correlations are lower at initialisation than at the end of training: by how much, on " +
					"average over the layers.",
			},
			{
				Value: "excess_gain", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "So are excesses over the null.",
			},
			{
				Value: "higher", Paper: "at each layer", Holds: study.AtLeast(.8),
				Sentence: "At each layer: share of the layers whose correlation training raises.",
			},
			{
				Value: "excess_higher", Paper: "not asked by the paper", Holds: study.AtLeast(.8),
				Sentence: "Share of the layers whose excess training raises.",
			},
			{
				Value: "before_excess", Paper: "not asked by the paper", Holds: study.Within(0, .02),
				Sentence: "Before training there is no alignment: excess over the null, on average.",
			},
		},
		Controls: map[string]string{"gain": "excess_gain", "higher": "excess_higher"},
	}
}
