// Package ntkpaper has the figures and tables of the paper ntk, "Feature learning and random
// features in standard finite-width CNNs".
//
// [Experiments] lists them. A figure or a table is in the file of its name; those that share a run
// share a file; Figs. 2 to 5 share gap.go besides, and Fig. A.2 is trajectories.go. There are two
// experiments that the paper does not have, threshold.go and kernel_change.go.
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
