package cnfa

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
)

// Part holds what [Verify] computes from one group of images. Groups are independent and are added up in their
// order, so that several processes can compute the parts of a verification with the same result, bit for bit.
type Part struct {
	Images            int
	Labelled, Correct int
	// Moments are Σδδᵀ over the group, for every layer in the order of the forward pass, one block for each group.
	Moments []moment.Moment
	// Loss is what statements about the loss and the input need, for every layer; nil if no statement does.
	Loss []LossMoments
	// Backend and Batch are the backend and the batch size that were used, the same for all groups.
	Backend string
	Batch   int
}

// Parts returns the number of groups of images.
func (o Options) Parts() (int, error) {
	err := o.check()
	return o.Groups, err
}

// Gather computes the parts from ≤ k < to, and calls each with them in their order, from one goroutine at a time.
// It ends with the first error of each; its other errors are those of [Verify].
func Gather(ctx context.Context, net *models.Network, set Images, o Options, from, to int,
	each func(k int, p *Part) error) error {
	if err := o.check(); err != nil {
		return err
	}
	if from < 0 || from >= to || to > o.Groups {
		return fmt.Errorf("cnfa: groups %d to %d of %d", from, to, o.Groups)
	}
	g, err := newGatherer(net, o, span{from, to}, false)
	if err != nil {
		return err
	}
	defer g.close()
	w := g.workers[0]
	return g.run(ctx, set, func(*groupResult) {}, func(k int, r *groupResult) error {
		return each(k, &Part{Images: r.images, Labelled: r.labelled, Correct: r.correct, Moments: r.moments,
			Loss: r.loss, Backend: w.device.Name(), Batch: w.batch})
	})
}

// VerifyParts does what [Verify] does, from parts that [Gather] computed with the same options. It calls load for the
// parts in order, from 0 on, and may overwrite them.
func VerifyParts(ctx context.Context, net *models.Network, o Options,
	load func(k int) (*Part, error)) (*Verification, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	defer backend.OneBLASThread()() // as in Gather
	start := time.Now()
	g := &gatherer{net: net, layers: o.Chosen(net), heads: true, o: o, groups: span{0, o.Groups}}
	if err := g.fits(0); err != nil {
		return nil, err
	}
	v := &Verification{}
	sums, err := g.sums(ctx)
	for k := 0; err == nil && k < o.Groups; k++ {
		err = v.addPart(g, sums, k, load)
	}
	if err != nil {
		return nil, err
	}
	v.Gradients = time.Since(start)
	if err := v.compare(ctx, g, sums); err != nil {
		return nil, err
	}
	return v, nil
}

// addPart loads part k and adds it to sums.
func (v *Verification) addPart(g *gatherer, sums *gathered, k int, load func(k int) (*Part, error)) error {
	p, err := load(k)
	if err != nil {
		return err
	}
	if err := g.checkPart(k, p); err != nil {
		return err
	}
	v.Backend, v.Batch = p.Backend, p.Batch
	r := &groupResult{images: p.Images, moments: p.Moments, loss: p.Loss, labelled: p.Labelled, correct: p.Correct}
	sums.fold(r)
	sums.add(r)
	return nil
}

// checkPart returns an error for a part of other images or layers.
func (g *gatherer) checkPart(k int, p *Part) error {
	if want := g.o.groupStart(k+1) - g.o.groupStart(k); p.Images != want {
		return fmt.Errorf("cnfa: part %d is of %d images, want %d", k, p.Images, want)
	}
	if len(p.Moments) != len(g.layers) {
		return fmt.Errorf("cnfa: part %d is of %d layers, want %d", k, len(p.Moments), len(g.layers))
	}
	if n := len(p.Loss); (n != 0) != g.o.needs().lossPass() || n != 0 && n != len(g.layers) {
		return fmt.Errorf("cnfa: part %d has sums for statements at %d layers, want %d", k, n, len(g.layers))
	}
	for i, l := range g.layers {
		if err := g.checkLoss(l, p, i); err != nil {
			return fmt.Errorf("cnfa: part %d, %s: %w", k, l.Name, err)
		}
		if n := p.Moments[i].N(); n != l.Filters {
			return fmt.Errorf("cnfa: part %d, %s: moments of %d filters, want %d", k, l.Name, n, l.Filters)
		}
		if n := len(p.Moments[i].Blocks()); n != l.Blocks() {
			return fmt.Errorf("cnfa: part %d, %s: moments of %d blocks, want %d", k, l.Name, n, l.Blocks())
		}
	}
	return nil
}

// checkLoss returns an error unless a part's sums for statements have the size of l, the i-th layer.
func (g *gatherer) checkLoss(l models.LayerInfo, p *Part, i int) error {
	if len(p.Loss) == 0 {
		return nil
	}
	x, n := p.Loss[i], g.o.needs()
	if x.Loss.N() != l.Filters || len(x.Loss.Blocks()) != l.Blocks() {
		return fmt.Errorf("gradients of the loss of %d filters in %d blocks, want %d in %d", x.Loss.N(),
			len(x.Loss.Blocks()), l.Filters, l.Blocks())
	}
	if read := l.PatchSize() * l.Blocks(); n.inputs && (x.Inputs.N() != read || len(x.Inputs.Blocks()) != l.Blocks()) {
		return fmt.Errorf("inputs of %d elements, want %d", x.Inputs.N(), read)
	}
	if !n.gradient {
		return nil
	}
	if x.Gradient == nil {
		return errors.New("no gradient in the weights")
	}
	if c, d := x.Gradient.Dims(); c != l.Filters || d != l.PatchSize() {
		return fmt.Errorf("a gradient of %d×%d, want %d×%d", c, d, l.Filters, l.PatchSize())
	}
	return nil
}
