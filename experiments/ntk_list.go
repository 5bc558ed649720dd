package experiments

// ntkExperiments returns the figures and tables of paper ntk, in the order in which they are listed.
func ntkExperiments() []*Experiment {
	return []*Experiment{
		ntkFig2(),
		ntkFig3(),
		ntkFig4(),
		ntkFig5(),
		ntkFig6(),
		ntkFig7(),
		ntkTable1(),
		ntkTable2(),
		ntkThreshold(),
		ntkKernel(),
	}
}
