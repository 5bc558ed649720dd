package experiments

// rfmExperiments returns the figures and tables of paper rfm, in the order in which they are listed.
func rfmExperiments() []*Experiment {
	return []*Experiment{
		rfmFig1(),
		rfmFig2(),
		rfmFig3(),
		rfmFig4(),
		rfmFig5(),
		rfmFig6(),
		rfmFig7(),
		rfmFig8(),
		rfmFig9(),
		rfmFig10(),
		rfmFig11(),
		rfmFig12(),
		rfmFig13(),
		rfmFig14(),
		rfmFig15(),
		rfmFig16(),
		rfmTable1(),
		rfmTable2(),
		rfmTable3(),
		rfmTable4(),
		rfmTable5(),
		rfmTutorial(),
		rfmLowRank(),
	}
}
