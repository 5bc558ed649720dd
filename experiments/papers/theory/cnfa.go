package theory

import (
	"context"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The images of cnfa's theorem: what they show does not matter to it.
const (
	cnfaImages, cnfaPoints = 6, 3
	cnfaSteps              = 100
)

var cnfaShape = models.Shape{Channels: 2, Height: 6, Width: 5}

// checkCNFATheorem checks Theorem 1 of cnfa.
func (t *theory) checkCNFATheorem() error {
	const measure = "‖WᵀW/‖·‖ − AGOP/‖·‖‖, the largest of 3 points,"
	one := study.Statement{Paper: "cnfa", Name: "Theorem 1", Measure: measure,
		Says: "after one step from W = 0, W₁ᵀW₁ ∝ Σ ∂f/∂v ∂f/∂vᵀ at every point (tanh, random head on the mean over " +
			"positions)",
		Note: "Nothing is neglected: W₁ has rank one. The factor may be 0, where the point's own gradient is."}
	example := one
	example.Name, example.Says = "Theorem 1, the example", "the same with all other layers constant (two convolutions)"
	example.Note = "In the example ∂g/∂z is not the same at all positions: windows of the second convolution cover " +
		"those at the border less often. It holds because constant layers make all filters alike."
	shifted := one
	shifted.Name, shifted.Says = "Theorem 1 without g(0) = 0", "the same with a bias in the head"
	shifted.Note = "The proof does not need g(0) = 0: the residual y − g(0) takes the place of y."
	needed := one
	needed.Name, needed.Says = "Theorem 1 needs equal ∂g/∂z", "with a random head on all positions the two differ"
	needed.Note = "What is dropped is the assumption ∂g(0)/∂z_ℓ = ∂g(0)/∂z_ℓ′."
	for _, c := range []struct {
		s    study.Statement
		arch *models.Architecture
		note func(study.Statement, float64, study.Interval)
		want study.Interval
	}{
		{one, pooledNet(models.Tanh{}, false), t.addPrinted, Exact}, {example, constantNet(), t.addPrinted, Exact},
		{shifted, pooledNet(models.Tanh{}, true), t.addBesides, Exact}, {needed, unequalNet(), t.addBesides, matters},
	} {
		l, err := t.newCNFATraining(c.arch, .1)
		if err != nil {
			return err
		}
		worst, err := l.takeStep(t.ctx)
		if err != nil {
			return err
		}
		c.note(c.s, worst, c.want)
	}
	if err := t.checkCNFADual(); err != nil {
		return err
	}
	return t.chartCNFADrift()
}

// chartCNFADrift draws how the proportionality goes as steps follow the first.
func (t *theory) chartCNFADrift() error {
	c := study.Chart{Name: "cnfa-steps", Title: "cnfa: after the first step", XLabel: "step",
		YLabel: "cosine, mean of 3 points",
		Caption: "cnfa, Theorem 1: cosine of W₁ᵀW₁ and the patch-AGOP of one image, of a network trained from W = 0 " +
			"by gradient descent. With a random head on the mean over positions the theorem's assumptions are met, " +
			"with one on all positions ∂g/∂z differs between them."}
	for _, n := range []struct {
		label string
		arch  *models.Architecture
		rate  float64 // at which both learn about as fast
	}{{"head on the mean", pooledNet(models.Tanh{}, false), 1}, {"head on all positions", unequalNet(), .02}} {
		l, err := t.newCNFATraining(n.arch, n.rate)
		if err != nil {
			return err
		}
		s := report.Series{Label: n.label}
		for step := range cnfaSteps {
			if _, err := l.takeStep(t.ctx); err != nil {
				return err
			}
			s.X, s.Y = append(s.X, float64(step+1)), append(s.Y, l.cosine)
		}
		c.Series = append(c.Series, s)
	}
	t.out.Charts = append(t.out.Charts, c)
	return nil
}

// newCNFATraining is a network that learns numbers by the full-batch gradient.
type cnfaTraining struct {
	net        *models.Network
	trainer    *models.Trainer
	device     *backend.Device
	px, y, new []float32 // images, their targets, and images to be judged on
	cosine     float64   // mean over those
}

func (t *theory) newCNFATraining(a *models.Architecture, rate float64) (*cnfaTraining, error) {
	net, err := a.InitNetwork(cnfaShape, 1, t.seed)
	if err != nil {
		return nil, err
	}
	rng := models.Stream(t.seed, "theory/cnfa")
	l := &cnfaTraining{net: net, device: t.device}
	size := cnfaShape.Channels * cnfaShape.Height * cnfaShape.Width
	for range (cnfaImages + cnfaPoints) * size {
		l.px = append(l.px, float32(rng.NormFloat64()))
	}
	l.px, l.new = l.px[:cnfaImages*size], l.px[cnfaImages*size:]
	for range cnfaImages {
		l.y = append(l.y, float32(rng.NormFloat64()))
	}
	l.trainer, err = models.NewTrainer(net, t.device, setups.DescentOptions(cnfaImages, rate, graph.Double))
	return l, err
}

// takeStep takes a step and returns by how much WᵀW and the AGOP of an image differ
// in direction, at the worst of the new images.
func (l *cnfaTraining) takeStep(ctx context.Context) (worst float64, err error) {
	if _, err := l.trainer.StepTowards(ctx, l.px, l.y); err != nil {
		return 0, err
	}
	state := l.trainer.State()
	l.cosine = 0
	size := len(l.new) / cnfaPoints
	for i := range cnfaPoints {
		f, err := l.net.Function(l.device, 1, graph.Double)
		if err != nil {
			return 0, err
		}
		for _, p := range f.Params() { // the trainer's, in double precision
			if v, ok := state.Get("weights/" + p.Name()); ok {
				copy(f.Data(p).Float64s(), v.Float64s())
			}
		}
		agop, err := f.AGOP(ctx, "conv/in", oneImage(cnfaShape, l.new[i*size:][:size]), graph.Outputs{})
		if err != nil {
			return 0, err
		}
		w, _ := state.Get("weights/conv.weight")
		rows := w.Shape()[0]
		cnfm := linalg.Gram(mat.NewDense(rows, w.Size()/rows, append([]float64(nil), w.Float64s()...)))
		u := linalg.MatrixDissimilarity(cnfm, agop)
		if u > worst || u != u {
			worst = u
		}
		l.cosine += linalg.Cosine(cnfm, agop) / cnfaPoints
	}
	return worst, nil
}

// oneImage yields an image as a batch in float64.
func oneImage(s models.Shape, px []float32) func(func(*tensor.Dense, error) bool) {
	v := make([]float64, len(px))
	for i, x := range px {
		v[i] = float64(x)
	}
	return func(yield func(*tensor.Dense, error) bool) {
		yield(tensor.New(tensor.WithShape(1, s.Height, s.Width, s.Channels), tensor.WithBacking(v)), nil)
	}
}
