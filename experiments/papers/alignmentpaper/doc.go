// Package alignmentpaper has experiments on what networks and kernel machines learn besides the statements of the five
// papers. Their sources are later papers, each named by its experiment.
//
// [Experiments] lists them.
package alignmentpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// Experiments returns the experiments, in the order in which they are listed.
func Experiments() []*study.Experiment {
	return []*study.Experiment{networks(), exact(), modular()}
}
