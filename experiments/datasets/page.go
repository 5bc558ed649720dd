package datasets

import (
	"context"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
)

// Table returns a row for each split.
func (c *Check) Table() *report.Table {
	t := &report.Table{Name: "splits", Columns: []report.Column{
		{Name: "split"}, {Name: "images", Numeric: true}, {Name: "published", Numeric: true}, {Name: "shape"},
		{Name: "classes", Numeric: true},
		{Name: "per class"}, {Name: "mean"}, {Name: "std"}, {Name: "sha256"}, {Name: "found"},
	}}
	for _, s := range c.Splits {
		found := report.Cell{Text: s.summarise(c.Dataset), Mark: report.Good}
		if s.Problem != "" {
			found.Mark = report.Bad
		}
		t.Rows = append(t.Rows, []report.Cell{
			{Text: s.Split}, record.CountCell(s.Images), record.CountCell(s.Published), {Text: s.Shape},
			record.CountCell(len(s.Classes)),
			{Text: s.perClass()}, {Text: decimals(s.Mean)}, {Text: decimals(s.Std)},
			{Text: fmt.Sprintf("%.12s", s.SHA256)}, found,
		})
	}
	return t.WithoutEmpty()
}

// perClass returns the number of images of a class, or the range of the classes.
func (c *SplitCheck) perClass() string {
	switch {
	case len(c.Classes) == 0:
		return ""
	case c.Smallest == c.Largest:
		return fmt.Sprint(c.Smallest)
	}
	return fmt.Sprintf("%d to %d", c.Smallest, c.Largest)
}

// decimals formats one number for each channel.
func decimals(v []float32) string {
	var all []string
	for _, x := range v {
		all = append(all, fmt.Sprintf("%.4f", x))
	}
	return strings.Join(all, " ")
}

// Summary says whether the dataset is complete and unchanged.
func (c *Check) Summary() string { return c.Receipt.verdict(c.Dataset, c.OK) }

// summarise says in words whether the split is as published.
func (c *SplitCheck) summarise(dataset string) string {
	_, _, unknown := c.published(dataset)
	switch {
	case c.Problem != "":
		return c.Problem
	case c.Identical:
		return "identical to what was published"
	case c.Published > 0:
		return "as many images as published"
	case unknown:
		return "readable; the published number is unknown"
	}
	return "whole"
}

// A page shows shownPerClass images of each of the first shownClasses classes.
const (
	shownClasses  = 20
	shownPerClass = 12
)

// Save writes the report, with some of the images, into a folder and returns its path.
func (c *Inspection) Save(ctx context.Context, dir string) (string, error) {
	c.page.Figures = nil
	for i, set := range c.sets {
		if set == nil || c.Splits[i].Images == 0 {
			continue
		}
		f, err := imagesFigure(ctx, set, imagesName(i))
		if err != nil {
			return "", err
		}
		c.page.Figures = append(c.page.Figures, f)
	}
	return record.SaveRecord(dir, c)
}

// RecordKind implements [record.Record].
func (c *Check) RecordKind() string { return "data-check" }

// PageData returns the figures of the splits' images.
func (c *Check) PageData() *record.PageData { return &c.page }

// Page returns the report.
func (c *Check) Page() (*report.Page, error) {
	p := &report.Page{
		Title:    "The dataset " + c.Dataset,
		Lead:     c.Summary(),
		Sections: []report.Section{{Heading: "Splits", Tables: []report.Table{*c.Table()}}},
	}
	for i, split := range c.Splits {
		figures := c.page.Named(imagesName(i))
		if len(figures) == 0 {
			continue
		}
		heading := "Images"
		if split.Split != "" {
			heading = "The " + split.Split + " split"
		}
		p.Sections = append(p.Sections, report.Section{Heading: heading, Figures: figures})
	}
	return p, nil
}

// imagesName returns the name of the figure of a split's images.
func imagesName(split int) string { return fmt.Sprintf("images-%d", split+1) }

// imagesFigure draws the first images of each class.
func imagesFigure(ctx context.Context, set data.Dataset, name string) (report.Figure, error) {
	rows, err := firstOfEach(ctx, set)
	if err != nil {
		return report.Figure{}, err
	}
	f, err := report.ImageGrid(name, nil, rows)
	if err != nil {
		return f, err
	}
	what := "images"
	switch n := len(set.Classes()); {
	case n > shownClasses:
		what = fmt.Sprintf("images of each of the first %d classes", shownClasses)
	case n > 0:
		what = "images of each class"
	}
	f.Caption = fmt.Sprintf("The first %s of %s, in the order of the dataset.", what, set.Name())
	f.Alt, f.Wide = "Images of "+set.Name(), true
	return f, nil
}

// firstOfEach returns the first images of the first classes, a row for each.
func firstOfEach(ctx context.Context, set data.Dataset) ([][]report.Image, error) {
	labels, err := data.Labels(set)
	if err != nil {
		return nil, err
	}
	classes := set.Classes()
	rows := make([][]report.Image, max(1, min(len(classes), shownClasses)))
	px := make([]float32, set.Shape().Pixels())
	for i, l := range labels {
		l = max(l, 0)
		if l >= len(rows) || len(rows[l]) == shownPerClass {
			continue
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, err := set.Read(i, px); err != nil {
			continue // the check reports it
		}
		img := record.DatasetImage(px, set.Shape())
		if len(rows[l]) == 0 && len(classes) > 0 {
			img.Caption = classes[l]
		}
		rows[l] = append(rows[l], img)
	}
	return rows, nil
}
