package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// fig2 is the shape of the profiles of Table 1.
func fig2() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig2", Paper: "energy", Figure: "Fig. 2",
		Title: "Energy profiles across networks and datasets, beside the contrast sensitivity of humans",
		About: "The profiles of Table 1's networks, by what differs between them. " + sensitivityAbout,
		Of:    table1(), Shows: []string{"profiles-*", "sensitivity"},
		Claims: []study.Claim{
			{
				Value: "middle_over_low", Paper: "picture", Holds: study.Above(0),
				Sentence: "Profiles are less sensitive to very low frequencies: the middle third of the components " +
					"above the first.",
			},
			{
				Value: "middle_over_high", Paper: "picture", Holds: study.Above(0),
				Sentence: "And to very high ones: the middle third above the last.",
			},
			{
				Value: "sensitivity", Paper: "picture", Holds: study.AtLeast(.5),
				Sentence: "They resemble the contrast sensitivity of humans: correlation on the components, each by " +
					"its share of luminance.",
			},
			{
				Value: "sensitivity_excess", Paper: "not asked by the paper", Holds: study.Above(0),
				Sentence: "More so than before training: by how much.",
			},
		},
		Controls: map[string]string{"sensitivity": "sensitivity_excess"},
	}
}
