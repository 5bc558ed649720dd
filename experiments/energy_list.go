package experiments

// energyExperiments returns the figures and tables of paper energy, in the order in which they are listed.
func energyExperiments() []*Experiment {
	return []*Experiment{
		energyFig2(),
		energyFig3(),
		energyFig4(),
		energyFig5(),
		energyFig6(),
		energyFig7(),
		energyFig8(),
		energyFig9(),
		energyFig10(),
		energyFig11(),
		energyFig12(),
		energyFig13(),
		energyFig14(),
		energyFig15(),
		energyFig16(),
		energyFig17(),
		energyFig18(),
		energyTable1(),
		energyTable2(),
		energyTable3(),
		energyTable4(),
	}
}
