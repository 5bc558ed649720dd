package rfmpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
)

var (
	keptMost     = study.NewMeasure("kept_most")
	gainMean     = study.NewMeasure("gain_mean")
	overVariance = study.NewMeasure("over_variance")
	gainLeast    = study.NewMeasure("gain_least")
	overRandom   = study.NewMeasure("over_random")
)

// TicketsSpec fits kernel machines again on the few coordinates that a feature matrix selects
// (rfm Fig. 6).
type TicketsSpec struct {
	Tasks      []setups.ImageTask `json:"tasks" toml:"tasks"`
	Train      int                `json:"train" toml:"train"`
	Test       int                `json:"test" toml:"test"` // 0 is all
	Iterations int                `json:"iterations" toml:"iterations"`
	Ridge      float64            `json:"ridge" toml:"ridge"`
	Sample     int                `json:"sample" toml:"sample"` // training images in the AGOP; 0 is all
	Threshold  float64            `json:"threshold" toml:"threshold"`
}

// fig6 returns lottery tickets.
func fig6() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig6", Paper: "rfm", Figure: "Fig. 6",
		Title: "Lottery tickets: kernel machines retrained on thresholded features",
		About: "The diagonal of the feature matrix M of a recursive feature machine is scaled to lie between 0 and " +
			"1, and a kernel machine is trained again on the coordinates above a threshold: RFM-T. Images are on the " +
			"unit sphere. CelebA stands at scale paper; at scale small pairs of classes of MNIST and of CIFAR-10, " +
			"scaled to 16×16, and a planted star stand in for its attributes, with images of its own for every seed. " +
			"Controls: as many coordinates drawn at random, and as many of the largest variance over the training " +
			"images.",
		Claims: []study.Claim{
			keptMost.Claim("Less than 5 % of the coordinates are left in every task.",
				"1.42 to 3.40 %", study.AtMost(.05)),
			gainMean.Claim("RFM-T is more accurate than the RFM, on average over the tasks.",
				"+1.6 to +3.8 points", study.Above(0)).WithControl(overVariance),
			gainLeast.Claim("It is so in every task.",
				"in 6 of 6", study.Above(0)),
			overRandom.Claim("The coordinates are worth more than as many drawn at random.",
				"not asked by the paper", study.AtLeast(.01)),
			overVariance.Claim("They are worth more than as many of the largest variance.",
				"not asked by the paper", study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &TicketsSpec{
				Tasks: []setups.ImageTask{
					{Name: "1 or 7", Data: "glyphs", Classes: "1,7", Size: 14},
					{Name: "star", Data: "star:size=3", Classes: "", Size: 0},
				}, Train: 80, Test: 60, Iterations: 1, Ridge: 1e-3, Threshold: rfm.TicketThreshold,
			},
			study.Small: &TicketsSpec{
				Tasks: append(standInTasks(),
					setups.ImageTask{Name: "star", Data: "star:cifar10,size=2", Classes: "", Size: 0}),
				Train: 2000, Iterations: 1, Ridge: 1e-3, Threshold: rfm.TicketThreshold,
			},
			study.PaperScale: &TicketsSpec{
				Tasks: celebaTasks("Eyeglasses", "Mustache", "Goatee", "Arched_Eyebrows", "Rosy_Cheeks", "Smiling"),
				Train: 40000, Iterations: 1, Ridge: 1e-3, Sample: 20000, Threshold: rfm.TicketThreshold,
			},
		},
	}
}

// ticketResult holds the accuracies of one task.
type ticketResult struct {
	name                                    string
	kept                                    float64 // share of the coordinates
	laplace, rfm, thresholded               float64 // test accuracies
	random, variance                        float64 // test accuracies on as many other coordinates
	picture, diagonal, features, byVariance report.Image
}

// Run implements Spec.
func (s *TicketsSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	if len(s.Tasks) == 0 {
		return nil, input.Errorf("no tasks: want at least one")
	}
	o := &study.Outcome{Values: map[string]float64{"kept_most": 0, "gain_least": math.Inf(1)}}
	t := report.Table{
		Name: "tickets", Caption: "Test accuracies, and the share of the coordinates that are left, in percent.",
		Columns: record.NumericColumns("task", "coordinates", "Laplace", "RFM", "RFM-T", "at random",
			"largest variance"),
	}
	var rows [][]report.Image
	n := float64(len(s.Tasks))
	for _, task := range s.Tasks {
		k, err := s.findTicket(ctx, in, task, o)
		if err != nil {
			return nil, err
		}
		row := []report.Cell{{Text: k.name}}
		for _, v := range []float64{k.kept, k.laplace, k.rfm, k.thresholded, k.random, k.variance} {
			row = append(row, record.PercentCell(v))
		}
		t.Rows = append(t.Rows, row)
		rows = append(rows, []report.Image{k.picture, k.diagonal, k.features, k.byVariance})
		v := o.Values
		v["kept_most"] = math.Max(v["kept_most"], k.kept)
		v["gain_least"] = math.Min(v["gain_least"], k.thresholded-k.rfm)
		v["gain_mean"] += (k.thresholded - k.rfm) / n
		v["over_random"] += (k.thresholded - k.random) / n
		v["over_variance"] += (k.thresholded - k.variance) / n
	}
	o.Tables = []report.Table{t}
	f, err := report.ImageGrid("tickets", []string{"", "diagonal of M", "coordinates left", "of the largest variance"},
		rows)
	f.Caption = "A row a task: an image, the diagonal of M (dark is 0), the coordinates above the threshold, and as " +
		"many of the largest variance; brighter where more channels of a pixel are left."
	f.Alt = "Thresholded feature matrices as images"
	o.Figures = []report.Figure{f}
	return o, err
}

// Jobs implements [study.Worker].
func (s *TicketsSpec) Jobs() ([]cost.Job, error) {
	return train.JobsOf(s.Tasks, func(t setups.ImageTask) ([]cost.Job, error) {
		m, test, err := t.MachineSize(s.Train, s.Test, s.Iterations, s.Sample)
		plain := plainMachine(m, test).Job()
		return []cost.Job{m.Job(), plain, plain, plain, plain}, err
	})
}

// findTicket finds the ticket of one task.
func (s *TicketsSpec) findTicket(
	ctx context.Context, in study.Setting, t setups.ImageTask, o *study.Outcome,
) (*ticketResult, error) {
	e, err := kernelmachine.OpenOwnExamples(ctx, in,
		examples.Spec{Data: t.Data, Classes: t.Classes, Size: t.Size, Train: s.Train, Test: s.Test, Sphere: true})
	if err != nil {
		return nil, err
	}
	kernelmachine.RecordExamples(o, t.Name, e)
	k := &ticketResult{name: t.Name}
	m := rfm.Machine{
		Ridge: s.Ridge, Iterations: s.Iterations, Sample: s.Sample, Task: rfm.Classification, Select: rfm.Last,
	}
	model, err := in.Fit(ctx, t.Name, m, e.Train)
	if err != nil {
		return nil, err
	}
	d := model.Metric().Dim()
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	features := model.Metric().Above(s.Threshold)
	variable := largest(variances(e.Train), len(features))
	random := models.Stream(in.Seed, "tickets at random").Perm(d)[:len(features)]
	k.kept = float64(len(features)) / float64(d)
	score, err := model.Score(ctx, e.Test.X, e.Test.Y)
	if err != nil {
		return nil, err
	}
	k.rfm = score.Accuracy
	for _, c := range []struct {
		features []int
		into     *float64
	}{{all, &k.laplace}, {features, &k.thresholded}, {random, &k.random}, {variable, &k.variance}} {
		if *c.into, err = accuracyOn(ctx, in, t.Name, m, e, c.features); err != nil {
			return nil, err
		}
	}
	k.picture = record.RowImage(e.Train.X.RawRowView(0), *e.Shape, t.Name)
	k.diagonal = record.HeatImage(model.Metric().Diagonal(), *e.Shape, "")
	k.features = record.HeatImage(rfm.Selection(d, features).Diagonal(), *e.Shape,
		fmt.Sprintf("%.2f %% left", 100*k.kept))
	k.byVariance = record.HeatImage(rfm.Selection(d, variable).Diagonal(), *e.Shape, "")
	return k, nil
}

// accuracyOn returns the test accuracy of the kernel machine on some coordinates.
func accuracyOn(
	ctx context.Context, in study.Setting, name string, m rfm.Machine, e *examples.Set, features []int,
) (float64, error) {
	model, err := in.FitOn(ctx, name, m, e.Train, features)
	if err != nil {
		return 0, err
	}
	score, err := model.Score(ctx, e.Test.X, e.Test.Y)
	return score.Accuracy, err
}
