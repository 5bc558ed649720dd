package rfmpaper

import (
	"context"

	"github.com/ansatz-lab/ansatz/data/table"
	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"gonum.org/v1/gonum/mat"
)

var (
	signsLaplaceR2    = study.NewMeasure("signs_laplace_r2")
	signsRfmR21       = study.NewMeasure("signs_rfm_r2_1")
	signsGap          = study.NewMeasure("signs_gap")
	signsNetTrainR2   = study.NewMeasure("signs_net_train_r2")
	signsRfmShare     = study.NewMeasure("signs_rfm_share")
	signsNetShare     = study.NewMeasure("signs_net_share")
	signsRfmPearson   = study.NewMeasure("signs_rfm_pearson")
	signsRfmExcess    = study.NewMeasure("signs_rfm_excess")
	signsNetPearson   = study.NewMeasure("signs_net_pearson")
	signsNetExcess    = study.NewMeasure("signs_net_excess")
	hermiteGapRfm     = study.NewMeasure("hermite_gap_rfm")
	hermiteNetTrainR2 = study.NewMeasure("hermite_net_train_r2")
	hermiteRfmPearson = study.NewMeasure("hermite_rfm_pearson")
	hermiteRfmExcess  = study.NewMeasure("hermite_rfm_excess")
	hermitePearsonGap = study.NewMeasure("hermite_pearson_gap")
)

// LowRankSpec compares a recursive feature machine with kernels and a network on a polynomial
// of low rank.
type LowRankSpec struct {
	Polynomial string `json:"polynomial" toml:"polynomial"` // rademacher or hermite
	Train      int    `json:"train" toml:"train"`
	// Validation is the number of further rows on which the iteration of the RFM
	// and the epoch of the network are chosen. The paper does not say how it did.
	Validation int                `json:"validation" toml:"validation"`
	Test       int                `json:"test" toml:"test"`
	Iterations int                `json:"iterations" toml:"iterations"`
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

const lowRankAbout = " Kernels without a ridge, L = 10. The iteration of the recursive feature machine (RFM) and the " +
	"epoch of the network are chosen on further rows; test rows choose nothing. The null of a similarity with the " +
	"true gradient outer product turns the feature matrix at random."

// LowRankPanelsSpec is both halves of the figure.
type LowRankPanelsSpec struct {
	Signs   LowRankSpec `json:"signs" toml:"signs"`     // a to c
	Hermite LowRankSpec `json:"hermite" toml:"hermite"` // d to f
}

// fig16 returns a product of two signs, and a polynomial of one direction.
func fig16() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig16", Paper: "rfm", Figure: "Fig. 16",
		Title: "Low-rank polynomials: RFMs close the gap to networks and surpass them",
		About: "a to c: y = z₁z₂, x = z + noise, z uniform on the corners of a cube of 30 dimensions; the paper does " +
			"not say how much noise: standard deviation .1. Its bars have no numbers; those of the RFM and of the " +
			"Laplace kernel were measured before with another program. d to f: y = He₂(uᵀx) + He₄(uᵀx), x ~ N(0, I) " +
			"with 10 features, u a random point of the sphere." +
			lowRankAbout,
		Claims: []study.Claim{
			signsLaplaceR2.Claim("a–c: the Laplace kernel's test R².",
				"bar; .563 by peers", study.Within(.563, .05)),
			signsRfmR21.Claim("a–c: one iteration of the RFM finds the two coordinates.",
				"bar; .9989 by peers", study.AtLeast(.99)),
			signsGap.Claim("a–c: RFM and network far exceed NTK and Laplace kernel: the least R² of the former above "+
				"the largest of the latter.",
				"bars", study.AtLeast(.1)),
			signsNetTrainR2.Claim("a–c: after the last epoch the network interpolates the training rows: R².",
				"1", study.AtLeast(.99)),
			signsRfmShare.Claim("a–c: the RFM selects the two coordinates: their share of M.",
				"picture", study.AtLeast(.9)),
			signsNetShare.Claim("a–c: so does the network: their share of W₁ᵀW₁.",
				"picture", study.AtLeast(.9)),
			signsRfmPearson.Claim("a–c: M is alike to the true gradient outer product.",
				"picture", study.AtLeast(.9)).WithControl(signsRfmExcess),
			signsRfmExcess.Claim("a–c: it is beyond its null.",
				"picture", study.AtLeast(.5)),
			signsNetPearson.Claim("a–c: so is W₁ᵀW₁.",
				"picture", study.AtLeast(.9)).WithControl(signsNetExcess),
			signsNetExcess.Claim("a–c: it is beyond its null.",
				"picture", study.AtLeast(.5)),
			hermiteGapRfm.Claim("d–f: the RFM far outperforms network, NTK and Laplace kernel: its R² above the largest of "+
				"theirs.",
				"bars", study.AtLeast(.1)),
			hermiteNetTrainR2.Claim("d–f: after the last epoch the network nearly interpolates the training rows: R².",
				".971", study.AtLeast(.95)),
			hermiteRfmPearson.Claim("d–f: the RFM learns to approximate the true gradient outer product.",
				"picture", study.AtLeast(.9)).WithControl(hermiteRfmExcess),
			hermiteRfmExcess.Claim("d–f: its similarity lies above its null.",
				"picture", study.AtLeast(.5)),
			hermitePearsonGap.Claim("d–f: the network does not, neither at the chosen epoch nor at the last: the RFM's "+
				"similarity above the network's.",
				"picture", study.AtLeast(.1)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &LowRankPanelsSpec{
				LowRankSpec{
					Polynomial: "rademacher", Train: 300, Validation: 100, Test: 300, Iterations: 1,
					Net: setups.NetworkSpec{Width: 32, FirstStd: 1e-3, Rate: .1, Epochs: 30},
				},
				LowRankSpec{
					Polynomial: "hermite", Train: 300, Validation: 100, Test: 300, Iterations: 1,
					Net: setups.NetworkSpec{Width: 32, Adam: true, Rate: 1e-2, Epochs: 30},
				},
			},
			study.Small: &LowRankPanelsSpec{
				LowRankSpec{
					Polynomial: "rademacher", Train: 1000, Validation: 250, Test: 10000, Iterations: 2,
					Net: setups.NetworkSpec{Width: 1024, FirstStd: 1e-3, Rate: .1, Epochs: 1000},
				},
				LowRankSpec{
					Polynomial: "hermite", Train: 1000, Validation: 250, Test: 10000, Iterations: 4,
					Net: setups.NetworkSpec{Width: 1024, Adam: true, Rate: 1e-2, Epochs: 1000},
				},
			},
			study.PaperScale: &LowRankPanelsSpec{
				LowRankSpec{
					Polynomial: "rademacher", Train: 1000, Validation: 250, Test: 10000, Iterations: 5,
					Net: setups.NetworkSpec{Width: 1024, FirstStd: 1e-3, Rate: .1, Epochs: 1000},
				},
				LowRankSpec{
					Polynomial: "hermite", Train: 1000, Validation: 250, Test: 10000, Iterations: 5,
					Net: setups.NetworkSpec{Width: 1024, Adam: true, Rate: 1e-2, Epochs: 1000},
				},
			},
		},
	}
}

// Run implements Spec.
func (s *LowRankPanelsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
	for _, p := range []struct {
		name, title string
		spec        *LowRankSpec
	}{{"signs", "a to c, product of two signs", &s.Signs}, {"hermite", "d to f, Hermite polynomials", &s.Hermite}} {
		found, err := p.spec.run(ctx, in)
		if err != nil {
			return nil, err
		}
		o.AddPanel(p.name, p.title, found)
	}
	return o, nil
}

// Jobs implements [study.Worker].
func (s *LowRankPanelsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf([]*LowRankSpec{&s.Signs, &s.Hermite}, (*LowRankSpec).Jobs)
}

// Jobs implements [study.Worker]. The NTK is approximated by a radial kernel, here and in the
// other experiments.
func (s *LowRankSpec) Jobs() ([]cost.Job, error) {
	p, err := findPolynomial(s.Polynomial)
	if err != nil {
		return nil, err
	}
	plain := workload.MachineSize{Train: s.Train, Tested: s.Test, Inputs: p.Features}
	learner := workload.MachineSize{
		Train: s.Train, Tested: s.Test + s.Validation, Inputs: p.Features, Iterations: s.Iterations,
	}
	net := s.Net.Job(setups.MLPSize{Train: s.Train, Tested: s.Validation, Inputs: p.Features, Outputs: 1, Hidden: 1})
	return []cost.Job{learner.Job(), plain.Job(), plain.Job(), net}, nil
}

// gradientOuterProduct returns E[∇f∇fᵀ] of the polynomials of Fig. 16: of x₁x₂, with E[xᵢ²] =
// 1 + noise², and of He₂ + He₄ of uᵀx, whose derivative 2He₁ + 4He₃ has the mean square 4 +
// 16·3!.
func gradientOuterProduct(p table.Polynomial, seed uint64) (*mat.SymDense, error) {
	out := mat.NewSymDense(p.Features, nil)
	switch p.Name {
	case "rademacher":
		for i := range 2 {
			out.SetSym(i, i, 1+table.RademacherNoise*table.RademacherNoise)
		}
	case "hermite":
		u := mat.NewVecDense(p.Features, table.HermiteDirection(seed))
		out.SymRankOne(out, 4+16*6, u)
	default:
		return nil, input.Errorf("the gradient outer product of %q: want rademacher or hermite", p.Name)
	}
	return out, nil
}
