package alignmentpaper

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
)

// exactTraining is the training of one network with full batches, together with the statements to measure after it.
type exactTraining struct {
	name       string // of the network
	network    func() (*models.Network, error)
	images     cnfa.HeldImages
	targets    []float32 // examples × outputs, for the mean squared error; nil for cross-entropy on the labels
	decay      float64   // of the weights
	steps      int
	statements []string
}

// network returns a network of linear layers without biases, with an activation between them.
func (s *ExactSpec) network(widths []int, activation string, outputs int, seed uint64) (*models.Network, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "input = [1, 1, %d]\n[[layer]]\ntype = \"flatten\"\n", s.Features)
	for i, w := range widths {
		fmt.Fprintf(&b, "[[layer]]\ntype = \"linear\"\nname = \"fc%d\"\nbias = false\nout = %d\n", i+1, w)
		if activation != "" {
			fmt.Fprintf(&b, "[[layer]]\ntype = %q\n", activation)
		}
	}
	fmt.Fprintf(&b, "[[layer]]\ntype = \"linear\"\nname = \"fc%d\"\nbias = false\n", len(widths)+1)
	a, err := archfile.Parse([]byte(b.String()))
	if err != nil {
		return nil, err
	}
	return a.InitNetwork(a.Input, outputs, seed)
}

// balance sets every weight of a linear network to a multiple of the identity.
func (s *ExactSpec) balance(n *models.Network) {
	for _, l := range n.Layers() {
		w := n.Value(l.Weight())
		w.Zero()
		for i := range min(w.Shape()[0], w.Shape()[1]) {
			w.Float32s()[i*w.Shape()[1]+i] = .5
		}
	}
}

// seed returns the seed of a network's weights.
func (e *exactRun) seed(name string) uint64 {
	return models.Stream(e.in.Seed, "weights of "+name).Uint64()
}

// descend takes the steps of gradient descent in float64, and stores the result in the network's weights.
func (s *ExactSpec) descend(ctx context.Context, n *models.Network, t exactTraining) error {
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer d.Close()
	o := models.TrainOptions{Batch: s.Examples, Optimiser: models.SGD{LR: s.Rate, WeightDecay: t.decay},
		Loss: models.CrossEntropy, Precision: graph.Double}
	if t.targets != nil {
		o.Loss = models.MeanSquaredError
	}
	trainer, err := models.NewTrainer(n, d, o)
	if err != nil {
		return err
	}
	for range t.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.targets != nil {
			_, err = trainer.StepTowards(ctx, t.images.Pixels, t.targets)
		} else {
			_, err = trainer.Step(ctx, t.images.Pixels, t.images.Labels)
		}
		if err != nil {
			return err
		}
	}
	trainer.Sync()
	return nil
}

// exactNetwork is what was measured of a trained network.
type exactNetwork struct {
	Layers []similarity.LayerAlignments
	// GradientShare is ‖∇L + λw‖/‖λw‖ over all weights, if there is weight decay.
	GradientShare float64
}

// trainAndMeasure trains a network and measures the statements at all of its layers. An undefined statement is an
// error. It keeps the measurements in a checkpoint, so that a resumed run does not train the network again.
func (e *exactRun) trainAndMeasure(ctx context.Context, t exactTraining) (*exactNetwork, error) {
	found, err := study.Keep(e.in, t.name, e.ExactSpec, func() (*exactNetwork, error) {
		n, err := t.network()
		if err != nil {
			return nil, err
		}
		if err := e.descend(ctx, n, t); err != nil {
			return nil, err
		}
		e.in.Report(t.name, 1, 1)
		return e.measure(ctx, n, t)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	for _, l := range found.Layers {
		for _, a := range l.Alignments {
			if a.Undefined != "" {
				return nil, fmt.Errorf("%s: %s: %s: %s", t.name, l.Layer, a.Name, a.Undefined)
			}
		}
	}
	return found, nil
}

// measure measures the statements at all layers of a trained network.
func (e *exactRun) measure(ctx context.Context, n *models.Network, t exactTraining) (*exactNetwork, error) {
	v, err := cnfa.Verify(ctx, n, t.images, cnfa.Options{Images: len(t.images.Labels), Groups: 2, Alignments: t.statements,
		WeightDecay: &t.decay, Precision: graph.Double, Seed: e.in.Seed, Threads: e.in.Threads})
	if err != nil {
		return nil, err
	}
	found := new(exactNetwork)
	for _, l := range v.Layers {
		found.Layers = append(found.Layers, similarity.LayerAlignments{Layer: l.Name,
			Alignments: similarity.NewAlignmentRecords(l.Alignments)})
	}
	if t.decay > 0 {
		found.GradientShare, err = e.gradientShare(ctx, n, t.images)
	}
	return found, err
}

// gradientShare returns ‖∇L + λw‖/‖λw‖ over all weights.
func (e *exactRun) gradientShare(ctx context.Context, n *models.Network, images cnfa.HeldImages) (float64, error) {
	var left, all float64
	o := cnfa.Options{Images: len(images.Labels), Groups: 1, Alignments: []string{cnfa.FACT}, Precision: graph.Double}
	err := cnfa.Gather(ctx, n, images, o, 0, 1, func(_ int, p *cnfa.Part) error {
		for i, l := range n.Layers() {
			w, g := n.Filters(l.Name).RawMatrix().Data, p.Loss[i].Gradient.RawMatrix().Data
			for k := range w {
				left += math.Pow(g[k]/float64(len(images.Labels))+e.Decay*w[k], 2)
				all += math.Pow(e.Decay*w[k], 2)
			}
		}
		return nil
	})
	return math.Sqrt(left / all), err
}
