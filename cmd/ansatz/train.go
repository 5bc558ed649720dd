package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ansatz-lab/ansatz/cmd/ansatz/progress"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/spf13/cobra"
)

func (a *app) train() *cobra.Command {
	var s train.Spec
	var r train.Run
	seeds := 1
	c := &cobra.Command{
		Use:   "train --arch A --data D --epochs N",
		Short: "Train a network, and measure the ansatz while it learns",
		Long: `train trains any of the architectures (see verify --help) or one in a TOML file.

The folder --out gets initial.safetensors, best.safetensors and last.safetensors, which
PyTorch's loader and ansatz verify read; history.csv; report.html with its figures; and a
checkpoint. A run that was killed at any moment continues with --resume and ends with the
same weights, bit for bit.

With --track-ansatz K the similarity of CNFM and AGOP of every layer, its null and the
excess are measured every K steps on a fixed set of images, with W and with W − W₀.

Test images choose nothing: the best weights are those with the smallest validation loss
if --validation N holds images out, else those with the smallest training loss.`,
		Example: `  ansatz train --arch lenet --data mnist --epochs 5 --batch 32 --lr .02 --momentum .9 --out out/lenet
  ansatz train --arch vgg11 --width .25 --data cifar10 --epochs 30 --lr .05 --momentum .9 --schedule cosine ` +
			`--crop 4 --flip --track-ansatz 500
  ansatz train --arch simplenet --data cifar10 --epochs 20 --opt adadelta --init normal:1e-4 --weight-decay 1e-3
  ansatz train --arch lenet --data mnist --epochs 10 --opt adam --validation 5000 --patience 3 --seeds 5 --json
  ansatz train --arch lenet --data mnist --epochs 5 --batch 32 --lr .02 --momentum .9 --out out/lenet --resume`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := required(c, "arch", "data", "epochs"); err != nil {
				return err
			}
			s.Dir, s.Seed, s.Threads = a.dataDir, a.seed, a.threads
			r.Out, r.Command = a.out, a.command
			if r.Out == "" {
				r.Out = filepath.Join("out", fmt.Sprintf("train-%s-%s", filepath.Base(s.Arch), filepath.Base(s.Data)))
			}
			if c.Flags().Changed("seeds") && seeds != 1 {
				return a.trainSeeds(c.Context(), s, seeds, r)
			}
			return a.runTrain(c.Context(), s, r)
		},
	}
	trainFlags(c.Flags(), &s)
	runTrainFlags(c.Flags(), &r, &seeds)
	return c
}

func (a *app) runTrain(ctx context.Context, s train.Spec, r train.Run) error {
	t, err := train.NewTraining(ctx, s)
	if err != nil {
		return err
	}
	return runAndShow(a, func(bar *progress.Bar) (*train.Record, error) {
		r.Progress = a.trainProgress(bar)
		return t.Run(ctx, r)
	}, func(*train.Record) error { a.printReportPath(r.Out); return nil })
}

func (a *app) trainSeeds(ctx context.Context, s train.Spec, seeds int, r train.Run) error {
	return runAndShow(a, func(bar *progress.Bar) (*train.SeedsRecord, error) {
		r.Progress = a.trainProgress(bar)
		return train.RunSeeds(ctx, s, seeds, r, func(seed uint64) { a.logf("seed %d", seed) })
	}, func(*train.SeedsRecord) error { a.printReportPath(r.Out); return nil })
}

// trainProgress returns a function that shows a bar with loss, accuracy and time left, and writes a line
// for every epoch.
func (a *app) trainProgress(bar *progress.Bar) func(train.Progress) {
	return func(p train.Progress) {
		if e := p.Ended; e != nil {
			bar.End()
			text := fmt.Sprintf("epoch %d of %d: training loss %.4g, accuracy %.2f %%", e.Epoch, p.Epochs, e.TrainLoss,
				100*e.TrainAccuracy)
			if e.ValidationAccuracy != nil {
				text += fmt.Sprintf("; validation loss %.4g, accuracy %.2f %%", *e.ValidationLoss,
					100**e.ValidationAccuracy)
			}
			if e.TestAccuracy != nil {
				text += fmt.Sprintf("; test loss %.4g, accuracy %.2f %%", *e.TestLoss, 100**e.TestAccuracy)
			}
			a.logf("%s; %s", text, time.Duration(e.Seconds*1e9).Round(100*time.Millisecond))
			return
		}
		if p.Score.Images > 0 {
			bar.Note(fmt.Sprintf("epoch %d/%d loss %.4g acc %.2f %%", p.Epoch, p.Epochs, p.Score.MeanLoss(),
				100*p.Score.Accuracy()))
		}
		bar.Update(p.Stage, p.Done, p.Total)
	}
}

// printReportPath says on stderr where the page is. The results are complete even if that cannot be written.
func (a *app) printReportPath(dir string) {
	fmt.Fprintln(a.err, "Report:", filepath.Join(dir, "report.html"))
}
