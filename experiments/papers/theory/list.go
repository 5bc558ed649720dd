package theory

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the experiment that checks the statements of all papers, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{statements()}
}
