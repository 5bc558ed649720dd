package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/rfm"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// convFiles holds the paths of the files that ansatz convrfm writes, and of the file or folder of kernels that it reads,
// kernelIn; "" for none.
type convFiles struct{ metric, kernel, features, model, kernelIn string }

func (a *app) convrfm() *cobra.Command {
	var s convSpec
	var files convFiles
	c := &cobra.Command{
		Use:   "convrfm --data D",
		Short: "Fit a convolutional kernel machine that learns features without backpropagation",
		Long: `Fits a convolutional recursive feature machine (paper cnfa, Algorithm 1): it "first builds
a predictor with a fixed convolutional kernel. Then, we compute the AGOP of the trained
predictor with respect to image patches, which we denote as the feature matrix, M. Lastly,
we transform image patches with M and then repeat the previous steps." Iteration 0 has
M = I: it is the kernel machine without features.

With --layers above 1 it is Deep ConvRFM (Algorithm 2): filters drawn from N(0, M), and
ReLU, make the images that the next layer learns from; each layer's kernel has one
convolution fewer than that of the layer before.

Data is an image set that ansatz data list shows, or a folder of images.

Kernels: ` + rfm.ConvKernels + `.

Ridge and iteration are chosen on validation images: those that follow --train in the
training split or, if it has no more, some that are held out of the training images. With
one ridge and no iteration none are needed. --paper-mode chooses on the test images, as the
published code does, and the record says so.

Cost: an iteration computes n²/2 entries of a kernel, solves a regression on n images, and
takes gradients of n² entries, the longest part; every test and validation image
adds n entries. An entry costs in proportion to pixels × depth, for cntk-gap to pixels² ×
depth; memory grows with n². Try a hundred images first; --agop-sample takes the gradients
of fewer images, --test tests on fewer. A run that would not fit in memory is refused before
it starts.`,
		Example: `  ansatz convrfm --data cifar10 --train 500 --test 1000 --iters 3 --out out/convrfm-cifar10
  ansatz convrfm --data noisydigits --train 1000 --test 1000 --depth 3 --layers 2 --ridge 1e-5,1e-3
  ansatz convrfm --data mnist --kernel laplace --patch 7 --train 500 --iters 2 --metric-out M.npy
  ansatz convrfm --data cifar10 --train 100 --iters 0 --kernel-out K.npy --json
  ansatz convrfm --data cifar10 --train 100 --iters 0 --kernel-in K.npy --ridge 1e-2
  ansatz convrfm --data cifar10 --train 10000 --test 2000 --iters 0 --kernel-in out/cntk-10000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeConvRFM(c, &s); err != nil {
				return err
			}
			return a.runConvRFM(c.Context(), s.ConvRFMSpec, files)
		},
	}
	f := c.Flags()
	convFlags(f, &s)
	flagcheck.OutputFile(f, &files.metric, "metric-out", "file for M of the last iteration of the last layer, NPY, d×d")
	flagcheck.OutputFile(f, &files.kernel, "kernel-out", "file for the kernel of the training images in the last "+
		"iteration, before any scaling, NPY, n×n")
	f.StringVar(&files.kernelIn, "kernel-in", "", "kernels with M = I to read instead of computing them: the folder "+
		"of a merged ansatz plan convrfm, or a file of the kernel of the training images, NPY, n×n")
	flagcheck.OutputFile(f, &files.features, "features-out", "file for the training images as the last layer reads them, "+
		"NPY, image × row × column × channel")
	flagcheck.OutputFolder(f, &files.model, "model-out", "folder for the model that was selected: ansatz predict reads it")
	return c
}

// convSpec is a spec with the flag --patches-by, which sets its field Whole.
type convSpec struct {
	kernelmachine.ConvRFMSpec
	patchesBy string
}

// convFlags adds the flags of the images and of the machine.
func convFlags(f *pflag.FlagSet, s *convSpec) {
	imageFlags(f, &s.Spec)
	convMachineFlags(f, &s.ConvRFMSpec)
	f.StringVar(&s.patchesBy, "patches-by", "sqrt", "multiply patches, and the random filters of a layer, by M^½ "+
		"(sqrt), as in the paper, or by M (metric), as in the published code")
}

// completeConvRFM sets the fields that have no flag of their own. It returns a usage error if a flag is
// missing or invalid.
func (a *app) completeConvRFM(c *cobra.Command, s *convSpec) error {
	if err := required(c, "data"); err != nil {
		return err
	}
	if s.patchesBy != "sqrt" && s.patchesBy != "metric" {
		return usageError{fmt.Errorf("--patches-by %q: want sqrt or metric", s.patchesBy)}
	}
	s.Whole = s.patchesBy == "metric"
	s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
	return nil
}

// convMachineFlags adds the flags of the machine.
func convMachineFlags(f *pflag.FlagSet, s *kernelmachine.ConvRFMSpec) {
	f.StringVar(&s.Kernel, "kernel", "cntk", rfm.ConvKernels)
	f.IntVar(&s.Depth, "depth", 0, "convolutions of the kernel (default: 3 for cntk, else 1)")
	f.IntVar(&s.Patch, "patch", rfm.DefaultPatch, "size q of patches, q×q pixels")
	f.BoolVar(&s.Pad, "pad", false, "surround images by zeros, so that every pixel has a patch")
	f.Float64Var(&s.Bandwidth, "bandwidth", 0, fmt.Sprintf("bandwidth L of laplace (default: %g)", rfm.DefaultBandwidth))
	flagcheck.Floats(f, &s.Ridges, "ridge", []float64{1e-3}, "one or several ridges λ, A,B,…; every iteration "+
		"takes the best; 0 takes the pseudo-inverse where it is needed")
	f.Lookup("ridge").DefValue = "0.001"
	f.IntVar(&s.Iterations, "iters", 5, "iterations, each setting M to the patch-AGOP")
	f.IntVar(&s.Layers, "layers", 1, "layers that learn features: above 1, Deep ConvRFM")
	f.IntVar(&s.Filters, "filters", rfm.DefaultFilters, "filters between layers")
	f.BoolVar(&s.Linear, "linear-features", false, "no ReLU after the filters, as in the published code")
	f.StringVar(&s.Scale, "scale", "", "what the patch-AGOP is divided by: frobenius, trace or none (default: "+
		"frobenius, for laplace trace)")
	f.StringVar(&s.KernelScale, "kernel-scale", "max", "what the kernel is divided by: max, its largest entry for "+
		"the training images, or none")
	f.Float64Var(&s.Keep, "keep", 1, "share of M's eigenvalues to keep, the largest")
	f.IntVar(&s.Sample, "agop-sample", 0, "training images in the patch-AGOP (default: all)")
	f.StringVar(&s.Select, "select", "validation", "the iteration to keep: the best on validation images, or the last")
	f.IntVar(&s.Validation, "validation", 0, "images for --select validation (default: a quarter of --train, or "+
		"none if there is nothing to choose)")
	f.BoolVar(&s.PaperMode, "paper-mode", false, "choose ridge and iteration on the test images, as the published "+
		"code does")
	precisionFlags(f, &s.Precision, &s.Backend)
}

func (a *app) runConvRFM(ctx context.Context, s kernelmachine.ConvRFMSpec, files convFiles) error {
	r, err := kernelmachine.NewConvRFM(ctx, s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	if files.kernelIn != "" {
		if err := r.UseKernel(ctx, files.kernelIn); err != nil {
			return err
		}
	}
	return runAndShow(a, func(bar *progress.Bar) (*kernelmachine.ConvRFMFit, error) {
		return r.Run(ctx, func(p rfm.ConvProgress) {
			stage := fmt.Sprintf("iteration %d, %s", p.Iteration, p.Stage)
			if s.Layers > 1 {
				stage = fmt.Sprintf("layer %d, %s", p.Layer+1, stage)
			}
			bar.Update(stage, p.Done, p.Total)
		})
	}, func(f *kernelmachine.ConvRFMFit) error {
		return errors.Join(files.save(ctx, f),
			a.saveReport(f, func(dir string) (string, error) { return f.Save(ctx, dir) }))
	})
}

// save writes the files that have a path.
func (f convFiles) save(ctx context.Context, r *kernelmachine.ConvRFMFit) (err error) {
	for _, file := range []struct {
		path string
		save func(path string) error
	}{
		{f.metric, r.SaveLastMetric},
		{f.kernel, func(path string) error { return r.SaveKernel(ctx, path) }},
		{f.features, func(path string) error { return r.SaveFeatures(ctx, path) }},
		{f.model, func(path string) error { return record.WriteModel(path, r.SaveModel) }},
	} {
		if file.path != "" {
			err = errors.Join(err, file.save(file.path))
		}
	}
	return err
}
