package experiments

// cnfaExperiments returns the figures and tables of paper cnfa, in the order in which they are listed.
func cnfaExperiments() []*Experiment {
	return []*Experiment{
		cnfaFeatures(),
		cnfaFig1(),
		cnfaFig2(),
		cnfaFig3(),
		cnfaFig4(),
		cnfaFig5(),
		cnfaFig6(),
		cnfaFig7(),
		cnfaFig8(),
		cnfaFig9(),
		cnfaFig10(),
		cnfaFig11(),
		cnfaFig12(),
	}
}
