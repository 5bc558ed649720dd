// Package ntkpaper contains the figures and tables of the paper ntk, "Feature learning and random features in standard
// finite-width CNNs".
//
// [Experiments] lists them. Each file is named after its figures or tables; those that share a run share a file. Figs.
// 2 to 5 also share gap.go, and Fig. A.2 is in trajectories.go. Two experiments are not in the paper: threshold.go and
// kernel_change.go.
package ntkpaper

import "github.com/ansatz-lab/ansatz/experiments/study"

// Experiments returns the figures and tables of paper ntk, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{
		fig2(),
		fig3(),
		fig4(),
		fig5(),
		fig6(),
		fig7(),
		figA2(),
		table1(),
		table2(),
		threshold(),
		kernelChange(),
	}
}
