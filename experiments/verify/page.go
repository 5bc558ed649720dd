package verify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// Totals sums up the layers whose similarity and null are defined.
type Totals struct {
	Pearson, Null float64 // means
	Judged, Above int
}

// Excess returns the mean similarity minus the mean null.
func (o Totals) Excess() float64 { return o.Pearson - o.Null }

// Overall returns the totals over the layers.
func (r *Record) Overall() (o Totals) {
	for _, l := range r.Layers {
		above, ok := l.Above()
		if !ok {
			continue
		}
		o.Judged++
		o.Pearson += *l.Pearson
		o.Null += *l.PearsonNull
		if above {
			o.Above++
		}
	}
	o.Pearson /= float64(o.Judged)
	o.Null /= float64(o.Judged)
	return o
}

// Summary returns a sentence with the number of layers above their null.
func (r *Record) Summary() string {
	o := r.Overall()
	if o.Judged == 0 {
		return "No layer can be judged: the similarity is undefined, or its null does not vary." + r.notJudged()
	}
	mean := "on average the"
	if o.Judged == 1 {
		mean = "the"
	}
	return fmt.Sprintf("%s by %d standard deviations; %s similarity is %.3f, its null %.3f, the excess %+.3f.",
		similarity.AboveText(o.Above, o.Judged), similarity.NullDeviations, mean, o.Pearson, o.Null, o.Excess()) + r.notJudged()
}

// Setting says how the images were normalised, how many of them the network classifies correctly, and what else to
// know about the network.
func (r *Record) Setting() string {
	text := "Images " + normalised(r.Conventions.Normalise)
	if r.Accuracy != nil {
		text += fmt.Sprintf("; the network classifies %.1f %% of them correctly", 100**r.Accuracy)
	}
	text = strings.Join(append([]string{text + "."}, r.remarks...), "\n")
	if r.Conventions.Network != "" {
		text += "\n" + r.Conventions.Network
	}
	return text
}

// normalised describes in words how images were normalised, from the text of the conventions: none, imagenet, or NAME
// (MEAN,…/STD,…), of which it uses only the constants.
func normalised(text string) string {
	if text == "none" {
		return "not normalised"
	}
	constants := strings.TrimSuffix(text[strings.Index(text, "(")+1:], ")")
	mean, std, found := strings.Cut(constants, "/")
	if !found {
		return "normalised as those of ImageNet"
	}
	numbers := func(one, several, list string) string {
		all := strings.Split(list, ",")
		for i, v := range all {
			if x, err := strconv.ParseFloat(v, 64); err == nil {
				all[i] = fmt.Sprintf("%.3g", x)
			}
		}
		if len(all) == 1 {
			return one + " " + all[0]
		}
		return several + " " + strings.Join(all, ", ")
	}
	return "normalised with " + numbers("mean", "means", mean) + " and " +
		numbers("standard deviation", "standard deviations", std)
}

// Table returns a table with a row for each layer.
func (r *Record) Table() *report.Table {
	t := &report.Table{
		Name: "layers",
		Caption: "Similarity of CNFM and AGOP by layer. A layer is marked if it exceeds its null by two standard " +
			"deviations, those of null and measurement combined.",
		Columns: []report.Column{
			{Name: "layer"},
			{Name: "filters", Numeric: true, Help: "number of filters c"},
			{Name: "patch", Help: "channels × rows × columns, or features"},
			{Name: "Pearson", Numeric: true, Help: "correlation of all entries of WᵀW and the AGOP"},
			{Name: "± ", Numeric: true, Help: "standard error, by the jackknife over groups of images"},
			{Name: "null", Numeric: true, Help: "mean of the same with S replaced by QSQᵀ, Q a random rotation"},
			{Name: "± null", Numeric: true, Help: "standard deviation of the null"},
			{Name: "excess", Numeric: true, Help: "Pearson − null: the alignment of filters and gradients beyond that of " +
				"rotated gradients"},
			{Name: "normalised", Numeric: true, Help: similarity.NormalisedHelp},
			{Name: "cosine", Numeric: true, Help: "not centred"},
		},
	}
	groups := r.hasGroups()
	if groups {
		t.Columns = slices.Insert(t.Columns, patchColumn+1, groupsColumn)
	}
	for _, alpha := range r.powers() {
		power := fmt.Sprintf("^%.4g", alpha)
		t.Columns = append(t.Columns,
			report.Column{Name: "AGOP" + power, Numeric: true, Help: "Pearson of WᵀW and that power of the AGOP"},
			report.Column{Name: "null" + power, Numeric: true, Help: "mean of the same with S replaced by QSQᵀ"},
			report.Column{Name: "± null" + power, Numeric: true, Help: "standard deviation of the null"},
			report.Column{Name: "normalised" + power, Numeric: true, Help: similarity.NormalisedHelp})
	}
	t.Columns = append(t.Columns,
		report.Column{Name: "initial", Numeric: true, Help: "Pearson of WᵀW now with WᵀW of the initial weights (of a fresh " +
			"initialisation without --init-weights)"})
	for _, l := range r.Layers {
		row := l.row(r.powers(), r.ofChange())
		if groups {
			row = slices.Insert(row, patchColumn+1, report.Cell{Value: float64(max(1, l.Groups))})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cnfmOfChange begins the convention of a CNFM of W − W₀.
const cnfmOfChange = "(W − W₀)ᵀ(W − W₀)"

// ofChange reports whether the CNFM is that of W − W₀.
func (r *Record) ofChange() bool { return strings.HasPrefix(r.Conventions.CNFM, cnfmOfChange) }

// powers returns the exponents of the AGOP, besides 1, that have columns in the table of layers.
func (r *Record) powers() []float64 {
	all := slices.Clone(r.Powers)
	if len(r.Layers) == 0 || r.ofChange() {
		return all
	}
	for _, a := range r.Layers[0].Alignments {
		if alpha, ok := powerOf(a.Name); ok && !slices.Contains(all, alpha) {
			all = append(all, alpha)
		}
	}
	return all
}

// powerOf returns the exponent in the name of a statement about a power of the AGOP, such as nfa^0.5.
func powerOf(statement string) (alpha float64, ok bool) {
	n, err := fmt.Sscanf(statement, cnfa.NFA+"^%g", &alpha)
	return alpha, n == 1 && err == nil
}

// power returns the similarity of the CNFM and AGOP^α, from the measured powers or statements. Statements are about W,
// so they are not used if the CNFM is that of W − W₀.
func (l LayerRecord) power(alpha float64, ofChange bool) similarity.PowerRecord {
	if ofChange {
		return l.Power(alpha)
	}
	for _, a := range l.Alignments {
		if a.Alpha != nil && *a.Alpha == alpha && a.Name != cnfa.FittedNFA {
			return similarity.PowerRecord{Exponent: alpha, Pearson: *a.Value, PearsonNull: *a.Null,
				PearsonNullSD: record.ValueOrNaN(a.NullSD)}
		}
	}
	return l.Power(alpha)
}

// statements returns the layers with their alignments if the table of layers lacks some of the measured ones, else
// nil. That table has the ansatz and its powers, but for the CNFM of W − W₀ where that is measured.
func (r *Record) statements() []similarity.LayerAlignments {
	lacking := func(a similarity.AlignmentRecord) bool {
		_, power := powerOf(a.Name)
		return a.Name != cnfa.NFA && !power || r.ofChange()
	}
	if len(r.Layers) == 0 || !slices.ContainsFunc(r.Layers[0].Alignments, lacking) {
		return nil
	}
	var all []similarity.LayerAlignments
	for _, l := range r.Layers {
		all = append(all, similarity.LayerAlignments{Layer: l.Layer, Alignments: l.Alignments})
	}
	return all
}

// Tables returns the table of layers and, if it lacks some of the measured statements, the tables of statements.
func (r *Record) Tables() []*report.Table {
	tables := []*report.Table{r.Table()}
	if all := r.statements(); all != nil {
		tables = append(tables, similarity.ExcessTable(all))
	}
	return tables
}

// patchColumn is the index of the patches' column in the table of layers.
const patchColumn = 2

// row returns the layer as a row of [Record.Table].
func (l LayerRecord) row(powers []float64, ofChange bool) []report.Cell {
	cells := []report.Cell{{Text: l.Layer}, {Value: float64(l.Filters)}, {Text: record.PatchText(l.Patch)}}
	cells = append(cells, l.Cells()...)
	cells = append(cells, record.NumberCell(l.Cosine, "%.3f"))
	for _, alpha := range powers {
		p := l.power(alpha, ofChange)
		cells = append(cells, record.DefinedCell(p.Pearson, "%.3f"), record.DefinedCell(p.PearsonNull, "%.3f"),
			record.DefinedCell(p.PearsonNullSD, "%.3f"),
			record.DefinedCell(similarity.NormaliseExcess(p.Pearson, p.PearsonNull), "%+.2f"))
	}
	return append(cells, record.NumberCell(l.PearsonInit, "%.3f"))
}

// Series returns the similarities with their nulls as a series of a chart by layer, and the
// names of the layers.
func (r *Record) Series(label string) (s report.LayerSeries, layers []string) {
	s.Label = label
	for _, l := range r.Layers {
		layers = append(layers, l.Layer)
		s.Value = append(s.Value, record.ValueOrNaN(l.Pearson))
		s.SE = append(s.SE, record.ValueOrNaN(l.PearsonStdErr))
		s.NullMean = append(s.NullMean, record.ValueOrNaN(l.PearsonNull))
		s.NullSD = append(s.NullSD, record.ValueOrNaN(l.PearsonNullSD))
	}
	return s, layers
}

// RecordKind implements [record.Record].
func (r *Record) RecordKind() string { return "verify" }

// PageData returns the machine on which the record was made, and the pictures of its page.
func (r *Record) PageData() *record.PageData { return &r.page }

// Page returns the record as a report with its pictures.
func (r *Record) Page() (*report.Page, error) {
	chart, err := r.similaritySection()
	if err != nil {
		return nil, err
	}
	p := &report.Page{
		Title:      fmt.Sprintf("The neural feature ansatz in %s on %s", r.Arch, r.Data),
		Lead:       r.leadText(),
		Sections:   []report.Section{chart},
		Provenance: r.Conventions.Provenance(r.page.Machine, r.Seconds),
	}
	if all := r.statements(); all != nil {
		var names []string
		for _, a := range all[0].Alignments {
			names = append(names, a.Name)
		}
		p.Sections = append(p.Sections, report.Section{
			Heading: "Statement by statement",
			Text:    []string{similarity.StatementsText},
			Folded:  []report.Detail{similarity.StatementsDetail(names)},
			Tables:  []report.Table{*similarity.ExcessTable(all), *similarity.StatementTable(all)},
		})
	}
	if r.page.Explorer != nil {
		p.Sections = append(p.Sections, similarity.ExplorerSection(r.page.Explorer))
	}
	if first := r.page.Named(firstLayerName, eigenvectorsName); len(first) > 0 {
		l := r.Layers[0]
		text := fmt.Sprintf("%s has %s on patches of %s.", l.Layer, words.Count(l.Filters, "filter"), record.PatchText(l.Patch))
		if l.Groups > 1 {
			text += fmt.Sprintf(" The matrices are the sums over its %d groups.", l.Groups)
		}
		p.Sections = append(p.Sections, report.Section{
			Heading: "The first layer",
			Text:    []string{text},
			Figures: first,
		})
	}
	if seen := r.page.Named(responsesName); len(seen) > 0 {
		p.Sections = append(p.Sections, report.Section{
			Heading: "Images seen through M^½",
			Text: []string{"If the two pictures of a layer are similar, the AGOP responds to the same patches as " +
				"the filters (cnfa, section 2.2)."},
			Figures: seen,
		})
	}
	return p, nil
}

func (r *Record) leadText() string {
	lead := r.Summary()
	if r.Accuracy != nil {
		lead += fmt.Sprintf(" Accuracy on %s: %.1f %%.", words.Count(r.Images, "image"), 100**r.Accuracy)
	}
	return lead
}

// WhatTheNullIs explains the null; every page that shows a similarity has it.
const WhatTheNullIs = "The AGOP of a layer is WᵀSW, with S the second moment of the gradients at its " +
	"pre-activation. It contains W, so its similarity with WᵀW is high whenever S is near isotropic, in a random " +
	"network too. The null is the similarity after S is rotated at random, with its spectrum unchanged; only the " +
	"excess over it is alignment of the gradients with the filters."

// WhereTheNullIs explains how charts by layer draw the null.
const WhereTheNullIs = "The grey bands are the null, mean ± 2 standard deviations."

func (r *Record) similaritySection() (report.Section, error) {
	series, layers := r.Series("measured")
	chart, err := report.LayerChart("similarity", "Similarity of CNFM and AGOP", "Pearson correlation of WᵀW and AGOP", []report.LayerSeries{
		series,
	}, layers)
	if err != nil {
		return report.Section{}, err
	}
	chart.Caption = "Similarity of the filters' covariance WᵀW with the AGOP, layer by layer, against its null."
	chart.Wide = true
	text, tables := WhatTheNullIs, []report.Table{*r.Table()}
	if r.hasGroups() {
		text += whatTheNullPermutes
	}
	if heads := r.HeadsTable(); heads != nil {
		tables = append(tables, *heads)
	}
	return report.Section{
		Heading: "Similarity by layer",
		Text:    []string{text + " " + WhereTheNullIs},
		Figures: []report.Figure{chart},
		Tables:  tables,
		Facts:   report.FactsOf(r.Conventions),
	}, nil
}
