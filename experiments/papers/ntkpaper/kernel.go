package ntkpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
)

// KernelChangeSpec is how far training takes the neural tangent kernel from where
// it was, by width.
type KernelChangeSpec struct {
	Arch     string      `json:"arch" toml:"arch"`
	Data     string      `json:"data" toml:"data"`
	Train    int         `json:"train,omitempty" toml:"train"` // images; 0 is all
	Test     int         `json:"test,omitempty" toml:"test"`   // images; 0 is all
	Probes   int         `json:"probes" toml:"probes"`         // test images that the kernel is of
	Widths   []float64   `json:"widths" toml:"widths"`         // factors on the network's own, rising
	Epochs   int         `json:"epochs" toml:"epochs"`
	Batch    int         `json:"batch" toml:"batch"`
	Momentum float64     `json:"momentum" toml:"momentum"`
	Descent  DescentSpec `json:"descent" toml:"descent"`
}

// kernelPath is the change of the kernel of a width, epoch after epoch, from 0.
type kernelPath struct {
	Width   float64
	Changes []models.KernelChange
	Weights float64             // ‖w − w₀‖/‖w₀‖ at the end
	Another models.KernelChange // of the kernel of other initial weights from that of these
	Test    float64             // accuracy at the end
}

func (p kernelPath) last() models.KernelChange { return p.Changes[len(p.Changes)-1] }

// kernel is the kernel's change.
func kernel() *study.Experiment {
	at := func(s KernelChangeSpec) *KernelChangeSpec {
		s.Arch, s.Batch, s.Momentum, s.Descent = "lenet", 32, .9, DescentSpec{.1, 5e-5}
		return &s
	}
	smoke := at(KernelChangeSpec{Data: "glyphs", Train: 60, Test: 20, Probes: 4, Widths: []float64{.2, .4}, Epochs: 1})
	smoke.Descent.Rate = .02
	return &study.Experiment{
		ID: "ntk/kernel", Paper: "ntk", Figure: "Section 1", Title: "How far training takes the tangent kernel from where it was, by width",
		About: "LeNets trained as in Fig. 2; after every epoch the kernel of the network as it is then, on the first test images, is compared with the kernel of the initial weights. " +
			"The paper does not measure it: it is the quantity that the theory says does not change in the limit of infinite width, in its parameterisation and at its learning rates; here both are PyTorch's. " +
			"A kernel that grows as a whole changes what is learned less than one that turns: the cosine does not see growth. " +
			"Beside it is how far the kernel of other initial weights is from that of these: kernels of the same images are alike for that reason alone.",
		Claims: []study.Claim{
			{Value: "change_falls", Sentence: "The relative change ‖Θ − Θ₀‖/‖Θ₀‖ falls with width (first over last).", Paper: "0 in the limit", Holds: study.Above(1)},
			{Value: "cosine_rises", Sentence: "The kernel turns less with width: its cosine with Θ₀ rises.", Paper: "1 in the limit", Holds: study.Above(0)},
			{Value: "weights_fall", Sentence: "The relative change of the weights falls with width (first over last).", Paper: "0 in the limit", Holds: study.Above(1)},
			{Value: "change_first", Sentence: "At the standard width the kernel is not the one that training began with.", Paper: "feature learning", Holds: study.AtLeast(.5)},
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke:      smoke,
			study.Small:      at(KernelChangeSpec{Data: "mnist", Train: 6000, Test: 2000, Probes: 50, Widths: []float64{1, 2, 5}, Epochs: 10}),
			study.PaperScale: at(KernelChangeSpec{Data: "mnist", Probes: 100, Widths: paperWidths(), Epochs: 100}),
		},
	}
}

// Run implements Spec.
func (s *KernelChangeSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Widths) == 0 || s.Probes < 1 {
		return nil, input.Errorf("%d widths, %d probes: want at least 1 of each", len(s.Widths), s.Probes)
	}
	o := &study.Outcome{Values: map[string]float64{}}
	var paths []kernelPath
	for _, width := range s.Widths {
		p, err := s.follow(ctx, in, width, o)
		if err != nil {
			return nil, fmt.Errorf("×%g: %w", width, err)
		}
		paths = append(paths, *p)
	}
	first, last := paths[0], paths[len(paths)-1]
	o.Values["change_first"], o.Values["change_last"] = first.last().Relative, last.last().Relative
	o.Values["change_falls"] = first.last().Relative / last.last().Relative
	o.Values["cosine_rises"] = last.last().Cosine - first.last().Cosine
	o.Values["weights_fall"] = first.Weights / last.Weights
	o.Values["another_cosine_first"], o.Values["another_cosine_last"] = first.Another.Cosine, last.Another.Cosine
	o.Tables = append(o.Tables, kernelPathTable(paths))
	o.Charts = append(o.Charts,
		kernelPathChart("change", "Relative change of the kernel", "relative change", paths, func(c models.KernelChange) float64 { return c.Relative }),
		kernelPathChart("cosine", "Alignment with the initial kernel", "cosine", paths, func(c models.KernelChange) float64 { return c.Cosine }),
		kernelPathChart("cosine-centred", "Alignment with the initial kernel, centred", "cosine", paths, func(c models.KernelChange) float64 { return c.Centred }))
	return o, nil
}

// follow trains a network and compares its kernel after every epoch.
func (s *KernelChangeSpec) follow(ctx context.Context, in study.Setting, width float64, o *study.Outcome) (*kernelPath, error) {
	t, err := train.NewTraining(ctx, train.Spec{
		Arch: s.Arch, Width: width, NoDropout: true, Data: s.Data, Dir: in.DataDir, Train: s.Train, Test: s.Test, Epochs: s.Epochs, Batch: s.Batch,
		LR: s.Descent.Rate, Momentum: s.Momentum, WeightDecay: s.Descent.Decay, Loss: models.MeanSquaredError.String(), Threads: in.Threads, Seed: in.Seed,
	})
	if err != nil {
		return nil, err
	}
	if err := recordDataOnce(o, s.Data+", training", t.Images().Train); err != nil {
		return nil, err
	}
	k := &kernelFollower{training: t, in: in, path: &kernelPath{Width: width, Changes: []models.KernelChange{{Cosine: 1, Centred: 1}}}}
	if err := k.begin(ctx, s.Probes); err != nil {
		return nil, err
	}
	r, err := train.TrainIn(ctx, in, t, "followed", train.Run{
		TestLast: true, AfterEpoch: k.after, Notes: &k.path.Changes,
		Progress: func(p train.Progress) { in.Report(fmt.Sprintf("×%g: training", width), p.Done, p.Total) },
	})
	if err != nil {
		return nil, err
	}
	k.path.Weights, k.path.Test = weightChange(t.Network(), t.Initial()), record.ValueOrNaN(r.Final().TestAccuracy)
	return k.path, nil
}

func kernelPathTable(paths []kernelPath) report.Table {
	t := report.Table{
		Name: "kernel", Caption: "The kernel after the last epoch against that of the initial weights, by width; and, the control, that of other initial weights against it.",
		Columns: record.NumericColumns("width", "change", "cosine", "cosine, centred", "cosine, other weights", "centred, other weights", "change of the weights", "test accuracy, %"),
	}
	for _, p := range paths {
		c := p.last()
		t.Rows = append(t.Rows, []report.Cell{
			{Text: fmt.Sprintf("×%g", p.Width)}, record.NumberCell(&c.Relative, "%.3f"), record.NumberCell(&c.Cosine, "%.4f"), record.NumberCell(&c.Centred, "%.4f"), record.NumberCell(&p.Another.Cosine, "%.4f"), record.NumberCell(&p.Another.Centred, "%.4f"), record.NumberCell(&p.Weights, "%.3f"), record.PercentCell(p.Test),
		})
	}
	return t
}

func kernelPathChart(name, title, label string, paths []kernelPath, of func(models.KernelChange) float64) study.Chart {
	c := study.Chart{Name: name, Title: title, XLabel: "epoch", YLabel: label, Caption: "After every epoch, on test images."}
	for _, p := range paths {
		s := report.Series{Label: fmt.Sprintf("×%g", p.Width)}
		for epoch, change := range p.Changes {
			s.X, s.Y = append(s.X, float64(epoch)), append(s.Y, of(change))
		}
		c.Series = append(c.Series, s)
	}
	return c
}
