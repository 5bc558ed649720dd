// Package rfmpaper has the figures and tables of the paper rfm, "Feature learning in neural networks and kernel machines that recursively learn features".
//
// A file has one figure or table, or what several share; [Experiments] lists them.
package rfmpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the figures and tables of paper rfm, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{
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
		fig13(),
		fig14(),
		fig15(),
		fig16(),
		table1(),
		table2(),
		table3(),
		table4(),
		table5(),
		tutorial(),
		lowRankNotebook(),
	}
}
