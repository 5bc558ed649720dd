package datasets

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/data/catalogue"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// List lists the datasets of the five papers and says which of them are in the data folder.
type List struct {
	Datasets []Entry `json:"datasets"`
}

// Entry is a dataset of the catalogue.
type Entry struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Kind     string   `json:"kind"` // images, tables or generated
	Papers   []string `json:"papers"`
	Present  bool     `json:"present"`
	Path     string   `json:"path,omitempty"` // of the first file
	Shape    string   `json:"shape,omitempty"`
	Classes  int      `json:"classes,omitempty"`
	Splits   []Split  `json:"splits,omitempty"`
	Variants []string `json:"variants,omitempty"` // as NAME:VARIANT
	Bytes    int64    `json:"bytes,omitempty"`    // to download
	Licence  string   `json:"licence,omitempty"`
	Home     string   `json:"home,omitempty"`
	ByHand   string   `json:"by_hand,omitempty"` // how to get files that cannot be downloaded
	Note     string   `json:"note,omitempty"`
}

// Split is a split as its publisher counts it.
type Split struct {
	Split string `json:"split"`
	Size  int    `json:"size"`
}

// NewList returns the catalogue, and which of its datasets are in the data folder dir; "" is the default folder.
func NewList(dir string) (*List, error) {
	l := &List{}
	for _, e := range catalogue.All() {
		d := Entry{
			Name: e.Name, Title: e.Title, Kind: string(e.Kind), Papers: e.Papers, Shape: e.Shape, Classes: e.Classes,
			Variants: e.Variants, Bytes: e.Bytes(), Licence: e.Licence, Home: e.Home, ByHand: e.ByHand, Note: e.Note,
		}
		for _, s := range e.Splits {
			d.Splits = append(d.Splits, Split{s.Name, s.Size})
		}
		var err error
		if d.Path, d.Present, err = findFiles(&e, dir); err != nil {
			return nil, err
		}
		l.Datasets = append(l.Datasets, d)
	}
	return l, nil
}

// findFiles looks for a file of a dataset, in any split.
func findFiles(e *catalogue.Entry, dir string) (path string, there bool, err error) {
	switch e.Kind {
	case catalogue.Generated:
		return "", true, nil
	case catalogue.Tables:
		return findTables(e, dir)
	}
	for _, split := range []string{"test", "train"} {
		path, err = data.Find(e.Name, data.Options{Dir: dir, Split: split})
		var missing *data.NotFoundError
		if !errors.As(err, &missing) {
			return path, err == nil, err
		}
	}
	return "", false, nil
}

// Table returns a row for each dataset.
func (l *List) Table() *report.Table {
	t := record.TableOf("datasets", "", l.Datasets,
		record.TextField("name", func(d Entry) string { return d.Name }),
		record.Field[Entry]{Column: report.Column{Name: "here"}, Cell: Entry.presentCell},
		record.TextField("papers", func(d Entry) string { return strings.Join(d.Papers, " ") }),
		record.TextField("shape", func(d Entry) string { return d.Shape }),
		record.CountField("classes", func(d Entry) int { return d.Classes }),
		record.TextField("train, test", Entry.sizes), record.TextField("download", Entry.download),
		record.TextField("licence", func(d Entry) string { return d.Licence }))
	return &t
}

// presentCell says whether the dataset is in the data folder.
func (d Entry) presentCell() report.Cell {
	switch {
	case d.Kind == string(catalogue.Generated):
		return report.Cell{Text: "generated"}
	case d.Present:
		return report.Cell{Text: "yes", Mark: report.Good}
	}
	return report.Cell{Text: "no", Mark: report.Muted}
}

// sizes returns the numbers of training and test images, or rows.
func (d Entry) sizes() string {
	if len(d.Splits) > 1 {
		return fmt.Sprintf("%d, %d", d.split("train"), d.split("test"))
	}
	if len(d.Splits) == 1 {
		return fmt.Sprintf("%d in all", d.Splits[0].Size)
	}
	return ""
}

// split returns the size of a split. For a set without a test split, test is the validation split.
func (d Entry) split(name string) int {
	e, _ := catalogue.Find(d.Name)
	s, _ := e.Split(name)
	return s.Size
}

// download says how large the download is, or how else to get the dataset.
func (d Entry) download() string {
	switch {
	case d.Kind == string(catalogue.Generated):
		return ""
	case d.ByHand != "":
		return "by hand"
	case d.Bytes == 0:
		return "?"
	}
	return words.Bytes(d.Bytes)
}

// Summary counts the datasets.
func (l *List) Summary() string {
	here, generated := 0, 0
	for _, d := range l.Datasets {
		switch {
		case d.Kind == string(catalogue.Generated):
			generated++
		case d.Present:
			here++
		}
	}
	return fmt.Sprintf("%d datasets: %d of %d published ones are here, %d are generated. Get one: ansatz data get NAME",
		len(l.Datasets), here, len(l.Datasets)-generated, generated)
}
