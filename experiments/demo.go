package experiments

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
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

// Demo is the result of [RunDemo].
type Demo struct {
	Epochs []train.EpochRecord `json:"epochs"`
	Before *verify.Record      `json:"before"` // at initialisation
	After  *verify.Record      `json:"after"`  // after training
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

// Check returns an [*input.Error] if a value is out of range.
func (s DemoSpec) Check() error {
	if d := s.withDefaults(); d.Epochs < 1 || d.Train < demoBatch || d.Images < 1 {
		return input.Errorf("a demo of %d epochs, %d training and %d test images: want at least 1, %d and 1", d.Epochs,
			d.Train, d.Images, demoBatch)
	}
	_, err := verify.Spec{Backend: s.Backend, Threads: s.Threads}.Options()
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
	a, err := archfile.Parse(demoArchitecture)
	if err != nil {
		return nil, err
	}
	training, err := train.NewTrainingOf(ctx, s.training(), a)
	if err != nil {
		return nil, err
	}
	test, err := input.Open(input.DataSpec{Data: "glyphs", Seed: s.Seed}, a)
	if err != nil {
		return nil, err
	}
	test.Loader = &data.Loader{Dataset: test.Dataset, Normalisation: training.Images().Normalisation, Workers: 1}
	before, err := verifyDemo(ctx, s, training.Initial(), training.Initial(), test, "before", progress)
	if err != nil {
		return nil, err
	}
	r, err := training.Run(ctx, train.Run{Progress: func(p train.Progress) { progress(p.Stage, p.Done, p.Total) }})
	if err != nil {
		return nil, err
	}
	after, err := verifyDemo(ctx, s, training.Network(), training.Initial(), test, "after", progress)
	if err != nil {
		return nil, err
	}
	if err := after.AddPictures(ctx); err != nil {
		return nil, err
	}
	untrained, trained := before.Record, after.Record
	return &Demo{r.Epochs, &untrained, &trained}, nil
}

// training returns the settings of the training.
func (s DemoSpec) training() train.Spec {
	return train.Spec{
		Data: "glyphs", Train: s.Train, Test: s.Images, Epochs: s.Epochs, Batch: demoBatch, LR: .05, Momentum: .9,
		WeightDecay: 5e-4,
		Schedule:    "cosine", Seed: s.Seed, Backend: s.Backend, Threads: s.Threads,
	}
}

func verifyDemo(
	ctx context.Context, s DemoSpec, net, initial *models.Network, test *input.Source, when string,
	progress func(string, int, int),
) (*verify.Verified, error) {
	v, err := verify.NewVerificationOf(verify.Spec{
		DataSpec: input.DataSpec{Data: "glyphs", Seed: s.Seed}, Images: s.Images, Backend: s.Backend,
		Threads: s.Threads,
	}, net, test)
	if err != nil {
		return nil, err
	}
	v.Options.Initial = initial
	v.Conv.Init = "the weights before training"
	v.Conv.WeightsSHA256 = net.StateDict().SHA256()
	return v.Run(ctx, func(p cnfa.Progress) { progress(p.Stage+" "+when, p.Done, p.Total) })
}

// Summary says what the demo shows.
func (d *Demo) Summary() string {
	before, after := d.Before.Overall(), d.After.Overall()
	return fmt.Sprintf("Before training the similarity is %.2f on average and its null %.2f; after training it is "+
		"%.2f and its null %.2f: the mean excess over the null went from %+.3f to %+.3f. %s by %d "+
		"standard deviations (%d before). "+
		"Accuracy went from %.1f to %.1f %%.",
		before.Pearson, before.Null, after.Pearson, after.Null, before.Excess(), after.Excess(),
		similarity.AboveText(after.Above, after.Judged), similarity.NullDeviations, before.Above, 100**d.Before.Accuracy,
		100**d.After.Accuracy)
}

// Tables returns a table with the layers before and after training side by side.
func (d *Demo) Tables() []*report.Table {
	t := &report.Table{
		Name: "before-and-after", Caption: "Similarity of CNFM and AGOP before and after training, each with its " +
			"null. Marked: above the null by two standard deviations.",
		Columns: []report.Column{{Name: "layer"}, {Name: "patch"}},
	}
	for _, when := range []string{"initial", "trained"} {
		t.Columns = append(t.Columns,
			report.Column{Name: when, Numeric: true, Help: "Pearson"}, report.Column{Name: "null", Numeric: true},
			report.Column{Name: "± null", Numeric: true},
			report.Column{Name: "excess", Numeric: true, Help: "Pearson − null"})
	}
	t.Columns = append(t.Columns, report.Column{
		Name: "CNFMs", Numeric: true, Help: "Pearson of the CNFMs before and after training",
	})
	for i, before := range d.Before.Layers {
		after := d.After.Layers[i]
		row := []report.Cell{{Text: before.Layer}, {Text: record.PatchText(before.Patch)}}
		for _, l := range []verify.LayerRecord{before, after} {
			mark := report.Muted
			if above, _ := l.Above(); above {
				mark = report.Good
			}
			row = append(row, record.NumberCell(l.Pearson, "%.3f"), record.NumberCell(l.PearsonNull, "%.3f"),
				record.NumberCell(l.PearsonNullSD, "%.3f"),
				record.MarkedCell(record.NumberCell(l.Excess, "%+.3f"), mark))
		}
		t.Rows = append(t.Rows, append(row, record.NumberCell(after.PearsonInit, "%.3f")))
	}
	return []*report.Table{t}
}

// Page is the demo as a report.
func (d *Demo) Page() (*report.Page, error) {
	p, err := d.After.Page()
	if err != nil {
		return nil, err
	}
	before, layers := d.Before.Series("at initialisation")
	after, _ := d.After.Series("after training")
	chart, err := report.LayerChart("before-and-after", "Similarity of CNFM and AGOP", "Pearson correlation of WᵀW and AGOP",
		[]report.LayerSeries{before, after}, layers)
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
		Text:    []string{verify.WhatTheNullIs + " " + verify.WhereTheNullIs},
		Figures: []report.Figure{chart, curve},
		Tables:  []report.Table{*d.Tables()[0]},
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
func (d *Demo) Save(dir string) (string, error) { return record.SaveRecord(dir, d) }

// RecordKind implements [record.Record].
func (d *Demo) RecordKind() string { return "demo" }

// PageData returns the page data of the record after training.
func (d *Demo) PageData() *record.PageData {
	if d.After == nil { // the record is about to be read
		d.After = &verify.Record{}
	}
	return d.After.PageData()
}
