package experiments

import (
	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
)

// setFor is the size of the images that a training reads, and of its network's
// outputs, before the images are open.
func (s TrainSpec) setFor(a *models.Architecture) (setSize, error) {
	size := s.Size
	if size == 0 && imagesVary(s.Data) {
		size = a.Input.Height
	}
	set, err := sizeOfSet(s.Data, size)
	if err != nil {
		return set, err
	}
	set = set.of(s.Classes)
	set.train, set.tested = ofImages(s.Train, set.train), ofImages(s.Test, set.tested)
	labels, err := parseLabelling(s.Labels)
	if err != nil {
		return set, err
	}
	switch labels.kind {
	case oneClass:
		set.classes = 1
	case "pc":
		set.classes = 2
	case splitClasses:
		set.classes *= labels.parts
	}
	return set, nil
}

// jobOf is the training of an architecture, tested after every epoch or after the
// last.
func (s TrainSpec) jobOf(a *models.Architecture, testLast bool) (need.Job, error) {
	s = s.withDefaults()
	set, err := s.setFor(a)
	if err != nil {
		return nil, err
	}
	a.Width = s.Width
	layers, err := layersFor(a, set.shape, set.classes)
	if err != nil {
		return nil, err
	}
	l := lessonSize{train: set.train, tested: set.tested, batch: s.Batch, epochs: s.Epochs, reading: set.reading(set.train+set.tested, s.Normalise == bySet)}
	if testLast {
		l.tests = 1
	}
	job := l.job(need.NetOf(layers))
	if s.Linearized {
		return need.LinearTraining{Training: job}, nil
	}
	return job, nil
}

// job is [TrainSpec.jobOf] of the architecture that is named.
func (s TrainSpec) job(testLast bool) (need.Job, error) {
	a, err := lookup(s.Arch)
	if err != nil {
		return nil, err
	}
	return s.jobOf(a, testLast)
}

// jobsOf are those of each, one after another.
func jobsOf[T any](all []T, of func(T) ([]need.Job, error)) ([]need.Job, error) {
	var jobs []need.Job
	for _, t := range all {
		j, err := of(t)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, j...)
	}
	return jobs, nil
}

// lookupOn is an architecture of a width, and of the size that images have which
// vary in theirs.
func lookupOn(arch string, width float64, set string, size int) (*models.Architecture, setSize, error) {
	a, err := lookup(arch)
	if err != nil {
		return nil, setSize{}, err
	}
	a.Width = width
	s, err := TrainSpec{Data: set, Size: size, Labels: "true"}.setFor(a)
	return a, s, err
}

// convsIn are those of some layers that are convolutions.
func convsIn(layers []models.LayerInfo) []models.LayerInfo {
	var all []models.LayerInfo
	for _, l := range layers {
		if l.Kind == "conv" {
			all = append(all, l)
		}
	}
	return all
}
