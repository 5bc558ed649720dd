package report

import (
	"slices"
	"strings"
)

// The largest numbers of rows of pictures, and of matrices, that [Repeats] draws.
const (
	mostRepeatedRows     = 12
	mostRepeatedMatrices = 6
)

// Repeats combines the same figure of pictures or matrices from several runs, for example with other seeds, into one;
// names are the names of the runs. A row of pictures that differs between the runs is shown once for each run with the
// run's name beside it, a matrix once for each run with the name in its title; rows and matrices that are alike are shown
// once. The runs of a row stand together if the rows have distinct names, else the rows of a run do. If there would be more
// than 12 rows or 6 matrices, the last runs are left out. Charts, and figures of different forms, are not combined:
// Repeats then returns the first figure. There must be at least one.
func Repeats(figures []Figure, names []string) (Figure, error) {
	first := figures[0]
	for n := len(figures); n > 1; n-- {
		if d := repeats(figures[:n], names); d != nil {
			drawn, err := d.Draw(first.Name)
			drawn.Caption = first.Caption
			return drawn, err
		}
	}
	return first, nil
}

// repeats returns one description of all runs, or nil if one has none, if their forms differ or if it would be too large.
func repeats(figures []Figure, names []string) *Description {
	var of []*Description
	for _, f := range figures {
		d := f.Description
		if of = append(of, d); d == nil || d.Chart != of[0].Chart || len(d.Images) != len(of[0].Images) ||
			len(d.Matrices) != len(of[0].Matrices) {
			return nil
		}
	}
	all := *of[0]
	all.Rows, all.Images, all.Matrices = nil, nil, nil
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

// addRows adds the i-th row of pictures of every run, or only the first run's if they look alike.
func (d *Description) addRows(of []*Description, i int, names []string) {
	for k, run := range of {
		if rowAlike(of, i) {
			d.addRow(run, i, "")
			return
		}
		d.addRow(run, i, names[k])
	}
}

// addRuns adds the rows that look alike in all runs, then the others, one run after another.
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

// distinct reports whether there are names and no two are the same.
func distinct(names []string) bool {
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
	}
	return len(names) > 0 && len(seen) == len(names)
}

// addMatrices adds the i-th matrix of every run, or only the first run's if they are equal.
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

// ofRun returns the name of a row or matrix, followed by the name of its run.
func ofRun(name, run string) string {
	return strings.Trim(name+", "+run, ", ")
}

// looksLike reports whether two pictures have the same size, colours and caption.
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
