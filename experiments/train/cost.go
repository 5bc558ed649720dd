package train

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// Tangents returns the cost of the tangent kernel of the network, on the given number of images
// or, for 0, on all training images.
func (s Spec) Tangents(images int) (cost.Job, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	o, err := s.Outline(a)
	if err != nil {
		return nil, err
	}
	return cost.TangentsOf(o.Layers, cmp.Or(images, o.Set.Train), o.Set.Classes), nil
}

// Job returns the cost of training a network with the given layers on the open images.
func (t *Training) Job(layers []models.LayerInfo) cost.Job {
	l := workload.TrainingSize{Train: t.data.Train.Len(), Batch: t.spec.Batch, Epochs: t.spec.Epochs}
	for _, set := range []data.Dataset{t.data.Validation, t.data.Test} {
		if set != nil {
			l.Tested += set.Len()
		}
	}
	l.Reading = workload.ReadingOf(t.spec.Data, t.spec.Size, l.Train+l.Tested,
		t.data.Normalisation.Name == workload.ByDataset)
	job := l.Job(cost.NetOf(layers))
	if t.spec.Steps > 0 && float64(t.spec.Steps) < job.Steps {
		share := float64(t.spec.Steps) / job.Steps
		job.Steps, job.Images, job.Tested = job.Steps*share, job.Images*share, job.Tested*share
	}
	if t.spec.Linearized {
		return cost.LinearTraining{Training: job}
	}
	return job
}

// SetFor returns the size of the dataset as the training uses it, with the number of outputs as Classes. It reads no
// images.
func (s Spec) SetFor(a *models.Architecture) (workload.DatasetSize, error) {
	size := s.Size
	if size == 0 && input.ImageSizesVary(s.Data) {
		size = a.Input.Height
	}
	set, err := workload.FindDatasetSize(s.Data, size)
	if err != nil {
		return set, err
	}
	set = set.Of(s.Classes)
	set.Train, set.Tested = workload.ImagesUsed(s.Train, set.Train), workload.ImagesUsed(s.Test, set.Tested)
	labels, err := parseLabelling(s.Labels)
	if err != nil {
		return set, err
	}
	switch labels.kind {
	case OneClass:
		set.Classes = 1
	case someClasses:
		set.Classes = 2
	case splitClasses:
		set.Classes *= labels.parts
	}
	return set, nil
}

// Outline describes a training before any image is read.
type Outline struct {
	Spec   Spec                 // with its defaults
	Set    workload.DatasetSize // as the training uses it
	Layers []models.LayerInfo   // of the network
}

// Outline returns the outline of an architecture's training. It sets the architecture's width to the training's.
func (s Spec) Outline(a *models.Architecture) (Outline, error) {
	o := Outline{Spec: s.WithDefaults()}
	var err error
	if o.Set, err = o.Spec.SetFor(a); err != nil {
		return o, err
	}
	a.Width = s.Width
	o.Layers, err = workload.LayersFor(a, o.Set.Shape, o.Set.Classes)
	return o, err
}

// Job returns the cost of the training. With testLast the test images are scored after the last epoch only, otherwise
// after every epoch.
func (o Outline) Job(testLast bool) cost.Job {
	s, set := o.Spec, o.Set
	l := workload.TrainingSize{Train: set.Train, Tested: set.Tested, Batch: s.Batch, Epochs: s.Epochs,
		Reading: set.Reading(set.Train+set.Tested, s.Normalise == workload.ByDataset)}
	if testLast {
		l.Tests = 1
	}
	job := l.Job(cost.NetOf(o.Layers))
	if s.Linearized {
		return cost.LinearTraining{Training: job}
	}
	return job
}

// JobOf is [Outline.Job] of an architecture.
func (s Spec) JobOf(a *models.Architecture, testLast bool) (cost.Job, error) {
	o, err := s.Outline(a)
	if err != nil {
		return nil, err
	}
	return o.Job(testLast), nil
}

// Job is [Spec.JobOf] of the architecture that is named.
func (s Spec) Job(testLast bool) (cost.Job, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	return s.JobOf(a, testLast)
}

// ConvsIn returns the convolutions among the layers.
func ConvsIn(layers []models.LayerInfo) []models.LayerInfo {
	var all []models.LayerInfo
	for _, l := range layers {
		if l.Kind == "conv" {
			all = append(all, l)
		}
	}
	return all
}
