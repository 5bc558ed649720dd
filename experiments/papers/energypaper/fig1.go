package energypaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// fig1 returns Fig. 1: the filters of the networks of Fig. 10.
func fig1() *study.Experiment {
	return &study.Experiment{
		ID: "energy/fig1", Paper: "energy", Figure: "Fig. 1",
		Title: "Filters of the first layer before and after training",
		About: study.About{
			Done: "The filters of all networks of Fig. 10 are shown before and after training.",
			Deviations: []string{
				"The paper's Fig. 1 shows filters of ResNet-18, before and after training, and of GoogLeNet, " +
					"which is not shown here.",
			},
			Controls: []string{
				"The structure of filters is measured by how uneven their energy profile is, compared with the " +
					"same filters rotated at random.",
			},
		},
		Of: fig10(), Shows: []string{"filters", "networks"},
		Claims: []study.Claim{
			unevenness.Claim("The trained filters of networks' first layers are not random: excess of the "+
				"unevenness of their energy profiles over that of rotated filters, in standard deviations.", "picture",
				study.AtLeast(2)).On(imageNet),
			unevenness.Of("before").Check("The initial filters of networks' first layers are random and have no "+
				"structure: excess of the unevenness of their energy profiles over that of rotated filters, in "+
				"standard deviations.", study.Within(0, 2)),
		},
	}
}
