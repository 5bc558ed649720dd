package experiments

import (
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
)

// spec is the training of the network, but for where its images are.
func (n AnsatzNetwork) spec() TrainSpec {
	l := n.Lessons
	return TrainSpec{
		Arch: n.Arch, Width: n.Width, Init: n.Init, NoDropout: l.NoDropout, Data: n.Data, Size: n.Size, Normalise: n.Normalise,
		Train: l.Train, Test: l.Test, Crop: l.Crop, Flip: l.Flip, Epochs: l.Epochs, Batch: l.Batch,
		Optimiser: l.Optimiser, LR: l.Rate, Momentum: l.Momentum, WeightDecay: l.WeightDecay, Schedule: l.Schedule,
	}
}

// training is the job of the network, none of one whose weights are in a file.
func (n AnsatzNetwork) training() ([]need.Job, error) {
	if n.Weights != "" {
		return nil, nil
	}
	j, err := n.spec().job(false)
	return []need.Job{j}, err
}

// layers are those of the network, and how many classes it has.
func (n AnsatzNetwork) layers() ([]models.LayerInfo, setSize, error) {
	a, set, err := lookupOn(n.Arch, n.Width, n.Data, n.Size)
	if err != nil {
		return nil, set, err
	}
	all, err := layersFor(a, set.shape, set.classes)
	return all, set, err
}

// Jobs implements [Worker]. Of a network they are its training, the verification as
// it is and as it was, and what images are seen as.
func (s *AnsatzSpec) Jobs() ([]need.Job, error) {
	probes, err := parseOutputs(s.Outputs)
	if err != nil {
		return nil, err
	}
	return jobsOf(s.Networks, func(n AnsatzNetwork) ([]need.Job, error) {
		jobs, err := n.training()
		if err != nil {
			return nil, err
		}
		layers, set, err := n.layers()
		if err != nil {
			return nil, err
		}
		convs := convsIn(layers)
		v := verifySize{images: ofImages(s.Images, ofImages(n.Lessons.Train, set.train)), outputs: set.classes}
		if probes > 0 {
			v.outputs = probes
		}
		for range 2 {
			jobs = append(jobs, v.jobs(layers, convs)...)
		}
		if s.Seen.Count > 0 {
			jobs = append(jobs, seenJob(layers, s.Seen.Count))
		}
		return jobs, nil
	})
}

// seenJob is what images are seen as by every convolution. They go through half of
// the network for each, on average, and that for the layer and its rotations.
func seenJob(layers []models.LayerInfo, images int) need.Job {
	passes := float64(len(convsIn(layers))) * (2 + rotations) / 2
	return need.Training{Net: need.NetOf(layers), Batch: 1, Tested: passes * float64(images)}
}

// Jobs implements [Worker].
func (s *PoolingSpec) Jobs() ([]need.Job, error) {
	var all []AnsatzNetwork
	for _, set := range s.Sets {
		for _, pooling := range s.Poolings {
			for _, patch := range s.Patches {
				all = append(all, AnsatzNetwork{
					Arch: fmt.Sprintf("%s:%d", pooling, patch), Width: s.Width, Data: set.Data, Size: set.Size, Lessons: s.Lessons,
				})
			}
		}
	}
	return jobsOf(all, func(n AnsatzNetwork) ([]need.Job, error) {
		jobs, err := n.training()
		if err != nil {
			return nil, err
		}
		layers, set, err := n.layers()
		if err != nil {
			return nil, err
		}
		v := verifySize{images: ofImages(s.Images, ofImages(s.Lessons.Train, set.train)), outputs: set.classes}
		return slices.Concat(jobs, v.jobs(layers, convsIn(layers))), nil
	})
}
