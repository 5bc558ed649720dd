package profile

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
)

// mostShownComponents is how many rows the table of a profile has; the record has all.
const mostShownComponents = 64

// Tables returns the similarities and the profile.
func (r *Record) Tables() []*report.Table {
	similarities, components := r.similarities(), r.components()
	return []*report.Table{&similarities, &components}
}

// similarities returns a row for the network, and one for each comparison.
func (r *Record) similarities() report.Table {
	type row = AgainstRecord
	rows := append([]row{{Arch: r.Arch, PearsonDeviations: r.PearsonDeviations, PearsonRank: r.PearsonRank}},
		r.Against...)
	number := func(name, help string, value func(row) *float64) record.Field[row] {
		return record.CellField(name, func(c row) report.Cell { return record.NumberCell(value(c), "%.3f") }).
			WithHelp(help)
	}
	network := record.TextField("network", row.label)
	spectrum := []record.Field[row]{
		number("with σ", "correlation of the profile with the standard deviations of the patches along the "+
			"components", func(c row) *float64 { return c.PearsonDeviations }),
		number("with rank", "correlation of the profile with 1, 2, …", func(c row) *float64 { return c.PearsonRank }),
	}
	if len(r.Against) == 0 {
		return record.TableOf("similarities", "The profile compared with the spectrum of the patches. --against compares it "+
			"with that of other weights, or of fresh ones.", rows, append([]record.Field[row]{network}, spectrum...)...)
	}
	return record.TableOf("similarities", "The profile compared with others, and each compared with the spectrum "+
		"of the patches. A correlation is marked if it exceeds its null by two standard deviations.", rows,
		append([]record.Field[row]{network,
			record.CellField("Pearson", func(c row) report.Cell { return aboveNullOf(c.Pearson, c.NullSD) }).
				WithHelp("correlation with the profile of the first network; of fresh initialisations, the mean over " +
					"their seeds"),
			number("± seeds", "its standard deviation over the seeds", func(c row) *float64 { return c.PearsonSD }),
			number("± null", "its standard deviation, around 0, if one of the two sets of filters were rotated at random",
				func(c row) *float64 { return c.NullSD }),
			number("ceiling", "the largest correlation that the noise of finitely many filters allows, estimated "+
				"from halves of the filters",
				func(c row) *float64 { return c.Ceiling }),
			number("partial", "correlation of the residuals of both profiles after a fit of σ and of the ranks",
				func(c row) *float64 { return c.Partial }),
		}, spectrum...)...)
}

// aboveNullOf is [AboveNullCell] for numbers that may be absent.
func aboveNullOf(v, sd *float64) report.Cell {
	if v == nil || sd == nil {
		return record.NumberCell(v, "%.3f")
	}
	return AboveNullCell(*v, *sd)
}

// components returns a row for each component.
func (r *Record) components() report.Table {
	caption := "The profile on the principal components of the patches. The energies of the others are scaled to the " +
		"same root mean square."
	shown := min(r.Components, mostShownComponents)
	if shown < r.Components {
		caption += fmt.Sprintf(" The first %d of %d components: the record has all.", shown, r.Components)
	}
	var rows []int
	for i := range shown {
		rows = append(rows, i)
	}
	deviations, rms := r.profile().Deviations, RootMeanSquare(r.Profile)
	fields := []record.Field[int]{
		record.TextField("component", func(i int) string { return fmt.Sprint(i + 1) }),
		record.NumberField("σ", "%.3g", func(i int) float64 { return deviations[i] }),
		record.NumberField("energy", "%.4g", func(i int) float64 { return r.Profile[i] }),
	}
	for k, c := range r.Against {
		if scaled := r.page.Numbers[againstCurve(k)]; scaled != nil {
			fields = append(fields, record.NumberField(c.label(), "%.4g",
				func(i int) float64 { return scaled[i] * rms }))
		}
	}
	return record.TableOf("profile", caption, rows, fields...)
}

// Save writes the report into a folder: report.html, its figures and tables, and record.json. It
// returns the path of the report.
func (r *Result) Save(dir string) (string, error) {
	components, err := ComponentsFigure("components", r.basis)
	if err != nil {
		return "", err
	}
	r.page.Figures = []report.Figure{components}
	return record.SaveRecord(dir, r)
}

// RecordKind implements [record.Record].
func (r *Record) RecordKind() string { return "energy" }

// PageData returns the picture of the components, and the profiles over their root mean squares.
func (r *Record) PageData() *record.PageData { return &r.page }

// Page returns the record as a report.
func (r *Record) Page() (*report.Page, error) {
	curves, err := r.curves()
	if err != nil {
		return nil, err
	}
	s := report.Section{
		Heading: "Profile",
		Text: append([]string{"The energy profile of filters W is eᵢ = ‖W pᵢ‖ on the principal components pᵢ of " +
			"the patches of the images (energy, eq. 1). " + whatPartialIs}, r.Notes...),
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
	own, _ := Series(r.Arch, r.profile()) // its spread was measured, so that it is not zero
	rotated := report.Series{Label: "null: filters rotated at random", X: own.X}
	level := r.page.Numbers[rotatedCurve] // and its standard deviation
	for range own.X {
		rotated.Y = append(rotated.Y, level[0])
		rotated.Low = append(rotated.Low, level[0]-similarity.NullDeviations*level[1])
		rotated.High = append(rotated.High, level[0]+similarity.NullDeviations*level[1])
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
		"square. The band of the null, the filters rotated at random, is ± 2 standard deviations, that of fresh initialisations " +
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

// AboveNullCell shows a correlation, marked if it lies [similarity.NullDeviations] standard deviations
// sd above a null with mean 0.
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

// whatPartialIs explains the partial correlation of profiles.
const whatPartialIs = "Profiles are compared on the principal components in the order of their variance. All " +
	"profiles that follow that order are correlated, even those of filters that are random patches, whose profile " +
	"is the standard deviations σ of the patches along the components. If one of two sets of filters is rotated " +
	"at random, the correlation has mean 0 and standard deviation 1/√(m − 1) for m components, exactly; that null " +
	"is narrow for smooth profiles. Few filters have a noisy profile: the ceiling is the largest correlation that " +
	"this noise allows, estimated from the agreement of halves of either set of filters. Profiles are also " +
	"correlated with σ and with the ranks of the components; the partial correlation is that of the residuals " +
	"after a fit of both. It decides nothing: the spectrum of the patches is what the paper says makes profiles " +
	"similar. "
