package cnfa

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// Filters are the filters of a network's layers, c×d; nil for a layer that it
// does not have. A [models.Network] has them, and a [models.Fresh].
type Filters interface {
	Filters(layer string) *mat.Dense
}

// Options say how to verify, or to track. The zero value takes all outputs of all layers in
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
	// [DefaultGroups]; NullDraws that of the null, 0 for [DefaultNullDraws], or
	// [TrackedNullDraws] of a [Tracker].
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

// groupStart is the first image of the k-th group.
func (o *Options) groupStart(k int) int { return k * o.Images / o.Groups }

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
