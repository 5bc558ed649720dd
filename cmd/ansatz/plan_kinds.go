package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/tabular"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/spf13/cobra"
)

func (a *app) planVerify(p *planFlags) *cobra.Command {
	var s verify.Spec
	c := &cobra.Command{
		Use:   "verify --arch A [--weights F] --data D --out DIR",
		Short: "Divide ansatz verify by groups of images",
		Long: `plan verify divides ansatz verify, whose flags it takes: a unit is a group of the images of the
jackknife (--groups), or as many as there are --threads. Merging writes to DIR what ansatz verify
writes to its --out, bit for bit, except for times.

Paths are relative to the working folder: run the shards from the same one. Weights or images that
differ from those of the plan are refused.`,
		Example: `  ansatz plan verify --arch resnet20 --weights resnet20.th --data cifar10 --images 10000 ` +
			`--groups 50 --out out/resnet20
  ansatz plan verify --arch vgg11 --weights vgg11.pth --data photos/ --images 40 --outputs probes:16 ` +
			`--threads 4 --out out/vgg11`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeVerify(c, &s); err != nil {
				return err
			}
			return p.writeDivided(verify.PlanVerification(s, a.threads, p.shards))
		},
	}
	verifyFlags(c.Flags(), &s)
	return c
}

func (a *app) planConvRFM(p *planFlags) *cobra.Command {
	var s convSpec
	c := &cobra.Command{
		Use:   "convrfm --data D --out DIR",
		Short: "Divide the kernel matrices of ansatz convrfm into tiles",
		Long: `plan convrfm divides the kernel matrices of ansatz convrfm, whose flags it takes, before any
features are learned: with M = I. A unit is some columns of tiles: of the upper half of the
kernel matrix of the training images, or of the matrix of the test or validation images with
the training images. All test images are taken, unless --test gives a number.

Merging writes DIR/kernel.npy, bit for bit that of ansatz convrfm --iters 0 --kernel-out for the
same images, and DIR/test-kernel.npy, with a row for every test image. With --iters above 0, or
several ridges, some images are held out to choose on, as in ansatz convrfm: they have
DIR/validation-kernel.npy. ansatz convrfm --kernel-in DIR, with the same flags, continues from
these kernels, and finds the same numbers as without them.`,
		Example: `  ansatz plan convrfm --data cifar10 --train 10000 --test 2000 --iters 0 --out out/cntk-10000
  ansatz plan convrfm --data cifar10 --train 5000 --kernel cntk-gap --size 16 --iters 0 --shards 200 --out out/gap
  ansatz convrfm --data cifar10 --train 10000 --test 2000 --iters 0 --kernel-in out/cntk-10000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeConvRFM(c, &s); err != nil {
				return err
			}
			return p.write(kernelmachine.PlanConvRFM(c.Context(), s.ConvRFMSpec, a.threads, p.shards))
		},
	}
	convFlags(c.Flags(), &s)
	return c
}

func (a *app) planNTK(p *planFlags) *cobra.Command {
	s := tangent.NTKSpec{Images: -1}
	c := &cobra.Command{
		Use:   "ntk --arch A --data D --out DIR",
		Short: "Divide the neural tangent kernel of ansatz ntk into blocks",
		Long: `plan ntk divides the neural tangent kernel Θ = JJᵀ of ansatz ntk, whose flags it takes except those
of the kernel at infinite width, which is not divided (ansatz ntk computes it). A unit is the block
of Θ of some images with others: with --kernel diagonal a block for every output, with --by-layer
also one for every layer. A process holds the gradients of these images only.
There are as many blocks as the shards need, more if a block would take more than half an hour
or 4 GiB, and at most one for every two batches of images: a smaller --batch allows more.

Merging computes the spectrum, for which memory has to hold Θ a few times, and writes to DIR what
ansatz ntk writes to its --out, bit for bit, except for times. DIR/gram.npy is the file of
--gram-out. With --init-weights there are two kernels.

Paths are relative to the working folder: run the shards from the same one. Weights or images that
differ from those of the plan are refused.`,
		Example: `  ansatz plan ntk --arch lenet --data mnist --images 2000 --out out/ntk
  ansatz plan ntk --arch resnet20 --data cifar10 --images 500 --shards 50 --out out/ntk-resnet20
  ansatz plan ntk --arch lenet --data mnist --images 2000 --kernel trace --by-layer --out out/ntk-layers
  ansatz plan ntk --arch lenet --data mnist --weights out/lenet/best.safetensors ` +
			`--init-weights out/lenet/initial.safetensors --images 1000 --out out/ntk-trained`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeNTK(c, &s); err != nil {
				return err
			}
			return p.writeDivided(tangent.PlanNTK(s, a.threads, p.shards))
		},
	}
	ntkFlags(c.Flags(), &s)
	return c
}

func (a *app) planTabular(p *planFlags) *cobra.Command {
	var s tabular.Spec
	c := &cobra.Command{
		Use:   "tabular --benchmark uci121|grinsztajn|PATH --out DIR",
		Short: "Divide ansatz tabular by tables",
		Long: `plan tabular divides ansatz tabular, whose flags it takes: a unit is a table, with all methods.
Every table is read once, for its digest. Merging writes to DIR what ansatz tabular writes to its
--out, except for times.`,
		Example: `  ansatz plan tabular --benchmark uci121 --out out/uci
  ansatz plan tabular --benchmark grinsztajn --configs 40 --repeats 5 --shards 20 --out out/trees`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeTabular(c, &s); err != nil {
				return err
			}
			return p.writeDivided(tabular.PlanBenchmark(c.Context(), s, a.threads, p.shards))
		},
	}
	tabularFlags(c.Flags(), &s)
	return c
}

func (a *app) planTrain(p *planFlags) *cobra.Command {
	var n train.Networks
	c := &cobra.Command{
		Use:   "train --arch A --data D --epochs N --out DIR",
		Short: "Divide the training of networks: data × architecture × width × seed",
		Long: `plan train plans networks, each to be trained as by ansatz train, whose flags it takes: every
dataset with every architecture, width and seed. A unit is a network; an interrupted one continues
from its checkpoint. Merging writes each to DIR/DATA/ARCH-width-W/seed-K as ansatz train writes it
to its --out, except for times and the checkpoint, and a table of all: sweep.csv, record.json and
report.html.

In --archs, quote names with commas: --archs '"mlp:64,32",lenet'.`,
		Example: `  ansatz plan train --arch vgg11 --data cifar10 --epochs 30 --lr .05 --momentum .9 ` +
			`--widths .25,.5,1 --seeds 3 --out out/vgg
  ansatz plan train --archs cnn1,cnn2,cnn3 --datasets mnist,cifar10 --epochs 10 --opt adam --out out/cnns`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeNetworks(c, &n); err != nil {
				return err
			}
			return p.write(train.PlanNetworks(c.Context(), n, a.threads, p.shards))
		},
	}
	f := c.Flags()
	trainFlags(f, &n.Spec)
	f.IntVar(&n.Seeds, "seeds", 1, "seeds of every network, from --seed on")
	flagcheck.Floats(f, &n.Widths, "widths", nil, "widths, A,B,…, instead of --width")
	f.StringSliceVar(&n.Archs, "archs", nil, "architectures, A,B,…, instead of --arch")
	f.StringSliceVar(&n.Datasets, "datasets", nil, "datasets, A,B,…, instead of --data")
	return c
}

// completeNetworks sets the fields of persistent flags. It returns a usage error if a flag is missing, or
// given in two forms.
func (a *app) completeNetworks(c *cobra.Command, n *train.Networks) error {
	n.Spec.Dir, n.Spec.Seed = a.dataDir, a.seed
	for _, f := range []struct{ one, several string }{{"arch", "archs"}, {"data", "datasets"}, {"width", "widths"}} {
		switch given := c.Flags().Changed(f.several); {
		case given && c.Flags().Changed(f.one):
			return usageError{fmt.Errorf("--%s and --%s: take one of them", f.one, f.several)}
		case !given && f.one != "width":
			if err := required(c, f.one); err != nil {
				return err
			}
		}
	}
	if slices.Contains(n.Widths, 0) {
		return usageError{errors.New("--widths 0: want numbers above 0")}
	}
	return required(c, "epochs")
}
