// Package rfmpaper contains the figures and tables of the paper rfm, "Feature learning in neural networks and kernel
// machines that recursively learn features".
//
// [Experiments] lists them. Figure or table N is in figN.go or tableN.go, with these exceptions:
//
//   - features.go: Figs. 1, 2 and 15, the features of networks and machines.
//   - depth_polynomials.go: Figs. 10 and 14, and depth_images.go: Figs. 11, 12 and 13. Both
//     build on depth.go.
//   - package rfmtables: Figs. 4 and 5 and Tables 2 to 5, the benchmarks on tables.
//   - notebooks.go: the notebooks of the paper's authors.
//
// Figs. 8 and 9 build on classifiers.go.
package rfmpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/papers/rfmtables"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the figures and tables of paper rfm, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{
		fig1(),
		fig2(),
		fig3(),
		rfmtables.Fig4(),
		rfmtables.Fig5(),
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
		rfmtables.Table(2),
		rfmtables.Table(3),
		rfmtables.Table(4),
		rfmtables.Table(5),
		tutorial(),
		lowRankNotebook(),
	}
}
