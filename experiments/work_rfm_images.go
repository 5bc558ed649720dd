package experiments

import "github.com/ansatz-lab/ansatz/experiments/need"

// classifierJobs are a recursive feature machine and a network of images that are
// tested on some sets of as many images; of the machine the first regression and the
// last are.
func classifierJobs(m machineSize, net NetworkSpec, test, sets int) []need.Job {
	m.tested = 2 * sets * test / max(1, m.iterations+1)
	return []need.Job{m.job(), net.job(mlpSize{m.train, test, sets, m.inputs, m.outputs, imageLayers})}
}

// Jobs implements [Worker].
func (s *SimplicitySpec) Jobs() ([]need.Job, error) {
	set, err := sizeOfSet(s.Data, 0)
	m := machineSize{
		train: ofImages(s.Train, set.train), inputs: pixelsIn(set.shape), outputs: set.classes, iterations: s.Iterations, sample: s.Sample, diagonal: s.Diagonal, reading: set.reading(s.Train+s.Test, false),
	}
	return classifierJobs(m, s.Net, ofImages(s.Test, set.tested), 3), err
}

// Jobs implements [Worker].
func (s *SpuriousSpec) Jobs() ([]need.Job, error) {
	set, err := sizeOfSet(s.Data, 0)
	m := machineSize{
		train: ofImages(s.Train, set.train), inputs: pixelsIn(set.shape), outputs: set.classes, iterations: s.Iterations, sample: s.Sample, diagonal: true, reading: set.reading(s.Train+s.Test, false),
	}
	return classifierJobs(m, s.Net, ofImages(s.Test, set.tested), 4), err
}

// machine is a recursive feature machine that learns a task, tested after the first
// regression and the last, and how many images it is tested on.
func (t ImageTask) machine(train, test, iterations, sample int) (machineSize, int, error) {
	set, err := sizeOfSet(t.Data, t.Size)
	if err != nil {
		return machineSize{}, 0, err
	}
	set = set.of(t.Classes)
	test = ofImages(test, set.tested)
	return machineSize{
		train: ofImages(train, set.train), tested: 2 * test / max(1, iterations+1), inputs: pixelsIn(set.shape), outputs: set.classes, iterations: iterations, sample: sample, reading: set.reading(train+test, false),
	}, test, nil
}

// plain is the machine without iterations, as it is fitted on some coordinates: it
// reads the others too.
func (m machineSize) plain(test int) machineSize {
	m.iterations, m.tested, m.reading = 0, test, need.Reading{}
	return m
}

// Jobs implements [Worker].
func (s *TicketsSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Tasks, func(t ImageTask) ([]need.Job, error) {
		m, test, err := t.machine(s.Train, s.Test, s.Iterations, s.Sample)
		plain := m.plain(test).job()
		return []need.Job{m.job(), plain, plain, plain, plain}, err
	})
}

// Jobs implements [Worker].
func (s *FeaturesSpec) Jobs() ([]need.Job, error) {
	return jobsOf(s.Tasks, func(t ImageTask) ([]need.Job, error) {
		m, test, err := t.machine(s.Train, s.Test, s.Iterations, s.Sample)
		net := s.Net.job(mlpSize{m.train, m.train + test, 1, m.inputs, m.outputs, imageLayers})
		return []need.Job{m.job(), m.plain(test).job(), net, spectraJob(m)}, err
	})
}

// spectraJob is the eigenvectors of a task's feature matrices and of two moments of
// the images. It is approximated by AGOPs of as many examples, which take as many
// eigenvectors.
func spectraJob(m machineSize) need.Job {
	const matrices, moments = 6, 2
	return need.Machine{Inputs: float64(m.inputs), Outputs: 1, Regressions: matrices + 1, Sample: float64(m.train) * moments / matrices}
}
