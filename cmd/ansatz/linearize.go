package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/spf13/cobra"
)

// linearizeFlags are the flags of the command linearize.
type linearizeFlags struct {
	spec    tangent.LinearizeSpec
	run     train.Run
	seeds   int
	compare bool
}

func (a *app) linearize() *cobra.Command {
	l := linearizeFlags{seeds: 1}
	c := &cobra.Command{
		Use:   "linearize --arch A --data D --method sgd|solve|exact|cg",
		Short: "Train, or solve for, the linearization of a network",
		Long: `linearize fits f_lin(u, x) = f(w₀, x) + ∇f(w₀, x)·u, the linearization of a network at its
initial weights w₀, to the mean squared error on one-hot targets.

--method sgd trains u as ansatz train trains weights: by the same batches in the same order,
with checkpoints, --resume and --seeds. --compare also trains the network, from the same
weights, in the folder network of --out.

--method solve solves the linear system in its dual form, with a row for every output of every
training image, for every --ridge. Among several ridges the validation images choose one:
--validation N, or a fifth of --train. --method cg solves it by conjugate gradients, if the
kernel does not fit into memory.

--method exact also follows gradient descent with a small learning rate from u = 0, in closed form
by the eigenvectors of the kernel: losses and accuracies at all --times, which are the learning
rate times the steps, and in the limit, the solution of solve, for every --ridge. With --lr and
--momentum it follows gradient descent with that learning rate, on all images in each step; each
time is then the nearest multiple of --lr.
Two approximations neglect the kernel between different outputs, and are exact in the limit of
infinite width: with --kernel diagonal every output has its own kernel, with a row for each image,
and with --kernel trace all share the mean of these, whose eigenvectors are computed once.

--labels one:C is the class C against the rest, with one output. With --shift, sgd shifts
each training image anew in every epoch; solve, exact and cg shift each image once.`,
		Example: `  ansatz linearize --arch lenet --data mnist --method sgd --epochs 10 --batch 32 --train 6000 ` +
			`--weight-decay 5e-5 --compare
  ansatz linearize --arch lenet --data mnist --method solve --train 1000 --ridge 0,1e-4,1e-2,1 --json
  ansatz linearize --arch lenet --data mnist --method exact --train 300 --times log:0.1:1e6
  ansatz linearize --arch lenet --data mnist --method exact --kernel diagonal --train 2000 --test 1000
  ansatz linearize --arch lenet --width 2 --data mnist --method solve --train 2000 --labels one:0 --out out/zero
  ansatz linearize --arch lenet --data cifar10 --method cg --train 5000 --iterations 200`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := l.check(c); err != nil {
				return err
			}
			l.spec.Dir, l.spec.Seed, l.spec.Threads = a.dataDir, a.seed, a.threads
			if f := c.Flags(); l.spec.Method == "exact" && f.Changed("lr") {
				l.spec.GradientDescent = l.spec.LR
				if f.Changed("momentum") {
					l.spec.GradientDescentMomentum = l.spec.Momentum
				}
			}
			if l.spec.Method == "sgd" {
				return a.trainLinear(c.Context(), l)
			}
			return a.solveLinear(c.Context(), l.spec)
		},
	}
	l.register(c)
	return c
}

// register adds the flags.
func (l *linearizeFlags) register(c *cobra.Command) {
	f, s := c.Flags(), &l.spec
	f.StringVar(&s.Method, "method", "", "sgd, solve, exact or cg")
	f.StringVar(&s.Times, "times", "", "exact: rising times, 0,1,10,… or log:FROM:TO (default: log:1:1e6)")
	f.StringVar(&s.Kernel, "kernel", "", "exact: full; diagonal: a kernel of its own for each output; or trace: their "+
		"mean, which all share (default: full)")
	networkFlags(f, &s.Spec)
	trainImageFlags(f, &s.Spec)
	precisionFlags(f, &s.Precision, &s.Backend)
	flagcheck.Floats(f, &s.Ridges, "ridge", nil, "solve, exact, cg: one or several ridges λ, A,B,… (default: 0)")
	f.IntVar(&s.Iterations, "iterations", 0, "cg: iterations at most (default: 1000)")
	f.Float64Var(&s.Tolerance, "tolerance", 0, "cg: stop at a gradient of this length, relative to the first "+
		"(default: 1e-6)")
	f.BoolVar(&l.compare, "compare", false, "sgd: train the network too, from the same weights by the same batches, "+
		"without dropout unless --dropout is given")
	augmentFlags(f, &s.Spec)
	stepFlags(f, &s.Spec)
	f.Lookup("epochs").Usage = "sgd: passes over the training images (required)"
	f.Float64Var(&s.LR, "lr", .1, "learning rate (default: 0.1 for sgd; for exact none, which is gradient flow)")
	f.Float64Var(&s.Momentum, "momentum", .9, "momentum (default: 0.9 for sgd, 0 for exact)")
	f.Float64Var(&s.Dropout, "dropout", 0, "with --compare: probability of the network's dropouts (default: none)")
	f.StringVar(&s.Loss, "loss", "mse", "mse (squared error on one-hot targets) or ce (cross-entropy)")
	runTrainFlags(f, &l.run, &l.seeds)
}

// check returns a usage error for an unknown method, and for missing flags.
func (l *linearizeFlags) check(c *cobra.Command) error {
	if err := required(c, "arch", "data", "method"); err != nil {
		return err
	}
	if !slices.Contains([]string{"sgd", "solve", "exact", "cg"}, l.spec.Method) {
		return usageError{fmt.Errorf("--method %q: want sgd, solve, exact or cg", l.spec.Method)}
	}
	if l.spec.Method == "exact" && c.Flags().Changed("momentum") && !c.Flags().Changed("lr") {
		return usageError{errors.New("--momentum has no effect on --method exact without --lr")}
	}
	if l.spec.Method != "sgd" {
		return nil
	}
	if l.compare && c.Flags().Changed("seeds") {
		return usageError{errors.New("--compare is for one seed: run it for each --seed, or ansatz run ntk/fig2")}
	}
	return required(c, "epochs")
}

// trainLinear trains the linearization by stochastic gradient descent.
func (a *app) trainLinear(ctx context.Context, l linearizeFlags) error {
	s, r := l.spec.Spec, l.run
	r.Out, r.Command = a.out, a.command
	if r.Out == "" {
		r.Out = filepath.Join("out", fmt.Sprintf("linearize-%s-%s", filepath.Base(s.Arch), filepath.Base(s.Data)))
	}
	if l.seeds != 1 {
		s.Linearized = true
		return a.trainSeeds(ctx, s, l.seeds, r)
	}
	t, err := tangent.NewLinearTraining(ctx, s, l.compare)
	if err != nil {
		return err
	}
	if err := t.Check(r); err != nil {
		return err
	}
	return runAndShow(a, func(bar *progress.Bar) (*tangent.LinearTrainingRecord, error) {
		r.Progress = a.trainProgress(bar)
		return t.Run(ctx, r, func(what string) { bar.End(); a.logf("%s", what) })
	}, func(*tangent.LinearTrainingRecord) error { a.printReportPath(r.Out); return nil })
}

// solveLinear solves the linear system.
func (a *app) solveLinear(ctx context.Context, s tangent.LinearizeSpec) error {
	s.Out = a.out
	l, err := tangent.NewLinearization(ctx, s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	for _, text := range l.Notes() {
		a.logf("%s", text)
	}
	return runAndShow(a, func(bar *progress.Bar) (*tangent.LinearizeRecord, error) {
		return l.Run(ctx, bar.Update)
	}, func(r *tangent.LinearizeRecord) error {
		return a.saveReport(r, func(dir string) (string, error) { return l.Save(r, dir) })
	})
}
