package experiments

// hyperbfExperiments returns the figures and tables of paper hyperbf, in the order in which they are listed.
func hyperbfExperiments() []*Experiment {
	return []*Experiment{hyperbfTable1()}
}
