package experiments

import (
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/spread"
)

// All returns the experiments of the five papers, in the order in which they are listed.
// They are the caller's own: changing them changes nothing else.
func All() Catalogue {
	return slices.Concat(
		cnfaExperiments(), rfmExperiments(), hyperbfExperiments(), energyExperiments(), ntkExperiments(), theoryExperiments(),
	)
}

// OpenJob opens the job of a plan on this machine, whatever its kind. It returns an
// [*InputError] for a plan that another version of ansatz made, or one for another backend.
func OpenJob(p *spread.Plan, in JobSetting) (spread.Job, error) {
	return jobKinds{
		runKind:     runJobs(All()),
		verifyKind:  openVerifyJob,
		convRFMKind: openConvRFMJob,
		tabularKind: openTabularJob,
		trainKind:   openTrainJob,
	}.open(p, in)
}
