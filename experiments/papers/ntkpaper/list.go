package ntkpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the figures and tables of paper ntk, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{
		fig2(),
		fig3(),
		fig4(),
		fig5(),
		fig6(),
		fig7(),
		table1(),
		table2(),
		threshold(),
		kernelChange(),
	}
}
