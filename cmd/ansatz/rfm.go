package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) rfm() *cobra.Command {
	var s kernelmachine.RFMSpec
	var metric, model string
	c := &cobra.Command{
		Use:   "rfm",
		Short: "A kernel machine that learns features without backpropagation",
		Long: `Fits a recursive feature machine (paper rfm, Algorithm 1): kernel ridge regression whose
kernel sees its inputs through a metric M, and M is set again and again to the average
gradient outer product (AGOP) of the predictor that was found. Iteration 0 has M = I: it
is the kernel machine without features.

Data is an image set that ansatz data list shows, a folder of images, a table (ARFF, CSV,
Parquet, NPZ, or uci121:NAME), or a generated one, polynomial:NAME.

Kernels: ` + rfm.Kernels + `.

The iteration to keep is chosen on training examples that are held out (--select
validation), or is the last; the test examples choose nothing.`,
		Example: `  ansatz rfm --data mnist --train 3000 --iters 3 --out out/rfm-mnist
  ansatz rfm --data iris.arff --kernel gaussian --bandwidth 3 --ridge 0.1
  ansatz rfm --data polynomial:tutorial --ridge 1e-4 --centre-grads --iters 5 --select last
  ansatz rfm --data cifar10 --classes airplane,truck --balanced --unit-sphere --train 2000 --diag --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "data"); err != nil {
				return err
			}
			s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
			return a.runRFM(c.Context(), s, metric, model)
		},
	}
	f := c.Flags()
	exampleFlags(f, &s.Spec)
	machineFlags(f, &s)
	f.StringVar(&metric, "metric-out", "", "file for M of the model that was selected, NPY, d×d")
	f.StringVar(&model, "model-out", "", "folder for the model that was selected: ansatz predict reads it")
	return c
}

// exampleFlags adds the flags of the examples to learn from and to test on.
func exampleFlags(f *pflag.FlagSet, s *examples.Spec) {
	imageFlags(f, s)
	for flag, usage := range map[string]string{
		"data":  "an image set, a folder of images, a table, or polynomial:NAME",
		"train": "training examples (default all; of a table 80 %)",
		"test":  "test examples (default all; of a table the rest)",
	} {
		f.Lookup(flag).Usage = usage
	}
	f.BoolVar(&s.Sphere, "unit-sphere", false, "divide every example by its norm")
	f.StringVar(&s.Target, "target", "", "column of a table to predict (default: its own)")
	f.BoolVar(&s.Classify, "classify", false, "take a numeric target for classes")
	f.StringVar(&s.Transform, "transform", "", "of a table's features: none, standard or quantile (default standard)")
}

// imageFlags adds the flags of the images to learn from and to test on.
func imageFlags(f *pflag.FlagSet, s *examples.Spec) {
	f.StringVar(&s.Data, "data", "", "an image set, or a folder of images")
	f.StringVar(&s.TestData, "test-data", "", "folder of the test images, where the data is a folder")
	f.IntVar(&s.Train, "train", 0, "training images (default all)")
	f.IntVar(&s.Test, "test", 0, "test images (default all)")
	f.StringVar(&s.Classes, "classes", "", "A,B,…: only images of these classes")
	f.BoolVar(&s.Balanced, "balanced", false, "as many images of every class as the rarest has")
	f.IntVar(&s.Size, "size", 0, "size to which images are scaled (default: their own)")
	f.StringVar(&s.Fit, "fit", "", "crop or stretch: how images of different sizes are brought to one")
	f.BoolVar(&s.Grey, "grey", false, "images without their colours")
	f.StringVar(&s.Normalise, "normalise", "", "of images: none, dataset, imagenet or MEAN/STD (default none: pixels "+
		"in [0,1])")
}

// machineFlags adds the flags of the machine.
func machineFlags(f *pflag.FlagSet, s *kernelmachine.RFMSpec) {
	f.StringVar(&s.Kernel, "kernel", "laplace", rfm.Kernels)
	f.Float64Var(&s.Bandwidth, "bandwidth", rfm.DefaultBandwidth, "bandwidth L of the kernel")
	f.Float64Var(&s.Ridge, "ridge", 1e-3, "ridge λ; 0 takes the pseudo-inverse where it is needed")
	f.IntVar(&s.Iterations, "iters", 5, "iterations, each setting M to the AGOP")
	f.BoolVar(&s.Diagonal, "diag", false, "keep only the diagonal of M")
	f.BoolVar(&s.CentreGradients, "centre-grads", false, "take the mean gradient of every output out of the AGOP")
	f.IntVar(&s.Sample, "agop-sample", 0, "training examples in the AGOP, drawn anew for every iteration (default all)")
	f.StringVar(&s.Scale, "scale", "none", "what the AGOP is divided by: none, max or trace")
	f.StringVar(&s.Select, "select", "validation", "the iteration to keep: the best on validation examples, or the "+
		"last")
	f.Float64Var(&s.Holdout, "holdout", rfm.DefaultHoldout, "share of the training examples held out for --select "+
		"validation")
	f.StringVar(&s.Solver, "solver", "cholesky", "cholesky, or eigenpro for more examples than a kernel matrix has "+
		"room for")
	precisionFlags(f, &s.Precision, &s.Backend)
}

func (a *app) runRFM(ctx context.Context, s kernelmachine.RFMSpec, metric, model string) error {
	r, err := kernelmachine.NewRFM(ctx, s)
	if err != nil {
		return err
	}
	if err := errors.Join(a.checkResults(), checkFiles(metric), checkFolder(model)); err != nil {
		return err
	}
	bar := a.progress()
	record, err := r.Run(ctx, func(p rfm.Progress) {
		bar.update(fmt.Sprintf("iteration %d, %s", p.Iteration, p.Stage), p.Done, p.Total)
	})
	bar.end()
	if err != nil {
		return err
	}
	err = show(a, record, record.Summary(), record.Table())
	if metric != "" {
		err = errors.Join(err, record.SaveMetric(metric))
	}
	if model != "" {
		err = errors.Join(err, record.SaveModel(model))
	}
	return errors.Join(err, a.saveReport(record.Save))
}

func (a *app) predict() *cobra.Command {
	var s kernelmachine.PredictSpec
	var outputs string
	c := &cobra.Command{
		Use:   "predict",
		Short: "What a saved kernel machine says on test examples",
		Long: `Reads a kernel machine that ansatz rfm or convrfm --model-out saved, and scores it on test
examples.
The flags of the data should be those that it was fitted with.`,
		Example: `  ansatz rfm --data mnist --train 3000 --iters 3 --model-out out/mnist-model
  ansatz predict --model out/mnist-model --data mnist --test 10000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "model", "data"); err != nil {
				return err
			}
			s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
			p, err := kernelmachine.NewPrediction(c.Context(), s)
			if err != nil {
				return err
			}
			if err := checkFiles(outputs); err != nil {
				return err
			}
			bar := a.progress()
			record, err := p.Run(c.Context(), func(done, total int) { bar.update("predict", done, total) })
			bar.end()
			if err != nil {
				return err
			}
			err = show(a, record, record.Summary(), record.Table())
			if outputs != "" {
				err = errors.Join(err, record.SaveOutputs(outputs))
			}
			return err
		},
	}
	f := c.Flags()
	f.StringVar(&s.Model, "model", "", "folder with the saved model")
	exampleFlags(f, &s.Spec)
	f.StringVar(&outputs, "outputs-out", "", "file for the outputs, NPY, examples × outputs")
	backendFlag(f, &s.Backend)
	return c
}
