package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/spf13/cobra"
)

func (a *app) hyperbf() *cobra.Command {
	var s kernelmachine.HyperBFSpec
	c := &cobra.Command{
		Use:   "hyperbf --data D",
		Short: "Learn a metric by the AGOP and by gradient descent, and compare them",
		Long: `Fits hyper basis function networks (paper hyperbf), f(x) = Σ c G(‖x − t‖²_W), and learns
their metric M = WᵀW from M = I: by the average gradient outer product (--update agop),
by gradient descent on W (gd), or by gradient descent on W and the centres t
(gd+centres). --update all fits all three, and a recursive feature machine with the
Laplace kernel: the paper's Table 1.

Among several bandwidths, ridges and learning rates, A,B,…, each method takes the ones that
do best on held-out training examples; the test examples choose nothing. With --seeds S
every method is fitted S times, each time to different --train examples.

If M comes from gradient descent, its similarity to AGOPs is measured, beside the similarity
to AGOPs that are rotated at random.`,
		Example: `  ansatz hyperbf --data mnist --update gd --train 2000 --steps 100
  ansatz hyperbf --data mnist --update all --train 2000 --bandwidth 5,10 --ridge .01,1 --rate .001,.003 ` +
			`--seeds 3 --out out/table1
  ansatz hyperbf --data cifar10 --update gd+centres --train 2000 --centres 500 --kernel laplace --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "data"); err != nil {
				return err
			}
			s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
			return a.runHyperBF(c.Context(), s)
		},
	}
	f := c.Flags()
	exampleFlags(f, &s.Spec)
	f.StringVar(&s.Update, "update", "all", "how M is learned: agop, gd, gd+centres, or all")
	f.StringVar(&s.Kernel, "kernel", "gaussian", rfm.Kernels)
	flagcheck.Floats(f, &s.Bandwidths, "bandwidth", []float64{rfm.DefaultBandwidth},
		"bandwidths L of the kernel; the gaussian is exp(−‖·‖²/(2L²))")
	flagcheck.Floats(f, &s.Ridges, "ridge", []float64{kernelmachine.DefaultHyperBFRidge}, "ridges λ")
	flagcheck.Floats(f, &s.Rates, "rate", nil, "learning rates (default: .001 for adam, .1 for sgd; keep adam's "+
		"near 1/features)")
	f.IntVar(&s.Iterations, "iters", 5, "iterations of --update agop, each setting M to the AGOP")
	f.IntVar(&s.Steps, "steps", 100, "gradient steps")
	f.IntVar(&s.SolveEvery, "solve-every", rfm.DefaultSteps,
		"gradient steps between two regressions for the coefficients")
	f.StringVar(&s.Optimiser, "opt", "adam", "adam or sgd: with sgd and no momentum, the paper's steps")
	f.Float64Var(&s.Momentum, "momentum", 0, "momentum of sgd (default: 0)")
	f.IntVar(&s.Batch, "batch", 0, "training examples of a gradient step (default: all)")
	f.IntVar(&s.Centres, "centres", 0, "centres, drawn from the training examples (default: all)")
	f.StringVar(&s.Coefficients, "coefficients", "solved", "solved by regression, or descended with W")
	f.BoolVar(&s.Diagonal, "diag", false, "keep M diagonal")
	f.StringVar(&s.Scale, "scale", "trace", "what the AGOP is divided by: none, max or trace")
	f.StringVar(&s.Select, "select", "validation", "the iteration to keep: the best on validation examples, or the "+
		"last")
	f.Float64Var(&s.Holdout, "holdout", rfm.DefaultHoldout, "share of the training examples held out for --select "+
		"validation")
	f.IntVar(&s.Seeds, "seeds", 1, "fits of every method, each to different --train examples")
	precisionFlags(f, &s.Precision, &s.Backend)
	return c
}

func (a *app) runHyperBF(ctx context.Context, s kernelmachine.HyperBFSpec) error {
	h, err := kernelmachine.NewHyperBF(ctx, study.Setting{}, s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	record, err := withBar(a, func(bar *progress.Bar) (*kernelmachine.HyperBFFit, error) {
		return h.Run(ctx, func(p kernelmachine.HyperBFProgress) {
			bar.Note(fmt.Sprintf("%s, seed %d, setting %d of %d, iteration %d", p.Method, p.Seed, p.Setting+1, p.Of,
				p.Iteration))
			bar.Update(p.Stage, p.Done, p.Total)
		})
	})
	if err != nil {
		return err
	}
	var result any = record
	if one := record.Single(); one != nil {
		result = one
	}
	return errors.Join(show(a, result, record.Summary(), record.Tables()...), a.saveReport(record, record.Save))
}
