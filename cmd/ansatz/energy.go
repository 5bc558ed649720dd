package main

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/spf13/cobra"
)

func (a *app) energy() *cobra.Command {
	var s profile.Spec
	c := &cobra.Command{
		Use:   "energy --arch A [--weights F] --data D [--against F|init]...",
		Short: "Measure the energy profile of a network's first layer",
		Long: `energy measures how strongly the filters W of a network's first layer respond along the
principal components p of the patches of the images, ‖W p‖ (paper energy). The network may
have been trained here or elsewhere; the components are those of the training split, in
pixels as the network reads them.

With --against the profile is compared with that of other weights, of the same kernel size,
or with init, fresh initialisations of the network itself: Pearson's correlation, beside its
null of filters rotated at random. Profiles that follow the variances of the patches are all
correlated with each other: the columns with σ and with rank show how closely a profile does,
and partial is the correlation beyond that.

Components without variance, as in grey images stored as colours, are left out with a note.`,
		Example: `  ansatz energy --arch resnet20 --weights resnet20.th --data cifar10 --against init
  ansatz energy --arch vgg11_bn --width .125 --weights out/a/last.safetensors --data cifar10 ` +
			`--against out/b/last.safetensors --against init --out out/profile
  ansatz energy --arch lenet --weights last.safetensors --data mnist --minus-init ` +
			`--init-weights initial.safetensors --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "arch", "data"); err != nil {
				return err
			}
			s.Dir, s.Seed = a.dataDir, a.seed
			return a.runEnergy(c.Context(), s)
		},
	}
	f := c.Flags()
	archFlags(f, &s.Arch, &s.Width, &s.Prefix)
	f.StringVar(&s.Weights, "weights", "", "file of the trained weights (default: those of an ONNX file)")
	f.StringVar(&s.Data, "data", "", "dataset: a name, or the path of a folder of images")
	f.StringVar(&s.Split, "split", "train", "split of the dataset: train, test or validation")
	f.StringArrayVar(&s.Against, "against", nil, "file of weights to compare with, or init for fresh "+
		"initialisations; may be given several times")
	f.StringVar(&s.AgainstArch, "against-arch", "", "architecture of the files of --against (default: --arch)")
	f.Var((*flagcheck.Factor)(&s.AgainstWidth), "against-width", "width factor of --against-arch (default: --width, "+
		"or 1 with --against-arch)")
	f.BoolVar(&s.MinusInit, "minus-init", false, "take W − W₀ instead of W")
	f.StringVar(&s.InitWeights, "init-weights", "", "file of the weights before training, for --minus-init")
	f.StringVar(&s.AgainstInitWeights, "against-init-weights", "", "file of the weights of --against before training")
	f.IntVar(&s.Images, "images", 0, fmt.Sprintf("images from which patches are taken, evenly spread (default: "+
		"%d, or all if there are fewer)", profile.DefaultEnergyImages))
	f.IntVar(&s.InitSeeds, "init-seeds", 0, fmt.Sprintf("fresh initialisations of --against init (default: %d)",
		profile.DefaultInitSeeds))
	f.IntVar(&s.NullDraws, "null-draws", 0, fmt.Sprintf("random rotations for the null of the profile's spread "+
		"(default: %d)", profile.DefaultEnergyDraws))
	f.StringVar(&s.Normalise, "normalise", "", "none, imagenet, dataset or MEAN/STD (default: the weights' or the "+
		"architecture's own)")
	scalingFlags(f, &s.Size, &s.Fit)
	return c
}

func (a *app) runEnergy(ctx context.Context, s profile.Spec) error {
	e, err := profile.New(s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	return runAndShow(a, func(*progress.Bar) (*profile.Result, error) { return e.Run(ctx) },
		func(r *profile.Result) error { return a.saveReport(r, r.Save) })
}
