package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/search"
	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) rfm() *cobra.Command {
	var s kernelmachine.RFMSpec
	var to rfmOutputs
	c := &cobra.Command{
		Use:   "rfm --data D",
		Short: "Fit a kernel machine that learns features without backpropagation",
		Long: `Fits a recursive feature machine (paper rfm, Algorithm 1): kernel ridge regression whose
kernel has a metric M. Each iteration sets M to the average gradient outer product (AGOP)
of the predictor. Iteration 0 has M = I: it is the plain kernel machine.

Data is an image set that ansatz data list shows, a folder of images, a table (ARFF, CSV,
Parquet, NPZ, or uci121:NAME), or a generated one, polynomial:NAME. Before the fit rfm prints
what a table has, how it read a CSV file, and what it left out or filled in.

The iteration to keep is chosen on held-out training examples (--select validation), or is
the last; the test examples choose nothing.

--leaf ROWS is for tables with more rows than one machine can take: a tree (xRFM) splits them at the
median along the top eigenvector of an AGOP, until no leaf has more than ROWS rows to be fitted to.
Each leaf has a machine, and predictions of neighbouring leaves are mixed.

--search N tries N settings by cross-validation on the training rows: first those of the flags, then
kernel, bandwidth, ridge, power of the AGOP, full or diagonal M and transform, drawn by the seed; a
flag that is given fixes its setting. The best is fitted to all training rows. With --out, a search
that was stopped continues when the same command is run again.`,
		Example: `  ansatz rfm --data mnist --train 3000 --iters 3 --out out/rfm-mnist
  ansatz rfm --data iris.arff --kernel gaussian --bandwidth 3 --ridge 0.1
  ansatz rfm --data big.csv --target price --leaf 4000 --memory 8G --model-out m
  ansatz rfm --data prices.csv --target price --search 60 --time 10m --out out/search --model-out best
  ansatz rfm --data polynomial:tutorial --ridge 1e-4 --centre-grads --iters 5 --select last
  ansatz rfm --data cifar10 --classes airplane,truck --balanced --unit-sphere --train 2000 --diag --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "data"); err != nil {
				return err
			}
			s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
			if s.Adaptive && !c.Flags().Changed("bandwidth") {
				s.Bandwidth = 1
			}
			s.Search.Fixed, s.Search.Out = slices.DeleteFunc(slices.Clone(search.Dimensions),
				func(name string) bool { return !c.Flags().Changed(name) }), a.out
			return a.runRFM(c.Context(), s, to)
		},
	}
	f := c.Flags()
	exampleFlags(f, &s.Spec)
	splitFlags(f, &s)
	machineFlags(f, &s)
	flagcheck.OutputFile(f, &to.split, "split-out", "file for the split of a table, CSV: train, validation or test for every row")
	flagcheck.OutputFile(f, &to.metric, "metric-out", "file for M of the model that was selected, NPY, d×d")
	flagcheck.OutputFolder(f, &to.model, "model-out", "folder for the model that was selected: ansatz predict reads it")
	return c
}

// rfmOutputs are the paths of what ansatz rfm writes besides its report; "" is nowhere.
type rfmOutputs struct{ split, metric, model string }

// splitFlags adds the flags of a table's columns, split and class weights, and of refits.
func splitFlags(f *pflag.FlagSet, s *kernelmachine.RFMSpec) {
	f.StringSliceVar(&s.Ignore, "ignore", nil, "A,B,…: columns of a table that are not features")
	f.StringVar(&s.SplitColumn, "split-column", "", "column of a table that says train, validation or test for each row")
	f.StringVar(&s.SplitGroup, "split-group", "", "column of a table: rows with equal values are in the same part")
	f.StringVar(&s.SplitTime, "split-time", "", "column of a table that orders its rows: those after the training rows are "+
		"for the test")
	f.StringVar(&s.ClassWeights, "class-weights", "", "costs of overlooking a class: balanced, or CLASS=WEIGHT,… (default: "+
		"equal)")
	f.IntVar(&s.Refits, "refits", 0, "fits to other draws of the training rows, for the spread of importances (default: none)")
}

// exampleFlags adds the flags of the examples to learn from and to test on.
func exampleFlags(f *pflag.FlagSet, s *examples.Spec) {
	imageFlags(f, s)
	tableFlags(f, s)
	for flag, usage := range map[string]string{
		"data":      "an image set, a folder of images, a table, polynomial:NAME, or - for a table from stdin",
		"train":     "training examples (default: all; of a table 80 %)",
		"test":      "test examples (default: all; of a table the rest)",
		"test-data": "folder of the test images, or table of the test rows, where the data is a folder or a table",
	} {
		f.Lookup(flag).Usage = usage
	}
	f.BoolVar(&s.Sphere, "unit-sphere", false, "divide every example by its norm")
}

// imageFlags adds the flags of the images to learn from and to test on.
func imageFlags(f *pflag.FlagSet, s *examples.Spec) {
	f.StringVar(&s.Data, "data", "", "an image set, or a folder of images")
	f.StringVar(&s.TestData, "test-data", "", "folder of the test images, where the data is a folder")
	f.IntVar(&s.Train, "train", 0, "training images (default: all)")
	f.IntVar(&s.Test, "test", 0, "test images (default: all)")
	f.StringVar(&s.Classes, "classes", "", "A,B,…: only images of these classes")
	f.BoolVar(&s.Balanced, "balanced", false, "take the same number of images from each class")
	f.IntVar(&s.Size, "size", 0, "size to which images are scaled (default: their own)")
	f.StringVar(&s.Fit, "fit", "", "crop or stretch: how to bring images of different sizes to one size")
	f.BoolVar(&s.Grey, "grey", false, "convert images to grey")
	f.StringVar(&s.Normalise, "normalise", "", "normalisation of images: none, dataset, imagenet or MEAN/STD (default: none, "+
		"pixels in [0,1])")
}

// machineFlags adds the flags of the machine, its tree and its search.
func machineFlags(f *pflag.FlagSet, s *kernelmachine.RFMSpec) {
	f.StringVar(&s.Kernel, "kernel", "laplace", rfm.Kernels)
	f.Float64Var(&s.Bandwidth, "bandwidth", rfm.DefaultBandwidth, "bandwidth L of the kernel; with --adaptive in median "+
		"distances, and 1 if it is not given")
	f.BoolVar(&s.Adaptive, "adaptive", false, "measure the bandwidth in median distances of training examples, in every "+
		"iteration's M")
	f.Float64Var(&s.Ridge, "ridge", 1e-3, "ridge λ; 0 takes the pseudo-inverse where it is needed")
	f.IntVar(&s.Iterations, "iters", 5, "iterations, each setting M to the AGOP")
	f.Float64Var(&s.AGOPPower, "agop-power", 1, "α of M = AGOP^α, by the eigenvalues, before --scale")
	f.BoolVar(&s.Diagonal, "diag", false, "keep only the diagonal of M")
	f.BoolVar(&s.CentreGradients, "centre-grads", false, "subtract the mean gradient of every output in the AGOP")
	f.IntVar(&s.Sample, "agop-sample", 0, "training examples in the AGOP, drawn anew for every iteration (default: all)")
	f.StringVar(&s.Scale, "scale", "none", "what the AGOP is divided by: none, max or trace")
	f.StringVar(&s.Select, "select", "validation", "the iteration to keep: the best on validation examples, or the "+
		"last")
	f.Float64Var(&s.Holdout, "holdout", rfm.DefaultHoldout, "share of the training examples held out for --select "+
		"validation")
	f.StringVar(&s.Solver, "solver", "cholesky", "cholesky, or eigenpro for more examples than a kernel matrix has "+
		"room for")
	f.IntVar(&s.Leaf, "leaf", 0, "largest number of rows in a leaf; makes a tree of machines for large tables (default: no tree)")
	f.IntVar(&s.Search.Trials, "search", 0, "settings to try by cross-validation (default: no search); --iters bounds the "+
		"iterations")
	f.DurationVar(&s.Search.Time, "time", 0, "time for the trials of --search, such as 10m (default: no limit)")
	f.IntVar(&s.Search.Folds, "folds", kernelmachine.DefaultFolds, "folds of the cross-validation of --search")
	f.IntVar(&s.Search.Average, "average", 1, "number of the best trials of --search to average")
	f.StringVar(&s.Memory, "memory", "", "memory that a tree may use, such as 8G (default: what is free)")
	precisionFlags(f, &s.Precision, &s.Backend)
}

func (a *app) runRFM(ctx context.Context, s kernelmachine.RFMSpec, to rfmOutputs) error {
	r, err := kernelmachine.NewFitter(ctx, s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	if plan := r.Plan(); plan != "" {
		a.logf("%s", plan)
	}
	if to.split != "" { // before a long fit, so that a mistake costs no time
		if err := atomicfile.WriteFile(to.split, r.WriteSplit); err != nil {
			return err
		}
	}
	return runAndShow(a, func(bar *progress.Bar) (kernelmachine.Fitted, error) {
		return r.Run(ctx, bar.Update)
	}, func(f kernelmachine.Fitted) error {
		return errors.Join(kernelmachine.SaveFitted(f, to.metric, to.model), a.saveReport(f, f.Save))
	})
}

func (a *app) predict() *cobra.Command {
	var s kernelmachine.PredictSpec
	var outputs, predictions string
	c := &cobra.Command{
		Use:   "predict --model DIR --data D",
		Short: "Predict and evaluate with a saved model",
		Long: `Predicts with a kernel machine that ansatz rfm or convrfm --model-out saved. A model stores how its
inputs were prepared: the columns of its table, their categories and scales, the size and the
normalisation of its images. The flags of the data need not be given again.

For a table, all rows of --data are predicted. Columns are found by name, in any order; others are
ignored; missing values are filled in as for the fit. If the target's column is present, the
predictions are scored too. For images, the test images are predicted and scored.

--predictions writes CSV: row, counted from 1; id, if --id asks for one, or file, for images of a
folder; prediction, in the target's words or units; and p_CLASS for each class: its probability,
calibrated on the rows that the fit held out, or else the output cut to [0, 1] and divided by the
sum over the classes.`,
		Example: `  ansatz rfm --data mnist --train 3000 --iters 3 --model-out out/mnist-model
  ansatz predict --model out/mnist-model --data mnist --test 10000
  ansatz rfm --data train.csv --target price --model-out out/prices
  ansatz predict --model out/prices --data new.csv --predictions prices.csv`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "model", "data"); err != nil {
				return err
			}
			if a.out != "" {
				return newUsageError(c, "%s writes no report: give --predictions or --outputs-out in place of --out")
			}
			if predictions == flagcheck.Stdout && a.json {
				return newUsageError(c, "%s --predictions - and --json both write to stdout: give --predictions a file")
			}
			s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
			p, err := kernelmachine.NewPrediction(c.Context(), s)
			if err != nil {
				return err
			}
			if text := p.ReadAs(); text != "" {
				a.logf("%s", text)
			}
			record, err := withBar(a, func(bar *progress.Bar) (*kernelmachine.PredictRecord, error) {
				return p.Run(c.Context(), func(done, total int) { bar.Update("predict", done, total) })
			})
			if err != nil {
				return err
			}
			return a.savePredictions(record, outputs, predictions)
		},
	}
	f := c.Flags()
	f.StringVar(&s.Model, "model", "", "folder with the saved model")
	exampleFlags(f, &s.Spec)
	for flag, usage := range map[string]string{
		"data":      "a table with rows to predict (- is stdin), or an image set, whose test images are predicted",
		"test-data": "folder of the images to predict, where --data is a folder of training images",
		"train":     "training images of a folder or set, in which classes are looked up (default: all)",
		"test":      "images to predict (default: all); of a table all rows are predicted",
		"classes":   "A,B,…: only images of these classes (default: the model's)",
		"size":      "size to which images are scaled (default: the model's)",
		"fit":       "crop or stretch: how to bring images of different sizes to one size (default: the model's)",
		"normalise": "normalisation of images: none, dataset, imagenet or MEAN/STD (default: the model's)",
		"target":    "column that the model predicts (default: the model's)",
		"transform": "scaling of a table's features (default: the model's)",
	} {
		f.Lookup(flag).Usage = usage
	}
	flagcheck.OutputFile(f, &outputs, "outputs-out", "file for the model's raw outputs, NPY, examples × outputs")
	flagcheck.OutputStream(f, &predictions, "predictions", "file for the predictions, CSV")
	f.StringVar(&s.ID, "id", "", "column of a table that names its rows in the predictions")
	backendFlag(f, &s.Backend)
	return c
}

// savePredictions prints the record and writes the outputs and the predictions. If the predictions go to stdout, nothing
// else does.
func (a *app) savePredictions(r *kernelmachine.PredictRecord, outputs, predictions string) error {
	var err error
	switch {
	case predictions == flagcheck.Stdout:
		err = r.WritePredictions(a.streams.out)
		if !a.quiet {
			fmt.Fprintln(a.streams.err, r.Summary())
		}
	case predictions != "":
		err = atomicfile.WriteFile(predictions, r.WritePredictions)
		fallthrough
	default:
		err = errors.Join(err, show(a, r, r.Summary(), r.Table()))
	}
	if outputs != "" {
		err = errors.Join(err, r.SaveOutputs(outputs))
	}
	return err
}
