package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
	"gonum.org/v1/gonum/stat"
)

// SeedsRecord is the result of trainings that differ only in the seed.
type SeedsRecord struct {
	Arch           string        `json:"arch"`
	Data           string        `json:"data"`
	Parameters     int           `json:"parameters"`
	Seeds          []uint64      `json:"seeds"`
	SecondsPerStep float64       `json:"seconds_per_step"` // the mean of the medians
	Epochs         []EpochSpread `json:"epochs"`           // the epochs that all seeds have
	Runs           []*Record     `json:"runs"`

	page record.PageData
}

// PageData returns the command by which the record is made.
func (r *SeedsRecord) PageData() *record.PageData { return &r.page }

// EpochSpread is an epoch over the seeds: means and, as NAME_sd, standard deviations (with n − 1).
type EpochSpread struct {
	EpochRecord
	TrainLossSD          float64  `json:"train_loss_sd"`
	TrainAccuracySD      float64  `json:"train_accuracy_sd"`
	ValidationLossSD     *float64 `json:"validation_loss_sd,omitempty"`
	ValidationAccuracySD *float64 `json:"validation_accuracy_sd,omitempty"`
	TestLossSD           *float64 `json:"test_loss_sd,omitempty"`
	TestAccuracySD       *float64 `json:"test_accuracy_sd,omitempty"`
}

// RunSeeds trains once for each seed from s.Seed on, in the folder seed-K of r.Out, and writes a table and a report
// over all seeds to r.Out. It calls begin before each training.
func RunSeeds(ctx context.Context, s Spec, seeds int, r Run, begin func(seed uint64)) (_ *SeedsRecord, err error) {
	if seeds < 2 {
		return nil, input.Errorf("--seeds %d: want at least 2, or leave it out", seeds)
	}
	release, err := input.LockFolder(r.Out, input.LockFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := checkSeedsFolder(r); err != nil {
		return nil, err
	}
	of := func(k int) (Spec, Run) {
		spec, run := s, r
		spec.Seed += uint64(k)
		if r.Out != "" {
			run.Out = filepath.Join(r.Out, fmt.Sprintf("seed-%d", spec.Seed))
		}
		return spec, run
	}
	for k := range seeds {
		if _, run := of(k); r.Out != "" {
			if _, err := openFolder(run); err != nil {
				return nil, err
			}
		}
	}
	out := &SeedsRecord{}
	for k := range seeds {
		spec, run := of(k)
		t, err := NewTraining(ctx, spec)
		if err != nil {
			return nil, err
		}
		if err := t.Check(run); err != nil {
			return nil, err
		}
		if r.Out != "" { // written again over all seeds
			if err := record.Retract(r.Out); err != nil {
				return nil, err
			}
		}
		begin(spec.Seed)
		one, err := t.Run(ctx, run)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", spec.Seed, err)
		}
		out.Seeds, out.Runs = append(out.Seeds, spec.Seed), append(out.Runs, one)
	}
	out.average()
	if r.Out == "" {
		return out, nil
	}
	out.page.Command = r.Command
	_, err = record.SaveRecord(r.Out, out)
	return out, err
}

// checkSeedsFolder returns an [*input.Error] if the folder over the seeds holds other results.
func checkSeedsFolder(r Run) error {
	if r.Out == "" {
		return nil
	}
	if err := errors.Join(record.CheckNoPlan(r.Out), record.CheckReplaceable(r.Out)); err != nil {
		return err
	}
	switch kind, err := record.KindIn(r.Out); {
	case err != nil:
		return err
	case kind != "" && kind != (&SeedsRecord{}).RecordKind():
		return input.Errorf("%s holds a record of something else (%s): give another --out", r.Out, kind)
	}
	return nil
}

// average computes the means and standard deviations over the runs.
func (r *SeedsRecord) average() {
	first := r.Runs[0]
	r.Arch, r.Data, r.Parameters = first.Arch, first.Data, first.Parameters
	epochs := len(first.Epochs)
	for _, run := range r.Runs {
		r.SecondsPerStep += run.SecondsPerStep / float64(len(r.Runs))
		epochs = min(epochs, len(run.Epochs))
	}
	for i := range epochs {
		r.Epochs = append(r.Epochs, r.averageEpoch(i))
	}
}

// averageEpoch returns the i-th epoch over the runs.
func (r *SeedsRecord) averageEpoch(i int) EpochSpread {
	over := func(of func(EpochRecord) *float64) (mean, sd *float64) {
		var x []float64
		for _, run := range r.Runs {
			v := of(run.Epochs[i])
			if v == nil {
				return nil, nil
			}
			x = append(x, *v)
		}
		m, s := stat.MeanStdDev(x, nil)
		return &m, &s
	}
	e := EpochSpread{EpochRecord: EpochRecord{Epoch: i + 1, LR: r.Runs[0].Epochs[i].LR}}
	mean, sd := over(func(e EpochRecord) *float64 { return &e.TrainLoss })
	e.TrainLoss, e.TrainLossSD = *mean, *sd
	mean, sd = over(func(e EpochRecord) *float64 { return &e.TrainAccuracy })
	e.TrainAccuracy, e.TrainAccuracySD = *mean, *sd
	mean, _ = over(func(e EpochRecord) *float64 { return &e.Seconds })
	e.Seconds = *mean
	e.ValidationLoss, e.ValidationLossSD = over(func(e EpochRecord) *float64 { return e.ValidationLoss })
	e.ValidationAccuracy, e.ValidationAccuracySD = over(func(e EpochRecord) *float64 { return e.ValidationAccuracy })
	e.TestLoss, e.TestLossSD = over(func(e EpochRecord) *float64 { return e.TestLoss })
	e.TestAccuracy, e.TestAccuracySD = over(func(e EpochRecord) *float64 { return e.TestAccuracy })
	return e
}

// Table returns a table with a row for the last epoch of every seed, and one for their mean and
// standard deviation.
func (r *SeedsRecord) Table() *report.Table {
	t := &report.Table{
		Name: "seeds", Caption: "The last epoch of every seed, and their mean and standard deviation.",
		Columns: []report.Column{
			{Name: "seed"}, {Name: "epochs", Numeric: true}, {Name: "training loss", Numeric: true},
			{Name: "training accuracy", Numeric: true},
			{Name: "validation accuracy", Numeric: true}, {Name: "test loss", Numeric: true},
			{Name: "test accuracy", Numeric: true},
		},
	}
	measures := []func(*EpochRecord) *float64{
		func(e *EpochRecord) *float64 { return &e.TrainLoss }, func(e *EpochRecord) *float64 {
			return &e.TrainAccuracy
		},
		func(e *EpochRecord) *float64 { return e.ValidationAccuracy },
		func(e *EpochRecord) *float64 { return e.TestLoss }, func(e *EpochRecord) *float64 { return e.TestAccuracy },
	}
	ends := make([][]float64, len(measures))
	for i, run := range r.Runs {
		row := []report.Cell{{Text: fmt.Sprint(r.Seeds[i])}, {Value: float64(len(run.Epochs))}}
		for k, of := range measures {
			var v *float64
			if e := run.Final(); e != nil {
				v = of(e)
			}
			row = append(row, record.NumberCell(v, "%.4f"))
			ends[k] = append(ends[k], record.ValueOrNaN(v))
		}
		t.Rows = append(t.Rows, row)
	}
	last := []report.Cell{{Text: "mean ± sd"}, {Text: " ", Value: math.NaN()}}
	for _, x := range ends {
		last = append(last, record.MeanCell(x, "%.4f"))
	}
	t.Rows = append(t.Rows, last)
	return t.WithoutEmpty()
}

// Tables returns the tables over the seeds: the last epoch and, if it was tracked, the last
// measurement of the ansatz.
func (r *SeedsRecord) Tables() []*report.Table {
	tables := []*report.Table{r.Table()}
	if len(r.Runs[0].Ansatz) > 0 {
		tables = append(tables, r.ansatzTable())
	}
	return tables
}

// ansatzTable returns the last excess over the null, layer by layer, over the seeds.
func (r *SeedsRecord) ansatzTable() *report.Table {
	t := &report.Table{
		Name: "ansatz-over-seeds", Caption: "Excess of the similarity over its null at the end of training, mean " +
			"and standard deviation over the seeds, and the number of seeds in which the layer exceeds its null.",
		Columns: []report.Column{{Name: "layer"}},
	}
	for _, c := range cnfmKinds {
		t.Columns = append(t.Columns, report.Column{Name: "excess, " + c.label, Numeric: true},
			report.Column{Name: "above, " + c.label, Numeric: true})
	}
	for i, l := range r.Runs[0].Ansatz[0].Layers {
		row := []report.Cell{{Text: l.Layer}}
		for _, c := range cnfmKinds {
			var x []float64
			above := 0
			for _, run := range r.Runs {
				a := c.of(run.Ansatz[len(run.Ansatz)-1].Layers[i])
				x = append(x, record.ValueOrNaN(a.Excess))
				if over, _ := a.Above(); over {
					above++
				}
			}
			row = append(row, record.MeanCell(x, "%+.3f"),
				report.Cell{Text: fmt.Sprintf("%d of %d", above, len(r.Runs)), Value: float64(above)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Summary returns the result of the trainings in a sentence.
func (r *SeedsRecord) Summary() string {
	if len(r.Epochs) == 0 {
		return fmt.Sprintf("%s (%d parameters) on %s, %s.", r.Arch, r.Parameters, r.Data, words.Count(len(r.Seeds), "seed"))
	}
	e := r.Epochs[len(r.Epochs)-1]
	text := fmt.Sprintf("%s (%d parameters) on %s, %s: training accuracy %.2f ± %.2f %%", r.Arch, r.Parameters,
		r.Data, words.Count(len(r.Seeds), "seed"), 100*e.TrainAccuracy, 100*e.TrainAccuracySD)
	if e.TestAccuracy != nil {
		text += fmt.Sprintf(", test accuracy %.2f ± %.2f %%", 100**e.TestAccuracy, 100**e.TestAccuracySD)
	}
	return text + fmt.Sprintf(" after %s (mean ± standard deviation over the seeds).", words.Count(e.Epoch, "epoch"))
}

// RecordKind implements [record.Record].
func (r *SeedsRecord) RecordKind() string { return "train-seeds" }

// Page returns the trainings as a page.
func (r *SeedsRecord) Page() (*report.Page, error) {
	p := &report.Page{Title: fmt.Sprintf("Training of %s on %s, %s", r.Runs[0].name(), r.Data, words.Count(len(r.Seeds), "seed")),
		Lead: r.Summary(), Provenance: r.Runs[0].provenance()}
	s := report.Section{Heading: "Over the seeds"}
	for _, t := range r.Tables() {
		s.Tables = append(s.Tables, *t)
	}
	var err error
	s.Figures, err = r.figures()
	p.Sections = []report.Section{s}
	return p, err
}

func (r *SeedsRecord) figures() ([]report.Figure, error) {
	var series []report.Series
	for _, c := range []struct {
		label    string
		mean, sd func(EpochSpread) float64
	}{
		{"training", func(e EpochSpread) float64 { return e.TrainAccuracy }, func(e EpochSpread) float64 {
			return e.TrainAccuracySD
		}},
		{"validation", func(e EpochSpread) float64 { return record.ValueOrNaN(e.ValidationAccuracy) },
			func(e EpochSpread) float64 { return record.ValueOrNaN(e.ValidationAccuracySD) }},
		{"test", func(e EpochSpread) float64 { return record.ValueOrNaN(e.TestAccuracy) }, func(e EpochSpread) float64 {
			return record.ValueOrNaN(e.TestAccuracySD)
		}},
	} {
		s := report.Series{Label: c.label}
		for _, e := range r.Epochs {
			if m := c.mean(e); !math.IsNaN(m) {
				s.X, s.Y = append(s.X, float64(e.Epoch)), append(s.Y, m)
				s.Low, s.High = append(s.Low, m-c.sd(e)), append(s.High, m+c.sd(e))
			}
		}
		if len(s.X) > 0 {
			series = append(series, s)
		}
	}
	if len(series) == 0 {
		return nil, nil
	}
	f, err := report.LineChart("accuracy", "Accuracy", "epoch", "accuracy", series)
	f.Caption = "Mean over the seeds ± one standard deviation."
	return []report.Figure{f}, err
}
