// Package cnfapaper contains the figures and tables of the paper cnfa, "Mechanism of feature learning in convolutional
// neural networks".
//
// [Experiments] lists them. Figure N is in figN.go. Several figures share:
//
//   - ansatz.go: the ansatz in networks (Figs. 1, 2, 7 and 8); Fig. 9 uses its networks.
//   - edges.go: edge detectors (Figs. 3, 11 and 12), and edges_ablation.go: what they depend on.
//   - responses.go: responses of machines and networks to images (Figs. 4 and 10; Figs. 3 and 12; features.go).
//   - features.go: one table of all feature matrices, beside the paper's figures.
//   - measures.go and settings.go: measures, tasks, machines and networks of several figures.
package cnfapaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// Experiments returns the figures and tables of paper cnfa, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{
		features(),
		fig1(),
		fig2(),
		fig3(),
		fig4(),
		fig5(),
		fig6(),
		fig7(),
		fig8(),
		fig9(),
		fig10(),
		fig11(),
		fig12(),
	}
}
