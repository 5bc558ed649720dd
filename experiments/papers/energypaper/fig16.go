package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig16 is the profiles of Table 4.
func fig16() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig16", Paper: "energy", Figure: "Fig. 16",
		Title: "Energy profiles of what VGG-11 learns by two losses, under true and under random labels",
		About: "The profiles of Table 4's networks.",
		Of:    table4(), Shows: []string{"profiles-*"},
		Claims: []study.Claim{
			{
				Value: "random_pearson", Paper: "picture", Holds: study.AtLeast(.9),
				Sentence: "The two losses change the first layer alike under random labels too.",
			},
			{
				Value: "random_partial", Paper: "not asked by the paper", Holds: study.AtLeast(.5),
				Sentence: "They share more than the spectrum of the patches: partial correlation.",
			},
		},
		Controls: partialControls("random"),
	}
}
