package main

import (
	"fmt"
	"strconv"

	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/spf13/pflag"
)

// trainFlags adds the flags of a training.
func trainFlags(f *pflag.FlagSet, s *train.Spec) {
	networkFlags(f, s)
	f.Float64Var(&s.Dropout, "dropout", 0, "probability of the network's dropouts (default: their own)")
	f.BoolVar(&s.NoDropout, "no-dropout", false, "remove the network's dropout")
	trainImageFlags(f, s)
	augmentFlags(f, s)
	stepFlags(f, s)
	f.StringVar(&s.Optimiser, "opt", "sgd", "sgd, adam, adamw or adadelta")
	f.Float64Var(&s.LR, "lr", 0, "learning rate (default: .1 for sgd, .001 for adam and adamw, 1 for adadelta)")
	f.Float64Var(&s.Momentum, "momentum", 0, "momentum of sgd (default: 0)")
	f.StringVar(&s.Loss, "loss", "ce", "ce (cross-entropy) or mse (squared error on one-hot targets)")
	f.IntVar(&s.Track, "track-ansatz", 0, "steps between two measurements of the ansatz (default: none)")
	f.IntVar(&s.ProbeImages, "probe-images", 0, "images to measure the ansatz on (default: 200, or all if there are fewer)")
	f.StringVar(&s.ProbeSplit, "probe-split", "", "measure it on images of train or test (default: test if there are test images)")
	f.Var((*trainPrecision)(&s.Precision), "precision", "32 or 64 bits, or bf16: convolutions and linear layers multiply in "+
		"bfloat16 and add in float32, with weights in float32 (needs a processor with AVX512-BF16 or AMX)")
	backendFlag(f, &s.Backend)
}

// trainPrecision is the value of a flag: 32, 64 or bf16.
type trainPrecision int

// Set implements pflag.Value.
func (p *trainPrecision) Set(text string) error {
	n, ok := map[string]int{"32": 32, "64": 64, "bf16": train.BF16}[text]
	if !ok {
		return fmt.Errorf("want 32, 64 or bf16")
	}
	*p = trainPrecision(n)
	return nil
}

// String implements pflag.Value.
func (p *trainPrecision) String() string {
	switch *p {
	case 0:
		return "32"
	case train.BF16:
		return "bf16"
	}
	return strconv.Itoa(int(*p))
}

// Type implements pflag.Value.
func (p *trainPrecision) Type() string { return "precision" }

// networkFlags adds the flags of the network.
func networkFlags(f *pflag.FlagSet, s *train.Spec) {
	archFlags(f, &s.Arch, &s.Width, &s.Prefix)
	initFlags(f, &s.Init, &s.Parameterisation)
	f.StringVar(&s.InitWeights, "init-weights", "", "file of weights to start from")
}

// trainImageFlags adds the flags of the images.
func trainImageFlags(f *pflag.FlagSet, s *train.Spec) {
	f.StringVar(&s.Data, "data", "", "dataset: a name, or the path of a folder with a folder of images for each class")
	f.StringVar(&s.TestData, "test-data", "", "folder of test images, where --data is a folder")
	scalingFlags(f, &s.Size, &s.Fit)
	f.StringVar(&s.Normalise, "normalise", "", "none, imagenet, dataset or MEAN/STD (default: as --init-weights were "+
		"trained, else dataset, the training images' own)")
	f.StringVar(&s.Classes, "classes", "", "only these classes, by number from 0 or by name: A,B,… (default: all)")
	f.StringVar(&s.Labels, "labels", "true", "true, random, one:C (class C against the rest, one output), "+
		"some:A,B,…[:random] (several classes against the rest, two outputs), "+
		"split:K[:random] (every class divided at random into K), or pc:K[:PATCH][:uncentred][:signed]: by the K-th "+
		"principal component of the patches, by default by the magnitude of the projection less the mean patch")
	f.IntVar(&s.Train, "train", 0, "training images, from the first (default: all)")
	f.IntVar(&s.Test, "test", 0, "test images, from the first (default: all)")
	f.IntVar(&s.Validation, "validation", 0, "training images held out to choose the best weights by (default: none)")
	f.IntVar(&s.Shift, "shift", 0, "random shifts by up to this many pixels, of test images too (default: 0)")
}

// augmentFlags adds the flags of augmentation.
func augmentFlags(f *pflag.FlagSet, s *train.Spec) {
	f.IntVar(&s.Block, "block", 0, "shuffle blocks of this many consecutive images, for datasets larger than memory "+
		"(default: all images)")
	f.IntVar(&s.Crop, "crop", 0, "random crops after padding by this many pixels (default: none)")
	f.BoolVar(&s.Flip, "flip", false, "random horizontal flips")
}

// stepFlags adds the flags of the steps.
func stepFlags(f *pflag.FlagSet, s *train.Spec) {
	f.IntVar(&s.Epochs, "epochs", 0, "passes over the training images")
	f.IntVar(&s.Steps, "steps", 0, "stop after this many steps (default: no limit)")
	f.IntVar(&s.Batch, "batch", 0, "images in each step (default: 128)")
	f.Float64Var(&s.WeightDecay, "weight-decay", 0, "weight decay (default: 0)")
	f.StringVar(&s.Schedule, "schedule", "constant", "constant, cosine, step:N[:FACTOR] or milestones:E1,E2,…[:FACTOR]")
	f.StringVar(&s.Freeze, "freeze", "", "regular expression of the parameters that keep their values, as ^conv1")
	f.IntVar(&s.Patience, "patience", 0, "stop after this many epochs without a better validation loss (default: no limit)")
}

// runTrainFlags adds the flags of seeds, checkpoints and resuming.
func runTrainFlags(f *pflag.FlagSet, r *train.Run, seeds *int) {
	f.IntVar(seeds, "seeds", 1, "number of seeds, from --seed on; several give means and standard deviations")
	f.BoolVar(&r.Resume, "resume", false, "continue the interrupted run in --out")
	f.DurationVar(&r.Every, "checkpoint-every", train.DefaultCheckpointEvery,
		"time between two checkpoints within an epoch")
}
