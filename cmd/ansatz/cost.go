package main

import (
	"context"
	"io"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/scaling"
	"github.com/spf13/cobra"
)

func (a *app) cost() *cobra.Command {
	var s scaling.RFMCostSpec
	var conv scaling.ConvCostSpec
	c := &cobra.Command{
		Use:   "cost",
		Short: "Measure the cost of an iteration of RFM or ConvRFM as sizes grow",
		Long: `Times the kernel matrix, the regression, the AGOP and predictions on Gaussian inputs of
growing numbers and dimensions, and draws the times. They are meaningful only on a machine
that is otherwise idle.

With --kernel it times a convolutional kernel machine, and shows its peak memory: as the
number of images, the depth and the size of the images grow, each with the other two at the
middle of their lists; and on small images the CNTK that is averaged over positions. That takes
two or three minutes on two cores.`,
		Example: `  ansatz cost --out out/cost
  ansatz cost --examples 500,1000,2000 --features 32,512 --repeats 1
  ansatz cost --kernel cntk --out out/cost-conv
  ansatz cost --kernel cnngp --examples 50,100 --depths 1,2 --sizes 16,32 --pooled-sizes 8`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s.Seed, s.Threads = a.seed, a.threads
			if conv.Kernel == "" {
				cost, err := scaling.NewRFMCost(s)
				if err != nil {
					return err
				}
				return runTimed(c.Context(), a, cost.Run)
			}
			conv.Examples, conv.Outputs, conv.Repeats, conv.Backend, conv.Seed, conv.Threads = s.Examples, s.Outputs,
				s.Repeats, s.Backend, s.Seed, s.Threads
			cost, err := scaling.NewConvCost(conv)
			if err != nil {
				return err
			}
			return runTimed(c.Context(), a, cost.Run)
		},
	}
	f := c.Flags()
	f.IntSliceVar(&s.Examples, "examples", nil, "numbers of examples, rising (default: 500,1000,2000,4000,8000; with "+
		"--kernel 100,200,400,800)")
	f.IntSliceVar(&s.Features, "features", nil, "numbers of features, rising (default: 32,128,512,2048)")
	f.IntVar(&s.Outputs, "outputs", 0, "outputs (default: 10)")
	f.IntVar(&s.Repeats, "repeats", 0, "repeats of each measurement, of which the shortest counts (default: 3; "+
		"with --kernel 1)")
	backendFlag(f, &s.Backend)
	f.StringVar(&conv.Kernel, "kernel", "", "time a convolutional kernel machine: cntk, cntk-gap, cnngp or laplace")
	f.IntSliceVar(&conv.Depths, "depths", nil, "with --kernel: numbers of convolutions, rising (default: "+
		"1,2,3,4,5; 1 for laplace)")
	f.IntSliceVar(&conv.Sizes, "sizes", nil, "with --kernel: pixels along a side, rising (default: 16,24,32,48)")
	f.IntSliceVar(&conv.Pooled, "pooled-sizes", nil, "with --kernel: pixels along a side at which cntk-gap is "+
		"compared with cntk (default: 8,10,12)")
	f.IntVar(&conv.Channels, "channels", 0, "with --kernel: channels of the images (default: 3)")
	f.IntVar(&conv.Patch, "patch", 0, "with --kernel: pixels along a side of a patch (default: 3)")
	return c
}

// runTimed measures, and shows and saves the record.
func runTimed[R interface {
	Summary() string
	Tables() []T
	Save(dir string) (string, error)
}, T interface{ WriteText(io.Writer) error }](ctx context.Context, a *app,
	run func(ctx context.Context, progress func(done, total int)) (R, error)) error {
	if err := a.checkResults(); err != nil {
		return err
	}
	return runAndShow(a, func(bar *progress.Bar) (R, error) {
		return run(ctx, func(done, total int) { bar.Update("timing", done, total) })
	}, func(r R) error { return a.saveReport(r, r.Save) })
}
