package alignmentpaper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ExactSpec has the settings of small networks in which statements are to hold exactly.
type ExactSpec struct {
	Depths   []int   `json:"depths" toml:"depths"` // of linear networks
	Features int     `json:"features" toml:"features"`
	Width    int     `json:"width" toml:"width"` // and number of outputs of the linear networks
	Examples int     `json:"examples" toml:"examples"`
	Steps    int     `json:"steps" toml:"steps"`   // of full batches, of the linear networks
	Settle   int     `json:"settle" toml:"settle"` // steps of the tanh network, enough for its gradient to vanish
	Rate     float64 `json:"rate" toml:"rate"`
	Decay    float64 `json:"decay" toml:"decay"` // the weight decay of the networks that have one
}

// The measures. Those of linear networks are about the first layer, and have the number of layers as their part.
var (
	balancedAlpha    = study.NewMeasure("balanced_alpha")    // |α·L − 1| of the fitted exponent
	balancedPearson  = study.NewMeasure("balanced_pearson")  // with AGOP^{1/L}
	decayedPearson   = study.NewMeasure("decayed_pearson")   // the same from an unbalanced start, with weight decay
	unbalancedLess   = study.NewMeasure("unbalanced_less")   // decayed less undecayed
	stationaryFACT   = study.NewMeasure("stationary_fact")   // least over layers
	stationaryBack   = study.NewMeasure("stationary_bfact")  // least over layers
	stationaryExcess = study.NewMeasure("stationary_excess") // mean normalised excess of FACT
	undecayedFACT    = study.NewMeasure("undecayed_fact")    // with weight decay less without, mean over layers
	gradientShare    = study.NewMeasure("gradient_share")    // ‖∇(ℓ + λ‖w‖²/2)‖/‖λw‖ at the end
)

// exact returns the experiment on statements that hold exactly by a theorem.
func exact() *study.Experiment {
	return &study.Experiment{
		ID: "alignment/exact", Paper: "alignment", Figure: "theorems",
		Title: "Where statements hold exactly: linear networks, and stationary points with weight decay",
		About: study.About{
			Done: "Linear networks of L layers without biases learn a linear map by gradient descent, from weights that are balanced " +
				"and from others. A network with one hidden layer of tanh learns three clusters by gradient descent on the " +
				"cross-entropy, until its gradient vanishes.",
			Controls: []string{
				"Without weight decay an unbalanced linear network keeps its imbalance, and FACT has no stationary point to hold at.",
			},
			Conventions: []string{
				"Balanced means W_{l+1}ᵀW_{l+1} = W_lW_lᵀ (arXiv 2510.15563). Gradient descent keeps that up to its learning rate.",
				"The exponent α is fitted to the spectra of W₁ᵀW₁ and of the AGOP: it makes them most alike.",
				"FACT (arXiv 2507.05644) is WᵀW = −Wᵀ∇_W L/λ, and bfact WWᵀ = −∇_W L·Wᵀ/λ, at a stationary point of L + λ‖w‖²/2.",
				"Training is in float64 with full batches.",
			},
		},
		Claims: exactClaims([]int{2, 3, 4}),
		Seeds:  8, // seeds are cheap
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &ExactSpec{Depths: []int{2, 3, 4}, Features: 6, Width: 3, Examples: 24, Steps: 200, Settle: 200, Rate: .05,
				Decay: .02},
			study.Small: &ExactSpec{Depths: []int{2, 3, 4}, Features: 12, Width: 6, Examples: 100, Steps: 40000, Settle: 200000, Rate: .05,
				Decay: .02},
			study.PaperScale: &ExactSpec{Depths: []int{2, 3, 4}, Features: 48, Width: 24, Examples: 1000, Steps: 200000, Settle: 1000000,
				Rate: .05, Decay: .02},
		},
	}
}

func exactClaims(depths []int) (all []study.Claim) {
	for _, depth := range depths {
		part := strconv.Itoa(depth)
		name := fmt.Sprintf("a linear network of %d layers", depth)
		all = append(all,
			balancedAlpha.Of(part).Claim("In "+name+" with balanced weights W₁ᵀW₁ is proportional to AGOP^α with α = 1/L: "+
				"|α·L − 1| of the fitted exponent.", "0 (2510.15563)", study.AtMost(.01)),
			balancedPearson.Of(part).Claim("In "+name+" with balanced weights W₁ᵀW₁ is proportional to AGOP^{1/L}: Pearson's "+
				"correlation.", "1 (2510.15563)", study.AtLeast(.9999)),
			decayedPearson.Of(part).Claim("In "+name+" with unbalanced weights, weight decay makes W₁ᵀW₁ proportional to "+
				"AGOP^{1/L}: Pearson's correlation.", "1 in the limit (2510.15563)", study.AtLeast(.999)),
			unbalancedLess.Of(part).Check("In "+name+" with unbalanced weights W₁ᵀW₁ is less like AGOP^{1/L} without weight decay "+
				"than with it: difference of the correlations.", study.Above(0)),
		)
	}
	return append(all,
		stationaryFACT.Claim("At a stationary point with weight decay FACT holds exactly: Pearson's correlation of WᵀW and "+
			"−Wᵀ∇_W L, least over the layers of a network of tanh.", "1 (2507.05644)", study.AtLeast(.999)).
			WithControl(stationaryExcess),
		stationaryExcess.Check("At a stationary point with weight decay FACT lies above its null: normalised excess, mean over the "+
			"layers of a network of tanh.", study.AtLeast(.9)),
		stationaryBack.Claim("At a stationary point with weight decay WWᵀ is proportional to −∇_W L·Wᵀ (bfact): Pearson's "+
			"correlation, least over the layers of a network of tanh.", "1 (2507.05644)", study.AtLeast(.999)),
		undecayedFACT.Check("FACT needs the weight decay that it is about: correlation with weight decay less that without, mean "+
			"over the layers of a network of tanh.", study.Above(0)),
		gradientShare.Check("The gradient of the decayed loss vanishes in the network of tanh: its norm over that of the decay.",
			study.AtMost(1e-3)),
	)
}

// Run implements [study.Spec].
func (s *ExactSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Depths) == 0 || slices.Min(s.Depths) < 1 || s.Features < s.Width || s.Width < 2 || s.Examples < 2 || s.Steps < 1 ||
		s.Settle < 1 || !(s.Rate > 0) || !(s.Decay > 0) {
		return nil, input.Errorf("depths %v, width %d of %d features, %d examples, %d steps and %d to settle, rate %v, decay %v: "+
			"want depths of at least 1, a width from 2 to the number of features, 2 examples or more, a step of each kind, and rate and "+
			"decay above 0", s.Depths, s.Width, s.Features, s.Examples, s.Steps, s.Settle, s.Rate, s.Decay)
	}
	o := &study.Outcome{}
	if in.Dry() {
		return o, s.plan(in)
	}
	e := exactRun{s, in, o, report.Table{
		Name: "exact", Caption: "What holds exactly, layer by layer: Pearson's correlations with their nulls.",
		Columns: []report.Column{{Name: "network"}, {Name: "layer"}, {Name: "statement"}, {Name: "value", Numeric: true},
			{Name: "null", Numeric: true}, {Name: "± null", Numeric: true}, {Name: "α", Numeric: true}},
	}}
	for _, depth := range s.Depths {
		if err := e.linear(ctx, depth); err != nil {
			return nil, err
		}
	}
	if err := e.stationary(ctx); err != nil {
		return nil, err
	}
	o.Tables = append(o.Tables, e.table)
	return o, nil
}

// plan adds the trainings: three for every depth, and two for the tanh network.
func (s *ExactSpec) plan(in study.Setting) error {
	add := func(times, steps int, widths []int, activation string, outputs int) error {
		n, err := s.network(widths, activation, outputs, 0)
		if err != nil {
			return err
		}
		job := workload.TrainingSize{Train: s.Examples, Batch: s.Examples, Epochs: steps, Tests: 1}.Job(cost.NetOf(n.Layers()))
		for range times {
			if err := in.AddJob(job, nil); err != nil {
				return err
			}
		}
		return nil
	}
	for _, depth := range s.Depths {
		if err := add(3, s.Steps, slices.Repeat([]int{s.Width}, depth-1), "", s.Width); err != nil {
			return err
		}
	}
	return add(2, s.Settle, []int{2 * s.Width}, "tanh", clusters)
}

// exactRun is a run of one seed.
type exactRun struct {
	*ExactSpec
	in    study.Setting
	out   *study.Outcome
	table report.Table
}

// linear measures linear networks of a depth.
func (e *exactRun) linear(ctx context.Context, depth int) error {
	rng := models.Stream(e.in.Seed, fmt.Sprintf("linear network of %d layers", depth))
	x := linalg.Gaussian(rng, e.Examples, e.Features, 1)
	target := linalg.Gaussian(rng, e.Width, e.Features, 1)
	for i := range e.Width { // a falling spectrum, so that different powers differ
		floats.Scale(1/float64(i+1), target.RawRowView(i))
	}
	var y mat.Dense
	y.Mul(x, target.T())
	images := cnfa.HeldImages{Size: e.Features, Pixels: linalg.Float32s(x), Labels: make([]int, e.Examples)}
	targets := linalg.Float32s(&y)
	power := fmt.Sprintf("nfa^%v", 1/float64(depth))
	part := strconv.Itoa(depth)
	var correlations []float64 // unbalanced: without and with decay
	for _, start := range []struct {
		name     string
		balanced bool
		decay    float64
	}{{"balanced", true, 0}, {"unbalanced", false, 0}, {"unbalanced, weight decay", false, e.Decay}} {
		name := fmt.Sprintf("linear, %d layers, %s", depth, start.name)
		net := func() (*models.Network, error) {
			n, err := e.network(slices.Repeat([]int{e.Width}, depth-1), "", e.Width, e.seed(name))
			if err == nil && start.balanced {
				e.balance(n)
			}
			return n, err
		}
		found, err := e.trainAndMeasure(ctx, exactTraining{name: name, network: net, images: images, targets: targets,
			decay: start.decay, steps: e.Steps, statements: []string{power, cnfa.FittedNFA}})
		if err != nil {
			return err
		}
		e.addRows(name, found)
		first := found.Layers[0].Alignments
		if !start.balanced {
			correlations = append(correlations, record.ValueOrNaN(first[0].Value))
			continue
		}
		e.out.Set(balancedPearson.Of(part), record.ValueOrNaN(first[0].Value))
		e.out.Set(balancedAlpha.Of(part), math.Abs(exponentOf(first[1])*float64(depth)-1))
	}
	e.out.Set(decayedPearson.Of(part), correlations[1])
	e.out.Set(unbalancedLess.Of(part), correlations[1]-correlations[0])
	return nil
}

// clusters is the number of classes of the tanh network.
const clusters = 3

// stationary measures FACT where the gradient vanishes.
func (e *exactRun) stationary(ctx context.Context) error {
	rng := models.Stream(e.in.Seed, "clusters")
	centres := linalg.Gaussian(rng, clusters, e.Features, 1)
	x := linalg.Gaussian(rng, e.Examples, e.Features, 1)
	images := cnfa.HeldImages{Size: e.Features, Labels: make([]int, e.Examples)}
	for i := range e.Examples {
		k := i % clusters
		images.Labels[i] = k
		floats.Add(x.RawRowView(i), centres.RawRowView(k))
	}
	images.Pixels = linalg.Float32s(x)
	means := map[float64]float64{}
	for _, decay := range []float64{e.Decay, 0} {
		name := fmt.Sprintf("tanh, weight decay %v", decay)
		net := func() (*models.Network, error) {
			return e.network([]int{2 * e.Width}, "tanh", clusters, e.seed(name))
		}
		found, err := e.trainAndMeasure(ctx, exactTraining{name: name, network: net, images: images, decay: decay,
			steps: e.Settle, statements: []string{cnfa.FACT, cnfa.BackFACT}})
		if err != nil {
			return err
		}
		e.addRows(name, found)
		fact, back, excess := 1., 1., 0.
		for _, l := range found.Layers {
			fact, back = min(fact, record.ValueOrNaN(l.Alignments[0].Value)), min(back, record.ValueOrNaN(l.Alignments[1].Value))
			excess += record.ValueOrNaN(l.Alignments[0].NormalisedExcess) / float64(len(found.Layers))
			means[decay] += record.ValueOrNaN(l.Alignments[0].Value) / float64(len(found.Layers))
		}
		if decay > 0 {
			e.out.Set(stationaryFACT, fact)
			e.out.Set(stationaryBack, back)
			e.out.Set(stationaryExcess, excess)
			e.out.Set(gradientShare, found.GradientShare)
		}
	}
	e.out.Set(undecayedFACT, means[e.Decay]-means[0])
	return nil
}

// addRows adds the statements of a trained network to the table, a row for every layer and statement.
func (e *exactRun) addRows(network string, found *exactNetwork) {
	for _, l := range found.Layers {
		for _, a := range l.Alignments {
			e.table.Rows = append(e.table.Rows, []report.Cell{{Text: network}, {Text: l.Layer}, {Text: a.Name},
				record.NumberCell(a.Value, "%.5f"), record.NumberCell(a.Null, "%.3f"), record.NumberCell(a.NullSD, "%.3f"),
				record.NumberCell(a.Alpha, "%.4f")})
		}
	}
}

// exponentOf returns the exponent of the AGOP in a statement: 1 where the record has none.
func exponentOf(a similarity.AlignmentRecord) float64 {
	if a.Alpha == nil {
		return 1
	}
	return *a.Alpha
}
