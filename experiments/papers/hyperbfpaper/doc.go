// Package hyperbfpaper contains the figures and tables of the paper hyperbf, "AGOP as a greedy approximation of
// gradient descent".
//
// [Experiments] lists them.
package hyperbfpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the figures and tables of paper hyperbf, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{table1()}
}
