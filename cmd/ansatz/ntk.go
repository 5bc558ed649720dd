package main

import (
	"errors"
	"fmt"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/flagcheck"
	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) ntk() *cobra.Command {
	s := tangent.NTKSpec{Images: -1}
	var gram, infinite string
	c := &cobra.Command{
		Use:   "ntk --arch A --data D",
		Short: "Compute the neural tangent kernel, its spectrum and its effective rank",
		Long: `ntk computes the neural tangent kernel Θ = JJᵀ of a network at images, J the Jacobian of
all its outputs with respect to all its weights, and the singular values of J, their effective rank
(the exponential of their entropy) and the condition number.

The network has fresh weights unless --weights names a file. With --init-weights, the
weights before training, it also measures how much training changed the kernel.
--kernel diagonal keeps each output's own kernel and none between different outputs, --kernel
trace their mean. --by-layer measures each layer's part of Θ. --infinite-width also computes the
kernel that Θ tends to as the network is made wider, in the NTK parameterisation. Images are the
first of the test split.`,
		Example: `  ansatz ntk --arch lenet --width 2 --data mnist --images 100
  ansatz ntk --arch lenet --data mnist --images 100 --normalise none --shift 7 --json
  ansatz ntk --arch lenet --data mnist --weights out/lenet/best.safetensors --init-weights out/lenet/initial.safetensors
  ansatz ntk --arch lenet --data mnist --outputs 1 --images 600 --gram-out gram.npy --out out/ntk
  ansatz ntk --arch lenet --data mnist --images 1000 --kernel trace --by-layer
  ansatz ntk --arch lenet --data mnist --images 300 --kernel diagonal
  ansatz ntk --arch mlp:64,64 --data mnist --images 200 --kernel trace --parameterisation ntk --infinite-width
  ansatz plan ntk --arch lenet --data mnist --images 2000 --out out/ntk2000`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.completeNTK(c, &s); err != nil {
				return err
			}
			if infinite != "" && !s.Infinite {
				return newUsageError(c, "%s: --infinite-gram-out is for --infinite-width")
			}
			return a.runNTK(c, s, gram, infinite)
		},
	}
	ntkFlags(c.Flags(), &s)
	c.Flags().BoolVar(&s.Infinite, "infinite-width", false, "also compute the kernel of the same architecture at infinite "+
		"width, and how far the network's is from it (needs --parameterisation ntk)")
	flagcheck.OutputFile(c.Flags(), &infinite, "infinite-gram-out", "file for the kernel of infinite width, NPY, images × images")
	flagcheck.OutputFile(c.Flags(), &gram, "gram-out", "file for the kernel, NPY: rows are images, and within an image its "+
		"outputs; a diagonal kernel is outputs × images × images")
	return c
}

// completeNTK sets the fields without a flag of their own. It returns a usage error if a flag is missing or
// invalid.
func (a *app) completeNTK(c *cobra.Command, s *tangent.NTKSpec) error {
	if err := required(c, "arch", "data"); err != nil {
		return err
	}
	if c.Flags().Changed("images") && s.Images < 0 {
		return usageError{fmt.Errorf("--images %d: want at least 1", s.Images)}
	}
	s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
	return nil
}

// ntkFlags adds the flags of the network and of the images. By default the number of images is chosen.
func ntkFlags(f *pflag.FlagSet, s *tangent.NTKSpec) {
	archFlags(f, &s.Arch, &s.Width, &s.Prefix)
	initFlags(f, &s.Init, &s.Parameterisation)
	f.StringVar(&s.Weights, "weights", "", "file of trained weights (default: a fresh initialisation)")
	f.StringVar(&s.InitWeights, "init-weights", "", "file of the weights before training, to compare the kernel with")
	f.StringVar(&s.Data, "data", "", "dataset: a name, or the path of a folder of images")
	f.StringVar(&s.Split, "split", "test", "split of the dataset: train, test or validation")
	f.IntVar(&s.Images, "images", -1, fmt.Sprintf("number of images (default: %d, or all if there are fewer)",
		tangent.DefaultKernelImages))
	f.Lookup("images").DefValue = "0" // which the help leaves out
	f.StringVar(&s.Kernel, "kernel", "full", "full; diagonal: a kernel of its own for each output, without those between "+
		"outputs; or trace: their mean, with a row for each image")
	f.BoolVar(&s.ByLayer, "by-layer", false, "measure the kernel of every layer: its alignment with the labels "+
		"beside the null, and its share of the predictions")
	f.IntVar(&s.Shift, "shift", 0, "random shifts of the images by up to this many pixels")
	f.IntVar(&s.Outputs, "outputs", 0, "outputs of a network of fresh weights, such as 1 for a binary task "+
		"(default: one for each class)")
	f.StringVar(&s.Normalise, "normalise", "", "none, imagenet, dataset or MEAN/STD (default: as --weights were "+
		"trained, else dataset)")
	scalingFlags(f, &s.Size, &s.Fit)
	f.IntVar(&s.Batch, "batch", 0, "most images to process at a time (default: chosen for memory and caches)")
	f.IntVar(&s.Precision, "precision", 32, "32 or 64 bits of the gradients")
	backendFlag(f, &s.Backend)
}

func (a *app) runNTK(c *cobra.Command, s tangent.NTKSpec, gram, infinite string) error {
	m, err := tangent.NewNTK(s)
	if err != nil {
		return err
	}
	if err := a.checkResults(); err != nil {
		return err
	}
	return runAndShow(a, func(bar *progress.Bar) (*tangent.NTKRecord, error) {
		return m.Run(c.Context(), bar.Update)
	}, func(r *tangent.NTKRecord) error {
		return errors.Join(m.SaveGram(gram), m.SaveInfiniteGram(infinite), a.saveReport(r, r.Save))
	})
}
