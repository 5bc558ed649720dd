package energypaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the figures and tables of paper energy, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{
		fig1(),
		fig2(),
		fig3(),
		fig4(),
		fig5(),
		fig5b(),
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
		fig17(),
		fig18(),
		table1(),
		table2(),
		table3(),
		table4(),
	}
}
