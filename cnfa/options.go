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

// Filters returns the filters of a network's layers, c×d; nil for a layer that it does not have.
// [models.Network] and [models.Fresh] implement it.
type Filters interface {
	Filters(layer string) *mat.Dense
}

// Options says how to verify, or to track, a network. By default it is verified with all outputs, at all layers,
// in single precision, on all cores.
type Options struct {
	// Images is the number of images; the first ones of the set are used.
	Images int
	// Probes is the number of random cotangents per image; 0 uses every output instead.
	Probes int
	// Layers selects layers by name; nil for all.
	Layers *regexp.Regexp
	// Initial has the filters before training; nil if they are not known.
	Initial Filters
	// FreshInitial says that Initial is a fresh initialisation and not the one that the network was trained from.
	// Statements about W − W₀ are then not measured.
	FreshInitial bool
	// FromInitial compares the CNFM of W − W₀ instead of that of W.
	FromInitial bool
	// Groups is the number of groups of images for the jackknife; 0 is [DefaultGroups]. NullDraws is the
	// number of draws of the null; 0 is [DefaultNullDraws] or, for a [Tracker], [TrackedNullDraws].
	Groups, NullDraws int
	// Powers are exponents α for which M is compared with A^α too. Each draw of the null then solves one more
	// eigenproblem.
	Powers []float64
	// Alignments are the names of the statements that are measured besides the ansatz; see [Statements]. Those about the
	// loss use the cross-entropy of the images' labels.
	Alignments []string
	// WeightDecay is the weight decay of the training, for the statements that need one; nil if it is not known.
	WeightDecay *float64
	// IgnoreLabels says that the labels of the images do not belong to the network's outputs.
	IgnoreLabels bool
	// Batch is the largest number of images at a time; 0 chooses one for the caches and [MemoryPerWorker].
	Batch int
	// Memory bounds the memory in bytes; 0 is no limit. A verification that would take more returns a
	// [*MemoryError] before it begins.
	Memory int64
	// Seed is the seed of the probes and the nulls.
	Seed uint64
	// Precision is the precision of the network's graph.
	Precision graph.Precision
	// Backend is the backend of the devices; "" is the default one. Threads is the number of threads; 0 is all cores.
	Backend string
	Threads int
	// Progress, if not nil, is called with the progress, from one goroutine at a time.
	Progress func(Progress)
}

// Defaults of [Options].
const (
	DefaultGroups    = 20
	DefaultNullDraws = 50
)

// A layer with at least WideLayer filters and patch elements gets at most WideDraws draws of the null: a draw takes about c³
// operations for c filters, and the more filters there are, the less one draw differs from another.
const (
	WideLayer = 640
	WideDraws = 10
)

// Progress reports the progress of a verification: Done of Total backward passes of an image, then Done of Total layers
// compared.
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
	for _, alpha := range o.Powers {
		if !(alpha > 0) {
			return fmt.Errorf("cnfa: AGOP to the power of %v: want more than 0", alpha)
		}
	}
	if _, err := o.statements(); err != nil {
		return err
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

// groupStart returns the first image of the k-th group.
func (o *Options) groupStart(k int) int { return k * o.Images / o.Groups }

// largestGroup returns the number of images in the largest group.
func (o *Options) largestGroup() int { return (o.Images + o.Groups - 1) / o.Groups }

// Chosen returns the layers of a network that Layers selects.
func (o *Options) Chosen(net *models.Network) []models.LayerInfo {
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
