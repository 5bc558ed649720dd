package report

import (
	"slices"
	"strings"
)

// The most rows of pictures, and the most matrices, that [Repeats] draws of several runs.
const (
	mostRepeatedRows     = 12
	mostRepeatedMatrices = 6
)

// Repeats draws a figure of pictures or of matrices as several runs made it, for example with other seeds; names are
// those of the runs. A row of pictures that differs between the runs is shown once for each of them with the run's name
// beside it, a matrix once for each with the name in its title, and what all runs have alike is shown once. The runs of
// a row stand together if names tell the rows apart; if not, the rows of a run do. Where there would be more than 12
// rows or 6 matrices, the last runs are left out. Charts, and figures whose forms differ, are not combined: the figure
// is then the first.
func Repeats(figures []Figure, names []string) (Figure, error) {
	first := figures[0]
	for n := len(figures); n > 1; n-- {
		var of []*Description
		for _, f := range figures[:n] {
			if f.Description != nil {
				of = append(of, f.Description)
			}
		}
		if d := repeats(of, names); len(of) == n && d != nil {
			drawn, err := d.Draw(first.Name)
			drawn.Caption = first.Caption
			return drawn, err
		}
	}
	return first, nil
}

// repeats returns the descriptions as one, nil if they have no common form or would be too large.
func repeats(of []*Description, names []string) *Description {
	all := *of[0]
	all.Rows, all.Images, all.Matrices = nil, nil, nil
	for _, d := range of {
		if d.Chart != of[0].Chart || len(d.Images) != len(of[0].Images) || len(d.Matrices) != len(of[0].Matrices) {
			return nil
		}
	}
	switch all.Chart {
	case images:
		if distinct(of[0].Rows) {
			for i := range of[0].Images {
				all.addRows(of, i, names)
			}
			break
		}
		all.addRuns(of, names)
	case matrices:
		for i := range of[0].Matrices {
			all.addMatrices(of, i, names)
		}
	default:
		return nil
	}
	if len(all.Images) > mostRepeatedRows || len(all.Matrices) > mostRepeatedMatrices {
		return nil
	}
	if !slices.ContainsFunc(all.Rows, func(s string) bool { return s != "" }) {
		all.Rows = nil
	}
	return &all
}

// addRows adds the i-th row of pictures of every run, or of the first alone if they look alike.
func (d *Description) addRows(of []*Description, i int, names []string) {
	for k, run := range of {
		if rowAlike(of, i) {
			d.addRow(run, i, "")
			return
		}
		d.addRow(run, i, names[k])
	}
}

// addRuns adds the rows that all runs have alike, then those in which they differ, one run after another.
func (d *Description) addRuns(of []*Description, names []string) {
	for i := range of[0].Images {
		if rowAlike(of, i) {
			d.addRow(of[0], i, "")
		}
	}
	for k, run := range of {
		for i := range run.Images {
			if !rowAlike(of, i) {
				d.addRow(run, i, names[k])
			}
		}
	}
}

// addRow adds the i-th row of a run, with the run's name beside it.
func (d *Description) addRow(run *Description, i int, name string) {
	if i < len(run.Rows) {
		name = ofRun(run.Rows[i], name)
	}
	d.Rows, d.Images = append(d.Rows, name), append(d.Images, run.Images[i])
}

// rowAlike reports whether the i-th row of pictures looks alike in all runs.
func rowAlike(of []*Description, i int) bool {
	return allAlike(of, func(d *Description) bool { return slices.EqualFunc(of[0].Images[i], d.Images[i], looksLike) })
}

// distinct reports whether names tell things apart.
func distinct(names []string) bool {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	return len(names) > 0 && len(seen) == len(names)
}

// addMatrices adds the i-th matrix of every run, or of the first alone if they are equal.
func (d *Description) addMatrices(of []*Description, i int, names []string) {
	alike := func(other *Description) bool { return slices.Equal(of[0].Matrices[i].Data, other.Matrices[i].Data) }
	for k, run := range of {
		m := run.Matrices[i]
		if allAlike(of, alike) {
			d.Matrices = append(d.Matrices, m)
			return
		}
		m.Title = ofRun(m.Title, names[k])
		d.Matrices = append(d.Matrices, m)
	}
}

// allAlike reports whether every description is like the first.
func allAlike(of []*Description, like func(*Description) bool) bool {
	return !slices.ContainsFunc(of, func(d *Description) bool { return !like(d) })
}

// ofRun returns the name of a row or matrix with that of its run.
func ofRun(name, run string) string {
	return strings.Trim(name+", "+run, ", ")
}

// looksLike reports whether two pictures are drawn in the same colours, with the same caption.
func looksLike(a, b Image) bool {
	if a.Height != b.Height || a.Width != b.Width || a.Channels != b.Channels || a.Caption != b.Caption || a.Map != b.Map {
		return false
	}
	for i := range a.Height * a.Width {
		if a.colour(i) != b.colour(i) {
			return false
		}
	}
	return true
}
