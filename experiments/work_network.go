package experiments

import (
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
		Steps:  float64(l.epochs * (l.train / batch)),
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
	l.reading = readingOf(t.spec.Data, t.spec.Size, l.train+l.tested)
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
	reading        need.Reading
}

// gathering is the gradients of some groups of a verification.
func (v verifySize) gathering(layers []models.LayerInfo, groups int) need.Verification {
	perGroup := (v.images + v.groups - 1) / max(1, v.groups)
	batch := min(perGroup, largestVerifyBatch)
	if v.batch > 0 {
		batch = min(perGroup, v.batch)
	}
	j := need.Verification{
		Net: need.NetOf(layers), Reading: v.reading, Images: float64(min(v.images, groups*perGroup)), Outputs: float64(v.outputs), Batch: float64(max(1, batch)),
	}
	for _, l := range layers {
		j.Moments += float64(groups) * float64(l.Filters) * float64(min(l.Filters, perGroup*v.outputs*l.Positions))
	}
	return j
}

// largestVerifyBatch is how many images package cnfa takes at a time at most, unless
// told otherwise.
const largestVerifyBatch = 32

// through is the gradients of a verification of some layers, which go through all.
func (v verifySize) through(all, chosen []models.LayerInfo) need.Verification {
	j := v.gathering(chosen, v.groups)
	squares := j.Squares
	j.Net = need.NetOf(all)
	j.Squares = squares
	return j
}

// jobs are a verification of some layers of a network.
func (v verifySize) jobs(all, chosen []models.LayerInfo) []need.Job {
	if v.groups == 0 {
		v.groups = min(cnfa.DefaultGroups, v.images)
	}
	if v.draws == 0 {
		v.draws = cnfa.DefaultNullDraws
	}
	return []need.Job{v.through(all, chosen), v.comparing(chosen)}
}

// comparing is the comparison of all layers, after their gradients.
func (v verifySize) comparing(layers []models.LayerInfo) need.Comparison {
	j := need.Comparison{Moments: v.gathering(layers, v.groups).Moments}
	for _, l := range layers {
		c, d, draws := float64(l.Filters), float64(l.PatchSize()), float64(v.draws)
		if min(l.Filters, l.PatchSize()) >= cnfa.WideLayer {
			draws = min(draws, cnfa.WideDraws)
		}
		r := min(c, d, float64(v.images*v.outputs*l.Positions))
		j.Roots += r * r * r
		j.Grams += c * c * (d + r)
		j.Drawn += draws * r * c * c
		j.Largest = max(j.Largest, c*d+c*c)
	}
	return j
}

// size is that of the verification.
func (v *Verification) size() verifySize {
	o := v.options
	s := verifySize{
		images: o.Images, groups: o.Groups, outputs: v.net.Classes, batch: o.Batch, draws: o.NullDraws,
		reading: v.spec.DataSpec.reading(o.Images),
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
	j.Reading = m.spec.DataSpec.reading(m.spec.Images)
	return j
}
