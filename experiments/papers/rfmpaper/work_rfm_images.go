package rfmpaper

import (
	"github.com/ansatz-lab/ansatz/experiments/cost"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// classifierJobs are a recursive feature machine and a network of images that are
// tested on some sets of as many images; of the machine the first regression and the
// last are.
func classifierJobs(m workload.MachineSize, net setups.NetworkSpec, test, sets int) []cost.Job {
	m.Tested = 2 * sets * test / max(1, m.Iterations+1)
	return []cost.Job{m.Job(), net.Job(setups.MLPSize{Train: m.Train, Tested: test, Tests: sets, Inputs: m.Inputs, Outputs: m.Outputs, Hidden: setups.ImageHiddenLayers})}
}

// Jobs implements [study.Worker].
func (s *SimplicitySpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	m := workload.MachineSize{
		Train: workload.ImagesUsed(s.Train, set.Train), Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes, Iterations: s.Iterations, Sample: s.Sample, Diagonal: s.Diagonal, Reading: set.Reading(s.Train+s.Test, false),
	}
	return classifierJobs(m, s.Net, workload.ImagesUsed(s.Test, set.Tested), 3), err
}

// Jobs implements [study.Worker].
func (s *SpuriousSpec) Jobs() ([]cost.Job, error) {
	set, err := workload.FindDatasetSize(s.Data, 0)
	m := workload.MachineSize{
		Train: workload.ImagesUsed(s.Train, set.Train), Inputs: workload.ValuesPerImage(set.Shape), Outputs: set.Classes, Iterations: s.Iterations, Sample: s.Sample, Diagonal: true, Reading: set.Reading(s.Train+s.Test, false),
	}
	return classifierJobs(m, s.Net, workload.ImagesUsed(s.Test, set.Tested), 4), err
}

// plainMachine is the machine without iterations, as it is fitted on some coordinates: it
// reads the others too.
func plainMachine(m workload.MachineSize, test int) workload.MachineSize {
	m.Iterations, m.Tested, m.Reading = 0, test, cost.Reading{}
	return m
}

// Jobs implements [study.Worker].
func (s *TicketsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t setups.ImageTask) ([]cost.Job, error) {
		m, test, err := t.MachineSize(s.Train, s.Test, s.Iterations, s.Sample)
		plain := plainMachine(m, test).Job()
		return []cost.Job{m.Job(), plain, plain, plain, plain}, err
	})
}

// Jobs implements [study.Worker].
func (s *FeaturesSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t setups.ImageTask) ([]cost.Job, error) {
		m, test, err := t.MachineSize(s.Train, s.Test, s.Iterations, s.Sample)
		net := s.Net.Job(setups.MLPSize{Train: m.Train, Tested: m.Train + test, Tests: 1, Inputs: m.Inputs, Outputs: m.Outputs, Hidden: setups.ImageHiddenLayers})
		return []cost.Job{m.Job(), plainMachine(m, test).Job(), net, spectraJob(m)}, err
	})
}

// spectraJob is the eigenvectors of a task's feature matrices and of two moments of
// the images. It is approximated by AGOPs of as many examples, which take as many
// eigenvectors.
func spectraJob(m workload.MachineSize) cost.Job {
	const matrices, moments = 6, 2
	return cost.Machine{Inputs: float64(m.Inputs), Outputs: 1, Regressions: matrices + 1, Sample: float64(m.Train) * moments / matrices}
}
