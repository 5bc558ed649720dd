package workload

import (
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/models"
)

// TrainingSize is how much a training is.
type TrainingSize struct {
	Train, Tested int // images
	Tests         int // how often the latter are; 0 is after every epoch
	Batch, Epochs int
	Reading       cost.Reading
}

// Job is the training of a network.
func (l TrainingSize) Job(net cost.Net) cost.Training {
	batch := max(1, min(l.Batch, l.Train))
	tests := l.Tests
	if tests == 0 {
		tests = l.Epochs
	}
	return cost.Training{
		Net: net, Reading: l.Reading, Batch: float64(batch),
		Steps:  float64(l.Epochs) * float64((l.Train+batch-1)/batch),
		Images: float64(l.Epochs) * float64(l.Train),
		Tested: float64(tests) * float64(l.Tested),
	}
}

// VerificationSize is how much a verification is.
type VerificationSize struct {
	Images, Groups int
	Outputs        int // that are differentiated, or probes
	Batch          int // at a time, as it was chosen; 0 is not known
	Draws          int // of the null
	Threads        int // each with a batch
	Reading        cost.Reading
}

// Gathering is the gradients of some groups of a verification of some layers, for
// which images go through all.
func (v VerificationSize) Gathering(all, chosen []models.LayerInfo, groups int) cost.Verification {
	perGroup := v.perGroup()
	j := cost.Verification{
		Net: cost.NetOf(all), Reading: v.Reading, Images: math.Min(float64(v.Images), float64(groups)*float64(perGroup)),
		Outputs: float64(v.Outputs), Workers: float64(max(1, min(v.Threads, groups))),
	}
	j.Batch = v.batchOf(j.Net, perGroup)
	j.Scaled *= j.Images / float64(max(1, v.Images))
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
func (v VerificationSize) perGroup() int { return (v.Images + v.Groups - 1) / max(1, v.Groups) }

// batchOf is about how many images package cnfa takes at a time: what a worker may
// take holds the values of so many, and their cotangents.
func (v VerificationSize) batchOf(net cost.Net, perGroup int) float64 {
	most := float64(v.Batch)
	if most == 0 {
		most = min(cnfa.MemoryPerWorker/max(1, 2*4*net.Values), cnfa.CacheImages)
	}
	return float64(parallel.Evenly(max(1, perGroup), max(1, int(most))))
}

// Jobs are a verification of some layers of a network.
func (v VerificationSize) Jobs(all, chosen []models.LayerInfo) []cost.Job {
	if v.Groups == 0 {
		v.Groups = min(cnfa.DefaultGroups, v.Images)
	}
	if v.Draws == 0 {
		v.Draws = cnfa.DefaultNullDraws
	}
	return []cost.Job{v.Gathering(all, chosen, v.Groups), v.Comparing(all, chosen)}
}
