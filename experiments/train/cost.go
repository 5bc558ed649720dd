package train

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// Tangents is the kernel of the network of a training on images that it learns or, if
// there are some, on so many.
func (s Spec) Tangents(images int) (cost.Job, error) {
	a, err := input.LookupArchitecture(s.Arch)
	if err != nil {
		return nil, err
	}
	set, err := s.WithDefaults().SetFor(a)
	if err != nil {
		return nil, err
	}
	layers, err := workload.LayersAt(s.Arch, s.Width, set.Shape, set.Classes)
	return cost.TangentsOf(layers, cmp.Or(images, set.Train), set.Classes), err
}

// Job is what training a network with such layers takes, on data that is open.
func (t *Training) Job(layers []models.LayerInfo) cost.Job {
	l := workload.TrainingSize{Train: t.Data.Train.Len(), Batch: t.spec.Batch, Epochs: t.spec.Epochs}
	for _, set := range []data.Dataset{t.Data.Validation, t.Data.Test} {
		if set != nil {
			l.Tested += set.Len()
		}
	}
	l.Reading = workload.ReadingOf(t.spec.Data, t.spec.Size, l.Train+l.Tested, t.Data.Normalisation.Name == workload.ByDataset)
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
