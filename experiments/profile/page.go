package profile

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// mostShownComponents is how many rows the table of a profile has; the record has
// all.
const mostShownComponents = 64

// Tables are what the profile is like and is compared with, and the profile.
func (r *Record) Tables() []*report.Table {
	return []*report.Table{r.similarities(), r.components()}
}

// similarities has a row for the network and for what it is compared with.
func (r *Record) similarities() *report.Table {
	t := &report.Table{
		Name: "similarities", Caption: "The profile against others, and how each goes with the spectrum of the " +
			"patches. Marked is what lies above its null by two standard deviations.",
		Columns: []report.Column{
			{Name: "network"},
			{Name: "Pearson", Numeric: true, Help: "correlation with the profile of the first network; of fresh " +
				"initialisations, the mean over their seeds"},
			{Name: "± seeds", Numeric: true, Help: "its standard deviation over the seeds"},
			{Name: "± null", Numeric: true, Help: "its standard deviation, around 0, if one of the two sets of " +
				"filters were rotated at random"},
			{Name: "partial", Numeric: true, Help: "correlation of what a fit of σ and of the ranks " +
				"leaves of either profile"},
			{Name: "± null ", Numeric: true, Help: "its standard deviation by chance"},
			{Name: "with σ", Numeric: true, Help: "correlation of the profile with the standard deviations of the " +
				"patches along the components"},
			{Name: "with rank", Numeric: true, Help: "correlation of the profile with 1, 2, …"},
		},
	}
	none := record.NumberCell(nil, "")
	t.Rows = append(t.Rows, []report.Cell{{Text: r.Arch}, none, none, none, none, none,
		record.NumberCell(r.PearsonDeviations, "%.3f"), record.NumberCell(r.PearsonRank, "%.3f")})
	for _, c := range r.Against {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: c.label()}, aboveNullOf(c.Pearson, c.NullSD), record.NumberCell(c.PearsonSD, "%.3f"),
			record.NumberCell(c.NullSD, "%.3f"),
			aboveNullOf(c.Partial, c.PartialNullSD), record.NumberCell(c.PartialNullSD, "%.3f"),
			record.NumberCell(c.PearsonDeviations, "%.3f"), record.NumberCell(c.PearsonRank, "%.3f"),
		})
	}
	return t
}

// aboveNullOf is [aboveNullCell] of what may be absent.
func aboveNullOf(v, sd *float64) report.Cell {
	if v == nil || sd == nil {
		return record.NumberCell(v, "%.3f")
	}
	return AboveNullCell(*v, *sd)
}

// label names what was compared with.
func (c AgainstRecord) label() string {
	if c.Name == againstInit {
		return fmt.Sprintf("init, %d seeds", c.Seeds)
	}
	return fmt.Sprintf("%s, %s", c.Arch, filepath.Base(c.Name))
}

// components has a row for each component.
func (r *Record) components() *report.Table {
	t := &report.Table{
		Name: "profile", Caption: "The profile on the principal components of the patches. The energies of the " +
			"others are scaled to the same root mean square.",
		Columns: record.NumericColumns("component", "σ", "energy"),
	}
	shown := min(r.Components, mostShownComponents)
	if shown < r.Components {
		t.Caption += fmt.Sprintf(" The first %d of %d components: the record has all.", shown, r.Components)
	}
	var others [][]float64
	for k, c := range r.Against {
		if scaled := r.page.Numbers[againstCurve(k)]; scaled != nil {
			t.Columns = append(t.Columns, report.Column{Name: c.label(), Numeric: true})
			others = append(others, scaled)
		}
	}
	profile := r.profile()
	rms := RootMeanSquare(r.Profile)
	for i := range shown {
		row := []report.Cell{{Text: fmt.Sprint(i + 1)}, record.NumberCell(&profile.Deviations[i], "%.3g"),
			record.NumberCell(&r.Profile[i], "%.4g")}
		for _, e := range others {
			v := e[i] * rms
			row = append(row, record.NumberCell(&v, "%.4g"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// Save writes the report into a folder: report.html, its figures and tables, and
// record.json. It returns the path of the report.
func (r *EnergyProfiled) Save(dir string) (string, error) {
	components, err := ComponentsFigure("components", r.basis)
	if err != nil {
		return "", err
	}
	r.page.Figures = []report.Figure{components}
	return record.SaveRecord(dir, r)
}

// RecordKind implements [newRecord.Record].
func (r *Record) RecordKind() string { return "energy" }

// PageData is the components, and the profiles over their root mean squares.
func (r *Record) PageData() *record.PageData { return &r.page }

// Page is the record as a report.
func (r *Record) Page() (*report.Page, error) {
	curves, err := r.curves()
	if err != nil {
		return nil, err
	}
	s := report.Section{
		Heading: "Profile",
		Text: append([]string{"The energy profile of filters W is eᵢ = ‖W pᵢ‖ on the principal components pᵢ of " +
			"the patches of the images (energy, eq. 1). " + WhatPartialIs}, r.Notes...),
		Figures: append([]report.Figure{curves}, r.page.Figures...),
		Facts:   report.FactsOf(r.Conventions),
	}
	for _, t := range r.Tables() {
		s.Tables = append(s.Tables, *t)
	}
	return &report.Page{
		Title: fmt.Sprintf("The energy profile of %s on %s", r.Arch, r.Data), Lead: r.Summary(),
		Sections: []report.Section{s}, Provenance: r.provenance(),
	}, nil
}

// curves draws the profiles.
func (r *Record) curves() (report.Figure, error) {
	own, _ := ProfileSeries(r.Arch, r.profile()) // its spread was measured, so that it is not zero
	rotated := report.Series{Label: "rotated at random", X: own.X}
	level := r.page.Numbers[rotatedCurve] // and its deviation
	for range own.X {
		rotated.Y = append(rotated.Y, level[0])
		rotated.Low, rotated.High = append(rotated.Low, level[0]-similarity.NullDeviations*level[1]),
			append(rotated.High, level[0]+similarity.NullDeviations*level[1])
	}
	series := []report.Series{own, rotated}
	for k, c := range r.Against {
		scaled := r.page.Numbers[againstCurve(k)]
		if scaled == nil {
			continue
		}
		s := report.Series{Label: c.label(), X: own.X, Y: scaled}
		for i, sd := range r.page.Numbers[againstCurve(k)+"-sd"] {
			s.Low, s.High = append(s.Low, scaled[i]-sd), append(s.High, scaled[i]+sd)
		}
		series = append(series, s)
	}
	f, err := report.LineChart("profiles", "Energy profiles", "principal component", "energy / root mean square",
		series)
	f.Caption = "Energies by component, in descending order of the variance of the patches, over their root mean " +
		"square. The band of the filters rotated at random is ± 2 standard deviations, that of fresh initialisations " +
		"± 1 over their seeds."
	f.Wide = true
	return f, err
}

func (r *Record) provenance() []report.Fact {
	var others []report.Fact
	for _, a := range r.Against {
		others = append(others, report.Fact{Name: a.Name + ", SHA-256", Value: a.WeightsSHA256})
	}
	return r.Conventions.Provenance(r.page.Machine, r.Seconds, others...)
}

// AboveNullCell shows a correlation, marked where it lies above a null with mean 0 and this
// standard deviation.
func AboveNullCell(v, sd float64) report.Cell {
	if v > similarity.NullDeviations*sd {
		return record.MarkedCell(record.CorrelationCell(v), report.Good)
	}
	return record.MarkedCell(record.CorrelationCell(v), report.Muted)
}

// ComponentsFigure draws the components of a basis as patches.
func ComponentsFigure(name string, b *Basis) (report.Figure, error) {
	const columns, most = 9, 54
	patch := []int{b.Channels, b.Patch, b.Patch}
	var rows [][]report.Image
	for k := range min(b.Kept, most) {
		img := record.PatchImage(b.Vectors[k], patch)
		img.Caption = fmt.Sprintf("%d: σ = %.2g", k+1, math.Sqrt(b.Variances[k]))
		if k%columns == 0 {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], img)
	}
	f, err := report.ImageGrid(name, nil, rows)
	f.Caption = "The principal components of the patches in descending order of their variance, each scaled to its " +
		"own range, with the standard deviation σ of the patches along it; mid-grey is 0."
	f.Alt, f.Wide = "Principal components of image patches: from smooth ones to fine ones", true
	return f, err
}

// WhatPartialIs is said wherever profiles are compared.
const WhatPartialIs = "A profile is compared on the principal components in the order of their variance, and every " +
	"profile that follows that order is correlated with every other: " +
	"those of filters that are random patches too, whose profile is the standard deviations σ of the patches " +
	"along the components. " +
	"Rotating one of two sets of filters at random leaves a correlation of mean 0 and standard deviation 1/√(m − 1) " +
	"of m components, exactly; that null is narrow for smooth profiles. " +
	"Therefore profiles are held against σ and against the ranks of the components too, and the partial correlation " +
	"is of what a fit of both leaves of either profile: what networks share beyond the spectrum. "
