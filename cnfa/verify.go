package cnfa

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"time"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// Images are what a network is verified on, normalised as it wants them.
type Images interface {
	// Load writes the images lo ≤ i < hi into px, (image, row, column, channel),
	// and their labels, -1 where there is none. It may be called by several
	// goroutines at once.
	Load(ctx context.Context, lo, hi int, px []float32, labels []int) error
}

// Filters are the filters of a network's layers, c×d; nil for a layer that it
// does not have. A [models.Network] has them, and a [models.Fresh].
type Filters interface {
	Filters(layer string) *mat.Dense
}

// Options say how to verify. The zero value takes all outputs of all layers in
// single precision on all cores.
type Options struct {
	// Images is how many, from the first on.
	Images int
	// Probes is the number of random cotangents an image, 0 for every output.
	Probes int
	// Layers selects layers by name; nil for all.
	Layers *regexp.Regexp
	// Initial has the filters before training; nil if they are not known.
	Initial Filters
	// FromInitial takes W − W₀ in place of W for the CNFM.
	FromInitial bool
	// Groups is the number of groups of images for the jackknife, 0 for
	// [DefaultGroups]; NullDraws that of the null, 0 for [DefaultNullDraws].
	Groups, NullDraws int
	// Batch is the largest number of images at a time, 0 for what suits the
	// caches and [MemoryPerWorker].
	Batch int
	// Memory is how many bytes may be taken, 0 for no limit. More is refused
	// with a [*MemoryError] before anything is computed.
	Memory int64
	// Seed is that of probes and nulls.
	Seed uint64
	// Precision is that of the graph.
	Precision graph.Precision
	// Backend and Threads are those of the devices.
	Backend string
	Threads int
	// Progress, if not nil, is told how far the work is, by one goroutine at a
	// time.
	Progress func(Progress)
}

// What the zero values of [Options] stand for.
const (
	DefaultGroups    = 20
	DefaultNullDraws = 50
)

// A layer with at least WideLayer filters and patch elements has at most
// WideDraws draws of the null, because each takes seconds.
const (
	WideLayer = 2048
	WideDraws = 10
)

// Progress is how far a verification is: Done of Total backward passes over an
// image, then Done of Total layers compared.
type Progress struct {
	Stage       string
	Done, Total int
}

// Verification is the ansatz, layer by layer, of a network.
type Verification struct {
	Images int
	// Labelled is the number of images with a label, Correct that of those
	// which the network gets right.
	Labelled, Correct int
	Layers            []LayerResult
	// Gradients and Comparison are how long either part took.
	Gradients, Comparison time.Duration
	// Backend, Groups and Batch are what was used.
	Backend       string
	Groups, Batch int
}

// LayerResult is the ansatz at one layer.
type LayerResult struct {
	models.LayerInfo
	Ansatz
	// PearsonInit is the similarity of the CNFMs before and after training; it
	// is set if the initial network was given.
	PearsonInit *float64
	// S is Σδδᵀ/n, by which AGOP = WᵀSW.
	S graph.Moment
}

// Verify measures the ansatz at the layers of a network.
func Verify(ctx context.Context, net *models.Network, set Images, o Options) (*Verification, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	start := time.Now()
	g, err := newGatherer(net, o)
	if err != nil {
		return nil, err
	}
	defer g.close()
	sums, err := g.gather(ctx, set)
	if err != nil {
		return nil, err
	}
	v := &Verification{
		Images: o.Images, Labelled: sums.labelled, Correct: sums.correct, Gradients: time.Since(start),
		Backend: g.workers[0].device.Name(), Groups: o.Groups, Batch: g.workers[0].batch,
	}
	start = time.Now()
	all, err := g.compare(ctx, sums, origin(o.FromInitial))
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		v.Layers = append(v.Layers, LayerResult{LayerInfo: c.LayerInfo, Ansatz: c.ansatz[0], PearsonInit: c.pearsonInit, S: c.s})
	}
	v.Comparison = time.Since(start)
	return v, nil
}

func (o *Options) check() error {
	if o.Images < 1 {
		return fmt.Errorf("cnfa: %d images: want at least 1", o.Images)
	}
	if o.Probes < 0 || o.Groups < 0 || o.NullDraws < 0 || o.Batch < 0 || o.Threads < 0 {
		return errors.New("cnfa: probes, groups, draws, batch and threads must be at least 0")
	}
	if o.FromInitial && o.Initial == nil {
		return errors.New("cnfa: W − W₀ needs the initial weights")
	}
	if o.Groups == 0 {
		o.Groups = DefaultGroups
	}
	o.Groups = min(o.Groups, o.Images)
	if o.NullDraws == 0 {
		o.NullDraws = DefaultNullDraws
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return nil
}

func (o *Options) choose(net *models.Network) []models.LayerInfo {
	var chosen []models.LayerInfo
	for _, l := range net.Layers() {
		if o.Layers == nil || o.Layers.MatchString(l.Name) {
			chosen = append(chosen, l)
		}
	}
	return chosen
}

func (o *Options) report(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}
