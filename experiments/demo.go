package experiments

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/models"
)

//go:embed demo.toml
var demoArchitecture []byte

// DemoSpec is a small network trained and verified on generated digits. Zero
// fields take the defaults.
type DemoSpec struct {
	Seed    uint64
	Epochs  int // default 8
	Train   int // images, default 10000
	Images  int // of the test split, to verify and test on; default 1000
	Backend string
	Threads int
}

// Demo is its result.
type Demo struct {
	Epochs []EpochRecord `json:"epochs"`
	Before *VerifyRecord `json:"before"` // at initialisation
	After  *VerifyRecord `json:"after"`  // after training
}

const demoBatch = 50

func (s DemoSpec) withDefaults() DemoSpec {
	set := func(v *int, otherwise int) {
		if *v == 0 {
			*v = otherwise
		}
	}
	set(&s.Epochs, 8)
	set(&s.Train, 10000)
	set(&s.Images, 1000)
	return s
}

// Check says what is wrong with the spec, if anything.
func (s DemoSpec) Check() error {
	if d := s.withDefaults(); d.Epochs < 1 || d.Train < demoBatch || d.Images < 1 {
		return badInput("a demo of %d epochs, %d training and %d test images: want at least 1, %d and 1", d.Epochs, d.Train, d.Images, demoBatch)
	}
	_, err := VerifySpec{Backend: s.Backend, Threads: s.Threads}.options()
	return err
}

// RunDemo trains the network and verifies it before and after. Progress, if
// not nil, is told the stage and how far it is.
func RunDemo(ctx context.Context, s DemoSpec, progress func(stage string, done, total int)) (*Demo, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	if progress == nil {
		progress = func(string, int, int) {}
	}
	a, err := models.Parse(demoArchitecture)
	if err != nil {
		return nil, err
	}
	training, err := newTraining(ctx, s.training(), a)
	if err != nil {
		return nil, err
	}
	test, err := openData(DataSpec{Data: "glyphs", Seed: s.Seed}, a)
	if err != nil {
		return nil, err
	}
	test.loader = &data.Loader{Dataset: test.set, Normalisation: training.data.normalisation, Workers: 1}
	before, err := verifyDemo(ctx, s, training.initial, training.initial, test, "before", progress)
	if err != nil {
		return nil, err
	}
	r, err := training.Run(ctx, TrainRun{Progress: func(p TrainProgress) { progress(p.Stage, p.Done, p.Total) }})
	if err != nil {
		return nil, err
	}
	after, err := verifyDemo(ctx, s, training.net, training.initial, test, "after", progress)
	if err != nil {
		return nil, err
	}
	if err := after.addPictures(ctx); err != nil {
		return nil, err
	}
	untrained, trained := before.VerifyRecord, after.VerifyRecord
	return &Demo{r.Epochs, &untrained, &trained}, nil
}

// training is how the demo trains.
func (s DemoSpec) training() TrainSpec {
	return TrainSpec{
		Data: "glyphs", Train: s.Train, Test: s.Images, Epochs: s.Epochs, Batch: demoBatch, LR: .05, Momentum: .9, WeightDecay: 5e-4,
		Schedule: "cosine", Seed: s.Seed, Backend: s.Backend, Threads: s.Threads,
	}
}

func verifyDemo(ctx context.Context, s DemoSpec, net, initial *models.Network, test *source, when string, progress func(string, int, int)) (*Verified, error) {
	v, err := newVerification(VerifySpec{
		DataSpec: DataSpec{Data: "glyphs", Seed: s.Seed}, Images: s.Images, Backend: s.Backend, Threads: s.Threads,
	}, net, test)
	if err != nil {
		return nil, err
	}
	v.initial = initial
	v.conv.Init = "the weights before training"
	v.conv.WeightsSHA256 = net.StateDict().SHA256()
	return v.Run(ctx, func(p cnfa.Progress) { progress(p.Stage+" "+when, p.Done, p.Total) })
}

// Summary says what the demo shows.
func (d *Demo) Summary() string {
	before, after := d.Before.overall(), d.After.overall()
	return fmt.Sprintf("Before training the similarity is %.2f on average and its null %.2f; after training it is %.2f and its null %.2f: "+
		"the excess, which is the alignment, went from %+.3f to %+.3f. %d of %d layers lie above their null by %d standard deviations (%d before). "+
		"Accuracy went from %.1f to %.1f %%.",
		before.pearson, before.null, after.pearson, after.null, before.excess(), after.excess(),
		after.above, after.judged, aboveNull, before.above, 100**d.Before.Accuracy, 100**d.After.Accuracy)
}

// Table sets the layers before and after training side by side.
func (d *Demo) Table() *report.Table {
	t := &report.Table{
		Name: "before-and-after", Caption: "Similarity of CNFM and AGOP before and after training, each with its null. Marked: above the null by two standard deviations.",
		Columns: []report.Column{{Name: "layer"}, {Name: "patch"}},
	}
	for _, when := range []string{"initial", "trained"} {
		t.Columns = append(t.Columns,
			report.Column{Name: when, Numeric: true, Help: "Pearson"}, report.Column{Name: "null", Numeric: true},
			report.Column{Name: "± null", Numeric: true}, report.Column{Name: "excess", Numeric: true, Help: "Pearson − null"})
	}
	t.Columns = append(t.Columns, report.Column{Name: "CNFMs", Numeric: true, Help: "Pearson of the CNFMs before and after training"})
	for i, before := range d.Before.Layers {
		after := d.After.Layers[i]
		row := []report.Cell{{Text: before.Layer}, {Text: patchText(before.Patch)}}
		for _, l := range []LayerRecord{before, after} {
			mark := report.Muted
			if above, _ := l.Above(); above {
				mark = report.Good
			}
			row = append(row, numberCell(l.Pearson, "%.3f"), numberCell(l.PearsonNull, "%.3f"), numberCell(l.PearsonNullSD, "%.3f"), markedCell(numberCell(l.Excess, "%+.3f"), mark))
		}
		t.Rows = append(t.Rows, append(row, numberCell(after.PearsonInit, "%.3f")))
	}
	return t
}

// Page is the demo as a report.
func (d *Demo) Page() (*report.Page, error) {
	p, err := d.After.Page()
	if err != nil {
		return nil, err
	}
	before, layers := d.Before.Series("at initialisation")
	after, _ := d.After.Series("after training")
	chart, err := report.LayerChart("before-and-after", "Similarity of CNFM and AGOP", "Pearson", []report.LayerSeries{before, after}, layers)
	if err != nil {
		return nil, err
	}
	chart.Caption = "The similarity is high before any training; what training changes is the excess over the null."
	curve, err := d.curve()
	if err != nil {
		return nil, err
	}
	p.Title = "The neural feature ansatz on generated digits, before and after training"
	p.Lead = d.Summary()
	p.Sections[0].Heading = "After training, by layer"
	p.Sections[0].Text = nil
	p.Sections = append([]report.Section{{
		Heading: "Before and after training",
		Text:    []string{whatTheNullIs + " " + whereTheNullIs},
		Figures: []report.Figure{chart, curve},
		Tables:  []report.Table{*d.Table()},
	}}, p.Sections...)
	return p, nil
}

func (d *Demo) curve() (report.Figure, error) {
	s := report.Series{Label: "training loss"}
	for _, e := range d.Epochs {
		s.X, s.Y = append(s.X, float64(e.Epoch)), append(s.Y, e.TrainLoss)
	}
	f, err := report.LineChart("training", "Training", "epoch", "cross-entropy", []report.Series{s})
	f.Caption = "Mean cross-entropy of the training images in each epoch."
	return f, err
}

// Save writes the report into a folder and returns the path of its page.
func (d *Demo) Save(dir string) (string, error) { return saveRecord(dir, d) }

// RecordKind implements [Record].
func (d *Demo) RecordKind() string { return "demo" }

// PageData is that of the network after training.
func (d *Demo) PageData() *PageData {
	if d.After == nil { // the record is about to be read
		d.After = &VerifyRecord{}
	}
	return d.After.PageData()
}
