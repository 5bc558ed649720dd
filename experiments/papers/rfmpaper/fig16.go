package rfmpaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

// The measures of Fig. 16, each for one half. R² is on the test rows unless stated otherwise. A gap is a lead in R²:
// of the RFM and the network over the kernels, or of the RFM over all others.
var (
	netTrainR2   = study.NewMeasure("net_train_r2") // on the training rows, after the last epoch
	netEpoch     = study.NewMeasure("net_epoch")    // the chosen one
	oneStepR2    = study.NewMeasure("rfm_r2_1")     // of the RFM after one iteration
	laplaceR2    = study.NewMeasure("laplace_r2")
	ntkR2        = study.NewMeasure("ntk_r2")
	rfmR2        = study.NewMeasure("rfm_r2")
	netR2        = study.NewMeasure("net_r2")
	featuresGap  = study.NewMeasure("gap")
	rfmGap       = study.NewMeasure("gap_rfm")
	pearsonGap   = study.NewMeasure("pearson_gap") // of the RFM over the network
	truthPearson = study.NewMeasure("pearson")     // of a feature matrix with the true gradient outer product
	truthExcess  = study.NewMeasure("excess")      // over the null
	truthShare   = study.NewMeasure("share")       // of the relevant coordinates in a feature matrix
)

// The feature matrices that are compared with the true gradient outer product.
const (
	rfmMatrix     = "rfm"
	netMatrix     = "net"      // at the chosen epoch
	lastNetMatrix = "net_last" // after the last epoch
)

// The two halves of the figure.
const signsHalf, hermiteHalf = "signs", "hermite"

// LowRankSpec compares a recursive feature machine with kernels and a network on a polynomial
// of low rank.
type LowRankSpec struct {
	Polynomial string  `json:"polynomial" toml:"polynomial"` // rademacher or hermite
	Noise      float64 `json:"noise" toml:"noise"`           // of rademacher's inputs, a standard deviation
	Train      int     `json:"train" toml:"train"`
	// Validation is the number of further rows on which the RFM's iteration and the network's epoch are chosen. The
	// paper does not say how it chooses them.
	Validation int                `json:"validation" toml:"validation"`
	Test       int                `json:"test" toml:"test"`
	Iterations int                `json:"iterations" toml:"iterations"`
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

var lowRankAbout = study.About{
	Controls: []string{
		"The null of a similarity with the true gradient outer product rotates the feature matrix at random.",
	},
	Conventions: []string{
		"Kernels have no ridge and L = 10. The iteration of the recursive feature machine (RFM) and the epoch of " +
			"the network are chosen on further rows; test rows choose nothing.",
	},
}

// LowRankPanelsSpec has the settings of both halves of the figure.
type LowRankPanelsSpec struct {
	Signs   LowRankSpec `json:"signs" toml:"signs"`     // a to c
	Hermite LowRankSpec `json:"hermite" toml:"hermite"` // d to f
	// Noises are the levels of noise in a to c at which gaps are drawn, besides that of Signs.
	Noises []float64 `json:"noises" toml:"noises"`
}

// fig16 returns a product of two signs, and a polynomial of one direction.
func fig16() *study.Experiment {
	full := LowRankSpec{
		Train: 1000, Validation: 250, Test: 10000, Net: setups.NetworkSpec{Width: 1024, Epochs: 1000},
	}
	return &study.Experiment{
		ID: "rfm/fig16", Paper: "rfm", Figure: "Fig. 16",
		Title: "Low-rank polynomials: RFMs close the gap to networks and surpass them",
		About: study.About{
			Done: "Panels a to c: the target is y = z₁z₂ for x = z + noise, with z uniform on the corners of a " +
				"cube of 30 dimensions. Panels d to f: y = He₂(uᵀx) + He₄(uᵀx) for x ~ N(0, I) with 10 features " +
				"and a random unit vector u.",
			Deviations: []string{
				"The paper does not say how much noise there is; here it has standard deviation .1. The gaps " +
					"between the bars depend on it, so the four learners are compared at other levels of noise too.",
			},
			Controls: []string{
				"The bars have no numbers. Those of the RFM and of the Laplace kernel were measured before with " +
					"another program, and no paper claims them.",
			},
		}.With(lowRankAbout),
		Panels: []string{"signs-iterations", "signs-features", "signs-learners", "hermite-iterations", "hermite-features", "hermite-learners"},
		Claims: []study.Claim{
			laplaceR2.Of(signsHalf).Check("On a product of two signs (a–c) the Laplace kernel's test R² is the "+
				".563 that another program found.",
				study.Within(.563, .05)),
			oneStepR2.Of(signsHalf).Check("On a product of two signs (a–c) one iteration of the RFM finds the "+
				"two coordinates: its test R².",
				study.AtLeast(.99)),
			// The paper says "far exceeds" and gives no number. How far depends on the noise, which it does not state.
			featuresGap.Of(signsHalf).Claim("On a product of two signs (a–c) the RFM and the network exceed the "+
				"NTK and the Laplace kernel: smallest R² of the former less largest of the latter.", "bars",
				study.Above(0)),
			leastGap.Check("On a product of two signs (a–c) the RFM and the network exceed the NTK and the Laplace "+
				"kernel at every level of noise: smallest of these differences in R².", study.Above(0)),
			netTrainR2.Of(signsHalf).Claim("On a product of two signs (a–c) the network interpolates the "+
				"training rows after the last epoch: training R².",
				"1", study.AtLeast(.99)),
			truthShare.Of(rfmMatrix).Of(signsHalf).Claim("On a product of two signs (a–c) the RFM selects the "+
				"top two coordinates: their share of the trace of M.", "picture", study.AtLeast(.9)),
			truthShare.Of(netMatrix).Of(signsHalf).Claim("On a product of two signs (a–c) the network selects "+
				"the top two coordinates: their share of the trace of W₁ᵀW₁.", "picture", study.AtLeast(.9)),
			truthPearson.Of(rfmMatrix).Of(signsHalf).Claim("On a product of two signs (a–c) the RFM's M "+
				"resembles the true gradient outer product: correlation.",
				"picture", study.AtLeast(.9)).WithControl(truthExcess.Of(rfmMatrix).Of(signsHalf)),
			truthExcess.Of(rfmMatrix).Of(signsHalf).Check("On a product of two signs (a–c) the similarity of the "+
				"RFM's M with the true gradient outer product exceeds its null: excess.", study.AtLeast(.5)),
			truthPearson.Of(netMatrix).Of(signsHalf).Claim("On a product of two signs (a–c) the network's W₁ᵀW₁ "+
				"resembles the true gradient outer product: correlation.", "picture",
				study.AtLeast(.9)).WithControl(truthExcess.Of(netMatrix).Of(signsHalf)),
			truthExcess.Of(netMatrix).Of(signsHalf).Check("On a product of two signs (a–c) the similarity of the "+
				"network's W₁ᵀW₁ with the true gradient outer product exceeds its null: excess.", study.AtLeast(.5)),
			// The paper says "far outperform" and gives no number.
			rfmGap.Of(hermiteHalf).Claim("On Hermite polynomials of one direction (d–f) the RFM outperforms the "+
				"network, the NTK and the Laplace kernel: its R² less the largest of theirs.", "bars", study.Above(0)),
			netTrainR2.Of(hermiteHalf).Claim("On Hermite polynomials of one direction (d–f) the network nearly "+
				"interpolates the training rows after the last epoch: training R².", ".971", study.AtLeast(.95)),
			truthPearson.Of(rfmMatrix).Of(hermiteHalf).Claim("On Hermite polynomials of one direction (d–f) the "+
				"RFM's M accurately approximates the true gradient outer product: correlation.",
				"picture", study.AtLeast(.9)).WithControl(truthExcess.Of(rfmMatrix).Of(hermiteHalf)),
			truthExcess.Of(rfmMatrix).Of(hermiteHalf).Check("On Hermite polynomials of one direction (d–f) the "+
				"similarity of the RFM's M with the true gradient outer product exceeds its null: excess.",
				study.AtLeast(.5)),
			// The paper shows two pictures and no number; the claim asks which of them is closer.
			pearsonGap.Of(hermiteHalf).Claim("On Hermite polynomials of one direction (d–f) the network "+
				"approximates the true gradient outer product less well than the RFM, both at the chosen epoch "+
				"and at the last: the RFM's similarity less the network's.",
				"picture", study.Above(0)),
		},
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: lowRankPanels(LowRankSpec{
				Train: 300, Validation: 100, Test: 300, Net: setups.NetworkSpec{Width: 32, Epochs: 30},
			}, 1, 1, .4),
			study.Small:      lowRankPanels(full, 5, 5, 0, .05, .2, .3, .4),
			study.PaperScale: lowRankPanels(full, 5, 5, 0, .05, .2, .3, .4),
		},
	}
}

// lowRankPanels returns both halves with the same size, each with its number of iterations.
func lowRankPanels(size LowRankSpec, signs, hermite int, noises ...float64) *LowRankPanelsSpec {
	s := &LowRankPanelsSpec{size, size, noises}
	s.Signs.Noise = table.RademacherNoise
	s.Signs.Polynomial, s.Signs.Iterations, s.Signs.Net.FirstStd, s.Signs.Net.Rate = "rademacher", signs, 1e-3, .1
	s.Hermite.Polynomial, s.Hermite.Iterations, s.Hermite.Net.Adam, s.Hermite.Net.Rate = "hermite", hermite, true, 1e-2
	return s
}

// Run implements Spec.
func (s *LowRankPanelsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	for _, p := range []struct {
		name, title string
		spec        *LowRankSpec
	}{
		{signsHalf, "a to c, product of two signs", &s.Signs},
		{hermiteHalf, "d to f, Hermite polynomials", &s.Hermite},
	} {
		found, err := p.spec.run(ctx, in)
		if err != nil {
			return nil, err
		}
		o.AddPanel(p.name, p.title, found)
	}
	return o, s.sweepNoise(ctx, in, o)
}

// findPolynomial returns the polynomial, with the noise of the spec.
func (s *LowRankSpec) findPolynomial() (table.Polynomial, error) {
	switch {
	case !(s.Noise >= 0):
		return table.Polynomial{}, input.Errorf("a noise of %v: want a standard deviation of at least 0", s.Noise)
	case s.Polynomial == "rademacher":
		return table.Rademacher(s.Noise), nil
	case s.Noise > 0:
		return table.Polynomial{}, input.Errorf("a noise of %v of %q: it has none", s.Noise, s.Polynomial)
	}
	return findPolynomial(s.Polynomial)
}

// gradientOuterProduct returns E[∇f∇fᵀ] of the polynomials of Fig. 16: of x₁x₂, with E[xᵢ²] =
// 1 + noise², and of He₂ + He₄ of uᵀx, whose derivative 2He₁ + 4He₃ has the mean square 4 +
// 16·3!.
func gradientOuterProduct(p table.Polynomial, noise float64, seed uint64) (*mat.SymDense, error) {
	out := mat.NewSymDense(p.Features, nil)
	switch p.Name {
	case "rademacher":
		for i := range 2 {
			out.SetSym(i, i, 1+noise*noise)
		}
	case "hermite":
		u := mat.NewVecDense(p.Features, table.HermiteDirection(seed))
		out.SymRankOne(out, 4+16*6, u)
	default:
		return nil, input.Errorf("the gradient outer product of %q: want rademacher or hermite", p.Name)
	}
	return out, nil
}
