// Package alignmentpaper contains experiments on statements about learned features beyond those of the five papers.
// Each experiment names the later paper that it is about.
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
