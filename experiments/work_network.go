package experiments

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/need"
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
	perGroup := (v.images + v.groups - 1) / max(1, v.groups)
	j := need.Verification{
		Net: need.NetOf(all), Reading: v.reading, Images: math.Min(float64(v.images), float64(groups)*float64(perGroup)),
		Outputs: float64(v.outputs), Workers: float64(max(1, min(v.threads, groups))),
	}
	j.Squares = need.NetOf(chosen).Squares
	j.Batch = v.batchOf(j.Net, perGroup)
	j.Scaled *= j.Images / float64(max(1, v.images))
	for _, l := range chosen {
		c := float64(l.Filters)
		moments := c * min(c, float64(perGroup)*float64(v.outputs)*float64(l.Positions))
		j.Moments += float64(groups) * moments
		j.Held += j.Workers * moments
	}
	return j
}

// batchOf is about how many images package cnfa takes at a time: what a worker may
// take holds the values of so many, and their cotangents.
func (v verifySize) batchOf(net need.Net, perGroup int) float64 {
	if v.batch > 0 {
		return float64(max(1, min(v.batch, perGroup)))
	}
	fits := cnfa.MemoryPerWorker / max(1, 2*4*net.Values)
	return max(1, min(fits, cnfa.CacheImages, float64(perGroup)))
}

// jobs are a verification of some layers of a network.
func (v verifySize) jobs(all, chosen []models.LayerInfo) []need.Job {
	if v.groups == 0 {
		v.groups = min(cnfa.DefaultGroups, v.images)
	}
	if v.draws == 0 {
		v.draws = cnfa.DefaultNullDraws
	}
	return []need.Job{v.gathering(all, chosen, v.groups), v.comparing(chosen)}
}

// comparing is the comparison of some layers, after their gradients.
func (v verifySize) comparing(layers []models.LayerInfo) need.Comparison {
	j := need.Comparison{Moments: v.gathering(layers, layers, v.groups).Moments}
	for _, l := range layers {
		c, d, draws := float64(l.Filters), float64(l.PatchSize()), float64(v.draws)
		if min(l.Filters, l.PatchSize()) >= cnfa.WideLayer {
			draws = min(draws, cnfa.WideDraws)
		}
		rank := min(c, float64(v.images)*float64(v.outputs)*float64(l.Positions))
		r := min(rank, d)
		j.Roots += r * r * r
		j.Groups += float64(v.groups) * r * r * r
		j.Totals += c * c * c
		j.Grams += c * c * d
		j.Drawn += draws * r * c * min(c, d)
		j.Random += draws * r * c
		j.Largest = max(j.Largest, c*d+c*c)
		j.Left = max(j.Left, float64(v.groups)*r*r)
	}
	return j
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
