// Package cnfapaper has the figures and tables of the paper cnfa, "Mechanism of feature learning in convolutional neural networks".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package cnfapaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

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
