package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) verify() *cobra.Command {
	var s verify.Spec
	c := &cobra.Command{
		Use:   "verify --arch A [--weights F] --data D",
		Short: "Verify the ansatz, layer by layer, for any network",
		Long: `verify measures, for every convolution and linear layer of a trained network, the similarity
of the covariance WᵀW of its filters (the CNFM) and the average gradient outer product (AGOP)
with respect to the patches that it reads.

A random network has most of that similarity too: the AGOP is WᵀSW, with S the second moment
of the gradients at the layer's output, and so contains W. The column null is the similarity
after S is rotated at random; the excess over it is the alignment of filters and gradients.

Architectures by name are torchvision's (alexnet; vgg11, 13, 16 and 19, also as vgg11_bn and
so on; resnet18, 34, 50, 101 and 152; wide_resnet50_2 and 101_2; resnext50_32x4d,
resnext101_32x8d and 101_64x4d; densenet121, 161, 169 and 201; squeezenet1_0 and 1_1;
googlenet; mobilenet_v2, mobilenet_v3_small and _large; efficientnet_b0 … b7; convnext_tiny,
_small, _base and _large; vit_b_16, b_32, l_16, l_32 and h_14), resnet18_3x3 for small images,
the CIFAR ResNets (resnet20, 32, 44, 56 and 110), lenet, mlp and mlp:W1,W2,…, and those that
the papers train: simplenet, cnn-vec, cnn-max, cnn-avg, cnn1 … cnn5, linear-cnn, linear; cnn3:5
has patches of 5×5. Any other is read from an ONNX file, or described in a small TOML file (see
ansatz arch --help).

Weights are PyTorch's .pth, .pt and .th files and safetensors. A pattern ('run/*.pth') or a
folder stands for several checkpoints of one network, which are drawn as curves over the number
in their names, such as the epoch. Data is a name that ansatz data list shows, or a folder of
images.`,
		Example: `  ansatz verify --arch resnet20 --weights resnet20.th --data cifar10 --images 500
  ansatz verify --arch vgg11 --weights vgg11.pth --data photos/ --images 10 --outputs probes:16
  ansatz verify --arch resnet18 --weights 'run/epoch*.pth' --data photos/ --out results/run
  ansatz verify --arch my.toml --weights my.safetensors --data mnist --json --out results/my`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeVerify(c, &s); err != nil {
				return err
			}
			if s.AreCheckpoints() {
				return a.runCheckpoints(c.Context(), s)
			}
			return a.runVerify(c.Context(), s)
		},
	}
	verifyFlags(c.Flags(), &s)
	return c
}

// completeVerify sets the fields of persistent flags. It returns a usage error if a flag is missing.
func (a *app) completeVerify(c *cobra.Command, s *verify.Spec) error {
	s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
	return required(c, "arch", "data")
}

// verifyFlags adds the flags of a verification.
func verifyFlags(f *pflag.FlagSet, s *verify.Spec) {
	archFlags(f, &s.Arch, &s.Width, &s.Prefix)
	f.StringVar(&s.Weights, "weights", "", "file of the trained weights, or a pattern or folder of several (default: those of "+
		"an ONNX file)")
	f.StringVar(&s.Data, "data", "", "dataset: a name, or the path of a folder of images")
	f.StringVar(&s.Split, "split", "test", "split of the dataset: train, test or validation")
	f.IntVar(&s.Images, "images", -1, fmt.Sprintf("number of images (default: %d, or all if there are fewer)",
		verify.DefaultImages))
	f.Lookup("images").DefValue = "0" // which the help leaves out
	f.StringVar(&s.Outputs, "outputs", "all", "sum over all outputs, or probes:N for N random combinations of them")
	f.StringVar(&s.Layers, "layers", "", "regular expression of the layers to measure (default: all)")
	f.StringVar(&s.InitWeights, "init-weights", "", "file of the weights before training (default: a fresh initialisation)")
	f.BoolVar(&s.MinusInit, "minus-init", false, "take W − W₀ instead of W for the CNFM")
	f.StringVar(&s.Alignments, "alignments", similarity.DefaultStatements, "published statements to compare: names such as "+
		"nfa^0.5,fact, or all")
	f.StringVar(&s.Normalise, "normalise", "", "none, imagenet, dataset or MEAN/STD (default: the weights' or the "+
		"architecture's own)")
	scalingFlags(f, &s.Size, &s.Fit)
	f.IntVar(&s.Groups, "groups", 0, fmt.Sprintf("groups of images for the standard error (default: %d)", cnfa.DefaultGroups))
	f.IntVar(&s.NullDraws, "null-draws", 0, fmt.Sprintf("random rotations of the null (default: %d)", cnfa.DefaultNullDraws))
	f.IntVar(&s.Batch, "batch", 0, "most images to process at a time (default: chosen for memory and caches)")
	precisionFlags(f, &s.Precision, &s.Backend)
}

func (a *app) runVerify(ctx context.Context, s verify.Spec) error {
	v, err := verify.NewVerification(s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	record, err := withBar(a, func(bar *progress.Bar) (*verify.Verified, error) {
		return v.Run(ctx, func(p cnfa.Progress) { bar.Update(p.Stage, p.Done, p.Total) })
	})
	if err != nil {
		return err
	}
	return errors.Join(show(a, record, record.Summary()+"\n"+record.Setting(), record.Tables()...),
		a.saveReport(record, func(dir string) (string, error) { return record.Save(ctx, dir) }))
}

// runCheckpoints verifies several files of weights.
func (a *app) runCheckpoints(ctx context.Context, s verify.Spec) error {
	v, err := verify.NewCheckpoints(s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	return runAndShow(a, func(bar *progress.Bar) (*verify.CheckpointsRecord, error) {
		return v.Run(ctx, func(p cnfa.Progress) { bar.Update(p.Stage, p.Done, p.Total) })
	}, func(r *verify.CheckpointsRecord) error { return a.saveReport(r, r.Save) })
}
