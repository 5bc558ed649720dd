// Command experiment defines an experiment in a module of its own and runs it over seeds:
// does a recursive feature machine find the two directions that a target depends on?
//
//	go run . --scale small --out out
package main

import (
	"context"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// The measures: a claim is made of one, and every seed sets each.
var (
	gain      = study.NewMeasure("gain")
	alignment = study.NewMeasure("alignment")
	excess    = study.NewMeasure("alignment_excess")
)

var planted = &study.Experiment{
	ID: "mine/planted", Paper: "mine", Title: "A product of two planted directions",
	About: study.About{Done: "An RFM learns y = (u·x)(v·x) + noise, x ~ N(0, I), u and v orthonormal, drawn by the seed.",
		Controls: []string{"Iteration 0 is plain kernel regression, without learned features."}},
	Claims: []study.Claim{
		gain.Claim("Learned features improve on plain kernel regression: gain in test R².", "improves", study.AtLeast(.2)),
		alignment.Claim("M is the projection on the planted directions: Pearson correlation.", "aligned", study.AtLeast(.8)).
			WithControl(excess),
		excess.Check("M resembles the planted directions more than M rotated at random does: excess.", study.AtLeast(.5)),
	},
	Specs: map[study.Scale]study.Spec{
		study.Smoke:      &Spec{Features: 10, Train: 200, Test: 200, Iterations: 2, Noise: .1, Ridge: 1e-3},
		study.Small:      &Spec{Features: 20, Train: 1000, Test: 1000, Iterations: 5, Noise: .1, Ridge: 1e-3},
		study.PaperScale: &Spec{Features: 50, Train: 5000, Test: 5000, Iterations: 5, Noise: .1, Ridge: 1e-3},
	},
}

// Spec is the settings, which --spec FILE.toml changes.
type Spec struct {
	Features   int     `json:"features" toml:"features"`
	Train      int     `json:"train" toml:"train"`
	Test       int     `json:"test" toml:"test"`
	Iterations int     `json:"iterations" toml:"iterations"`
	Noise      float64 `json:"noise" toml:"noise"` // standard deviation
	Ridge      float64 `json:"ridge" toml:"ridge"`
}

// Run implements [study.Spec]: it makes the experiment with one seed.
func (s *Spec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	rng := rand.New(rand.NewPCG(in.Seed, 1))
	directions := orthonormal(rng, s.Features, 2)
	train, test := s.examples(rng, directions, s.Train, s.Noise), s.examples(rng, directions, s.Test, 0)
	var projection mat.SymDense
	projection.SymOuterK(1, directions)

	r2 := report.Series{Label: "test R²"}
	aligned, null := report.Series{Label: "alignment of M"}, report.Series{Label: "null"}
	var found similarity.Alignment
	machine := rfm.Machine{
		Kernel: rfm.Laplace{Bandwidth: 10}, Ridge: s.Ridge, Iterations: s.Iterations, Select: rfm.Last,
	}
	machine.Each = func(it *rfm.Iteration) error {
		score, err := in.Score(ctx, it.Model(), test)
		if err != nil {
			return err
		}
		found, err = similarity.Align(it.Metric.Dense(), &projection, similarity.NullDraws, rng)
		at := float64(len(r2.X))
		r2.X, r2.Y = append(r2.X, at), append(r2.Y, score.R2)
		aligned.X, aligned.Y = append(aligned.X, at), append(aligned.Y, found.Pearson)
		null.X, null.Y = append(null.X, at), append(null.Y, found.NullMean)
		return err
	}
	if _, err := in.Fit(ctx, "RFM", machine, train); err != nil { // goes on where it was interrupted
		return nil, err
	}
	o := &study.Outcome{Charts: []study.Chart{{
		Name: "iterations", Title: "What the iterations learn", XLabel: "iteration", YLabel: "R², correlation",
		Caption: "Test R², and the correlation of M, and of M rotated at random, with the projection on the directions.",
		Series:  []report.Series{r2, aligned, null},
	}}}
	o.Set(gain, r2.Y[len(r2.Y)-1]-r2.Y[0])
	o.Set(alignment, found.Pearson)
	o.Set(excess, found.Excess())
	return o, nil
}

// examples draws n rows and their targets.
func (s *Spec) examples(rng *rand.Rand, directions *mat.Dense, n int, noise float64) rfm.Examples {
	x, y := normal(rng, n, s.Features), mat.NewDense(n, 1, nil)
	var along mat.Dense
	along.Mul(x, directions)
	for i := range n {
		y.Set(i, 0, along.At(i, 0)*along.At(i, 1)+noise*rng.NormFloat64())
	}
	return rfm.Examples{X: x, Y: y}
}

// orthonormal draws k orthonormal directions, the columns of a d×k matrix.
func orthonormal(rng *rand.Rand, d, k int) *mat.Dense {
	var qr mat.QR
	qr.Factorize(normal(rng, d, k))
	var q mat.Dense
	qr.QTo(&q)
	return mat.DenseCopyOf(q.Slice(0, d, 0, k))
}

func normal(rng *rand.Rand, rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	return m
}

func main() { study.Main(study.Catalogue{planted}) }
