package theory

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// The images for cnfa's theorem, which holds for any images.
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
	example.Name, example.Says = "Theorem 1, the example", "after one step from W = 0 with all other layers "+
		"constant, W₁ᵀW₁ ∝ Σ ∂f/∂v ∂f/∂vᵀ at every point (two convolutions)"
	example.Note = "In the example ∂g/∂z is not the same at all positions: windows of the second convolution " +
		"cover those at the border less often. It holds because constant layers make all filters equal."
	shifted := one
	shifted.Name, shifted.Says = "Theorem 1 without g(0) = 0", "after one step from W = 0 with a bias in the "+
		"head, W₁ᵀW₁ ∝ Σ ∂f/∂v ∂f/∂vᵀ at every point"
	shifted.Note = "The proof does not need g(0) = 0: the residual y − g(0) takes the place of y."
	needed := one
	needed.Name, needed.Says = "Theorem 1 needs equal ∂g/∂z", "after one step from W = 0 with a random head on "+
		"all positions, W₁ᵀW₁ and Σ ∂f/∂v ∂f/∂vᵀ differ"
	needed.Note = "The assumption ∂g(0)/∂z_ℓ = ∂g(0)/∂z_ℓ′ is dropped."
	for _, c := range []struct {
		s    study.Statement
		arch *models.Architecture
		add  func(study.Statement, float64, study.Interval)
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
		c.add(c.s, worst, c.want)
	}
	if err := t.checkCNFADual(); err != nil {
		return err
	}
	return t.chartCNFADrift()
}

// chartCNFADrift draws how WᵀW and the AGOP diverge as more steps follow the first.
func (t *theory) chartCNFADrift() error {
	c := study.Chart{Name: "cnfa-steps", Title: "Cosine of WᵀW and AGOP during training: cnfa, Theorem 1", XLabel: "step",
		YLabel: "cosine, mean of 3 points",
		Caption: "cnfa, Theorem 1: cosine of W₁ᵀW₁ and the patch-AGOP of one image, of a network trained from W = 0 " +
			"by gradient descent. With a random head on the mean over positions the theorem's assumptions are met, " +
			"with one on all positions ∂g/∂z differs between them."}
	for _, n := range []struct {
		label string
		arch  *models.Architecture
		rate  float64 // the learning rate at which both learn about equally fast
	}{{"head on the mean", pooledNet(models.Tanh{}, false), 1}, {"head on all positions", unequalNet(), .02}} {
		l, err := t.newCNFATraining(n.arch, n.rate)
		if err != nil {
			return err
		}
		var cosines []float64
		for range cnfaSteps {
			if _, err := l.takeStep(t.ctx); err != nil {
				return err
			}
			cosines = append(cosines, l.cosine)
		}
		c.Series = append(c.Series, record.NumberedSeries(n.label, cosines))
	}
	t.out.Charts = append(t.out.Charts, c)
	return nil
}

// cnfaTraining is a network that is trained on images with numbers as targets, by full-batch gradient descent.
type cnfaTraining struct {
	net        *models.Network
	trainer    *models.Trainer
	device     *backend.Device
	px, y, new []float32 // images, their targets, and new images
	cosine     float64   // cosine of WᵀW and the AGOP, mean over the new images
}

// newCNFATraining returns the training of a network at a learning rate, on random images.
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

// takeStep takes a step and returns the largest distance, over the new images, between the directions of WᵀW and of
// the image's AGOP.
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
		cnfm := backend.Gram(mat.NewDense(rows, w.Size()/rows, append([]float64(nil), w.Float64s()...)))
		worst = max(worst, linalg.MatrixDissimilarity(cnfm, agop))
		l.cosine += linalg.Cosine(cnfm, agop) / cnfaPoints
	}
	return worst, nil
}

// oneImage yields an image as a batch in float64.
func oneImage(s models.Shape, px []float32) func(func(*tensor.Dense, error) bool) {
	v := make([]float64, len(px))
	values.Convert(v, px)
	return func(yield func(*tensor.Dense, error) bool) {
		yield(tensor.New(tensor.WithShape(1, s.Height, s.Width, s.Channels), tensor.WithBacking(v)), nil)
	}
}

// checkCNFADual checks the dual activation of ReLU in section 3.1 of cnfa, 2E[φ(u)φ(v)]
// for u = wᵀa and v = wᵀb, w ~ N(0, I), with φ = ReLU.
func (t *theory) checkCNFADual() error {
	m := linalg.Gaussian(models.Stream(t.seed, "theory/cnfa/dual"), 2, 5, 1)
	a, b := m.RowView(0), m.RowView(1)
	x, y, dot := mat.Norm(a, 2), mat.Norm(b, 2), mat.Dot(a, b)
	angle := math.Acos(dot / (x * y))
	// In the plane of a and b, w has a uniformly distributed angle θ from a, and a length r with E[r²] = 2. Both u =
	// rx·cos θ and v = ry·cos(θ − angle) are positive for θ from angle − π/2 to π/2.
	want := 2 / math.Pi * x * y * quad.Fixed(func(s float64) float64 { return math.Cos(s) * math.Cos(s-angle) },
		angle-math.Pi/2, math.Pi/2, 40, nil, 0)
	dual := func(root float64) float64 { return (dot*(math.Pi-angle) + root) / math.Pi }
	s := study.Statement{Paper: "cnfa", Name: "section 3.1, dual activation",
		Says:    "for ReLU the dual activation is (aᵀb(π − arccos(aᵀb/‖a‖‖b‖)) + √(‖a‖²‖b‖² − aᵀb))/π",
		Measure: "relative error",
		Note:    "aᵀb under the root lacks its square."}
	printed := math.Sqrt(math.Max(0, x*x*y*y-dot))
	t.addPrinted(s, math.Abs(dual(printed)-want)/want, Exact)
	s.Says, s.Note = "for ReLU the dual activation is (aᵀb(π − arccos(aᵀb/‖a‖‖b‖)) + √(‖a‖²‖b‖² − (aᵀb)²))/π",
		"It is 2E[φ(wᵀa)φ(wᵀb)], that of φ = √2·ReLU."
	t.addPutRight(s, math.Abs(dual(math.Sqrt(x*x*y*y-dot*dot))-want)/want, Exact)
	return nil
}

// layerSchemes has an initialisation for each layer, the last one for all further layers.
type layerSchemes []models.Scheme

// Draw implements models.Scheme.
func (s layerSchemes) Draw(rng *rand.Rand, dst []float32, at models.Place) {
	s[min(at.Layer, len(s)-1)].Draw(rng, dst, at)
}

// String implements models.Scheme.
func (s layerSchemes) String() string { return "a scheme for each layer" }

// pooledNet returns a convolution that starts from 0, with a random linear layer on the means over all positions, so
// that ∂g/∂z is the same at all of them.
func pooledNet(activation models.Layer, bias bool) *models.Architecture {
	a := convFromZero(activation)
	a.Root = append(a.Root.(models.Sequential),
		models.Named{Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
		models.Named{Name: "head", Layer: models.Linear{NoBias: !bias}})
	return a
}

// constantNet returns the paper's example, extended by a second convolution: all layers but the first are constant.
func constantNet() *models.Architecture {
	a := convFromZero(models.Tanh{})
	a.Root = append(a.Root.(models.Sequential),
		models.Named{Name: "second", Layer: models.Conv{Filters: 3, Kernel: [2]int{2, 2}, NoBias: true}},
		models.Named{Layer: models.Tanh{}},
		models.Named{Layer: models.Flatten{}}, models.Named{Name: "head", Layer: models.Linear{NoBias: true}})
	a.Init = models.Init{Conv: layerSchemes{models.Constant(0), models.Constant(.3)}, Linear: models.Constant(.2)}
	return a
}

// unequalNet returns a convolution that starts from 0, with a random linear layer on all positions, so that ∂g/∂z
// differs between positions, contrary to the assumption.
func unequalNet() *models.Architecture {
	a := convFromZero(models.Tanh{})
	a.Root = append(a.Root.(models.Sequential), models.Named{Layer: models.Flatten{}},
		models.Named{Name: "head", Layer: models.Linear{NoBias: true}})
	return a
}

// convFromZero returns a convolution with zero filters, to which a head is added.
func convFromZero(activation models.Layer) *models.Architecture {
	return &models.Architecture{
		Name: "one convolution from 0", Input: cnfaShape,
		Root: models.Sequential{{Name: "conv", Layer: models.Conv{Filters: 4, Kernel: [2]int{3, 3}, NoBias: true}},
			{Layer: activation}},
		Init: models.Init{Conv: models.Constant(0), Linear: models.Normal{1}, LinearBias: models.Constant(.7)},
	}
}
