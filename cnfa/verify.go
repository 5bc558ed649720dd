package cnfa

import (
	"context"
	"runtime"
	"time"

	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
)

// Verification holds the ansatz, layer by layer, of a network.
type Verification struct {
	Images int
	// Labelled is the number of images with a label, Correct how many of them the network classifies
	// correctly.
	Labelled, Correct int
	Layers            []LayerResult
	// Gradients and Comparison are the times that the two parts took.
	Gradients, Comparison time.Duration
	// Backend, Groups and Batch are the backend, the number of groups and the batch size that were used.
	Backend       string
	Groups, Batch int
}

// LayerResult holds the ansatz at one layer.
type LayerResult struct {
	models.LayerInfo
	Ansatz
	// PearsonInit is the similarity of the CNFMs before and after training; it
	// is set if the initial network was given.
	PearsonInit *float64
	// Heads holds the results at the layer's attention heads, in their order, if it has any.
	Heads []HeadResult
	// S is Σδδᵀ/n, with AGOP = WᵀSW. A layer with groups has one block for each group.
	S moment.Moment
	// Alignments holds the results for [Options.Alignments], in their order.
	Alignments []Alignment
}

// Verify measures the ansatz at the layers of a network, in the order of the forward pass: on the first o.Images
// of set, in evaluation mode, over all positions and outputs (cnfa, eq. 2). A layer where the ansatz is not
// defined has its Err set. Verify returns a [*MemoryError], before it begins, if memory does not suffice, the errors
// of the images and of ctx, and an error for outputs that are not finite.
func Verify(ctx context.Context, net *models.Network, set Images, o Options) (*Verification, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	start := time.Now()
	g, err := newGatherer(net, o, span{0, o.Groups}, true)
	if err != nil {
		return nil, err
	}
	defer g.close()
	sums, err := g.gather(ctx, set)
	if err != nil {
		return nil, err
	}
	v := &Verification{Gradients: time.Since(start), Backend: g.workers[0].device.Name(), Batch: g.workers[0].batch}
	g.close()
	runtime.GC() // else the workers' sums stay in memory until the heap has grown enough for the next collection
	if err := v.compare(ctx, g, sums); err != nil {
		return nil, err
	}
	return v, nil
}

// compare sets the layers' results from the moments, which it consumes.
func (v *Verification) compare(ctx context.Context, g *gatherer, sums *gathered) error {
	start := time.Now()
	v.Images, v.Groups, v.Labelled, v.Correct = g.o.Images, g.o.Groups, sums.labelled, sums.correct
	all, err := g.compare(ctx, sums, origin(g.o.FromInitial))
	if err != nil {
		return err
	}
	for _, c := range all {
		v.Layers = append(v.Layers, c.result())
	}
	v.Comparison = time.Since(start)
	return nil
}

// result returns the ansatz for the CNFM of the first origin.
func (c comparedLayer) result() LayerResult {
	r := LayerResult{LayerInfo: c.LayerInfo, Ansatz: c.ansatz[0], PearsonInit: c.pearsonInit, S: c.s,
		Alignments: c.alignments}
	for _, h := range c.heads {
		r.Heads = append(r.Heads, HeadResult{h.ansatz[0], h.pearsonInit})
	}
	return r
}
