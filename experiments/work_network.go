package experiments

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/internal/share"
	"github.com/ansatz-lab/ansatz/models"
)

// lessonSize is how much a training is.
type lessonSize struct {
	train, tested int // images
	tests         int // how often the latter are; 0 is after every epoch
	batch, epochs int
	reading       need.Reading
}

// job is the training of a network.
func (l lessonSize) job(net need.Net) need.Training {
	batch := max(1, min(l.batch, l.train))
	tests := l.tests
	if tests == 0 {
		tests = l.epochs
	}
	return need.Training{
		Net: net, Reading: l.reading, Batch: float64(batch),
		Steps:  float64(l.epochs) * float64((l.train+batch-1)/batch),
		Images: float64(l.epochs) * float64(l.train),
		Tested: float64(tests) * float64(l.tested),
	}
}

// job is what training a network with such layers takes, on data that is open.
func (t *Training) job(layers []models.LayerInfo) need.Job {
	l := lessonSize{train: t.data.train.Len(), batch: t.spec.Batch, epochs: t.spec.Epochs}
	for _, set := range []data.Dataset{t.data.validation, t.data.test} {
		if set != nil {
			l.tested += set.Len()
		}
	}
	l.reading = readingOf(t.spec.Data, t.spec.Size, l.train+l.tested, t.data.normalisation.Name == bySet)
	job := l.job(need.NetOf(layers))
	if t.spec.Steps > 0 && float64(t.spec.Steps) < job.Steps {
		share := float64(t.spec.Steps) / job.Steps
		job.Steps, job.Images, job.Tested = job.Steps*share, job.Images*share, job.Tested*share
	}
	if t.spec.Linearized {
		return need.LinearTraining{Training: job}
	}
	return job
}

// verifySize is how much a verification is.
type verifySize struct {
	images, groups int
	outputs        int // that are differentiated, or probes
	batch          int // at a time, as it was chosen; 0 is not known
	draws          int // of the null
	threads        int // each with a batch
	reading        need.Reading
}

// gathering is the gradients of some groups of a verification of some layers, for
// which images go through all.
func (v verifySize) gathering(all, chosen []models.LayerInfo, groups int) need.Verification {
	perGroup := v.perGroup()
	j := need.Verification{
		Net: need.NetOf(all), Reading: v.reading, Images: math.Min(float64(v.images), float64(groups)*float64(perGroup)),
		Outputs: float64(v.outputs), Workers: float64(max(1, min(v.threads, groups))),
	}
	j.Batch = v.batchOf(j.Net, perGroup)
	j.Scaled *= j.Images / float64(max(1, v.images))
	for _, l := range chosen {
		moment := v.moment(l, j.Batch)
		moments := moment.numbers(float64(l.Filters))
		j.Moments += float64(groups) * moments
		if !moment.few {
			j.Squares += float64(l.Filters) * float64(l.Filters) * float64(l.Positions)
		}
		if moment.together {
			j.Sums += j.Images / j.Batch * moments
		}
		j.Held += j.Workers * moments
	}
	return j
}

// perGroup is how many images a group has.
func (v verifySize) perGroup() int { return (v.images + v.groups - 1) / max(1, v.groups) }

// batchOf is about how many images package cnfa takes at a time: what a worker may
// take holds the values of so many, and their cotangents.
func (v verifySize) batchOf(net need.Net, perGroup int) float64 {
	most := float64(v.batch)
	if most == 0 {
		most = min(cnfa.MemoryPerWorker/max(1, 2*4*net.Values), cnfa.CacheImages)
	}
	return float64(share.Evenly(max(1, perGroup), max(1, int(most))))
}

// jobs are a verification of some layers of a network.
func (v verifySize) jobs(all, chosen []models.LayerInfo) []need.Job {
	if v.groups == 0 {
		v.groups = min(cnfa.DefaultGroups, v.images)
	}
	if v.draws == 0 {
		v.draws = cnfa.DefaultNullDraws
	}
	return []need.Job{v.gathering(all, chosen, v.groups), v.comparing(all, chosen)}
}

// size is that of the verification.
func (v *Verification) size() verifySize {
	o := v.options
	s := verifySize{
		images: o.Images, groups: o.Groups, outputs: v.net.Classes, batch: o.Batch, draws: o.NullDraws, threads: o.Threads,
		reading: v.spec.DataSpec.reading(o.Images, v.source.loader.Normalisation.Name == bySet),
	}
	if s.groups == 0 {
		s.groups = min(cnfa.DefaultGroups, o.Images)
	}
	if s.draws == 0 {
		s.draws = cnfa.DefaultNullDraws
	}
	if o.Probes > 0 {
		s.outputs = o.Probes
	}
	return s
}

// chosenLayers are the layers that are verified.
func (v *Verification) chosenLayers() []models.LayerInfo {
	var chosen []models.LayerInfo
	for _, l := range v.net.Layers() {
		if v.options.Layers == nil || v.options.Layers.MatchString(l.Name) {
			chosen = append(chosen, l)
		}
	}
	return chosen
}

// job is what the kernel of one network takes.
func (m *NTKMeasurement) job() need.Tangents {
	j := need.TangentsOf(m.net.Layers(), m.source.set.Len(), m.net.Classes)
	j.Reading = m.spec.DataSpec.reading(m.spec.Images, m.source.loader.Normalisation.Name == bySet)
	return j
}
