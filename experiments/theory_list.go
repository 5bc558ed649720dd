package experiments

// theoryExperiments returns the experiment that checks the statements of all papers, in the order in which they are listed.
func theoryExperiments() []*Experiment {
	return []*Experiment{theoryStatements()}
}
