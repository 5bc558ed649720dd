package cnfa

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/ansatz-lab/ansatz/models"
)

// TrackedNullDraws is the default number of draws of the null of a [Tracker]: fewer than of a verification,
// because every measurement draws again.
const TrackedNullDraws = 20

// Tracker measures the ansatz of a network repeatedly during its training, always on the same images: with the
// CNFMs of W and of W − W₀, each with its null. It prepares its devices, programs and images once. The rotations
// of the null are the same in every measurement, so that curves of the null and of the excess show changes of the
// network, not of the draws.
type Tracker struct {
	gatherer *gatherer
	images   HeldImages
}

// Tracked holds the ansatz, layer by layer, of a network at one time of its training.
type Tracked struct {
	Images int
	// Labelled is the number of images with a label, Correct how many of them the network classifies
	// correctly.
	Labelled, Correct int
	Layers            []TrackedLayer
	// Gradients and Comparison are the times that the two parts took.
	Gradients, Comparison time.Duration
}

// TrackedLayer holds the ansatz at one layer at one time of the training, for the CNFM WᵀW like a verification. Both
// CNFMs are compared with the same AGOP, that of the current W. PearsonInit is nil if it is not defined.
type TrackedLayer struct {
	LayerResult
	// Change is the ansatz for (W − W₀)ᵀ(W − W₀), which is not defined before the first step.
	Change Ansatz
}

// NewTracker prepares measurements of a network on the first o.Images of set, which it reads now and keeps.
// o.Initial has the filters before training; it must not share memory with the network, so it is usually a clone.
// o.FromInitial is ignored.
func NewTracker(ctx context.Context, net *models.Network, set Images, o Options) (*Tracker, error) {
	o.NullDraws = cmp.Or(o.NullDraws, TrackedNullDraws)
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Initial == nil {
		return nil, errors.New("cnfa: tracking needs the initial weights")
	}
	images, err := holdImages(ctx, set, o.Images, net.Input)
	if err != nil {
		return nil, err
	}
	g, err := newGatherer(net, o, span{0, o.Groups}, false)
	if err != nil {
		return nil, err
	}
	return &Tracker{gatherer: g, images: images}, nil
}

// Measure measures the network with its current weights. The network must not be trained meanwhile. The same
// weights give the same result to the bit.
func (t *Tracker) Measure(ctx context.Context) (*Tracked, error) {
	start := time.Now()
	sums, err := t.gatherer.gather(ctx, t.images)
	if err != nil {
		return nil, err
	}
	r := &Tracked{Images: t.gatherer.o.Images, Labelled: sums.labelled, Correct: sums.correct,
		Gradients: time.Since(start)}
	start = time.Now()
	all, err := t.gatherer.compare(ctx, sums, fromZero, fromInitial)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		r.Layers = append(r.Layers, TrackedLayer{c.result(), c.ansatz[1]})
	}
	r.Comparison = time.Since(start)
	return r, nil
}

// Close frees the tracker's devices.
func (t *Tracker) Close() { t.gatherer.close() }
