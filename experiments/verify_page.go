package experiments

import (
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// aboveNull is how many standard deviations a similarity must lie above its
// null to count as alignment: those of the null's draws and of the measurement
// together.
const aboveNull = 2

// Above says whether a similarity lies above its null; ok is false
// where it is not defined, or where the null has no spread to speak of: one
// filter, or an isotropic S.
func (l AnsatzRecord) Above() (above, ok bool) {
	if l.Excess == nil || *l.PearsonNullSD < 1e-9 {
		return false, false
	}
	stderr := 0.
	if l.PearsonStdErr != nil {
		stderr = *l.PearsonStdErr
	}
	return *l.Excess > aboveNull*math.Hypot(*l.PearsonNullSD, stderr), true
}

// overall sums up the layers that can be judged.
type overall struct {
	pearson, null float64 // means
	judged, above int
}

func (o overall) excess() float64 { return o.pearson - o.null }

func (r *VerifyRecord) overall() (o overall) {
	for _, l := range r.Layers {
		above, ok := l.Above()
		if !ok {
			continue
		}
		o.judged++
		o.pearson += *l.Pearson
		o.null += *l.PearsonNull
		if above {
			o.above++
		}
	}
	o.pearson /= float64(o.judged)
	o.null /= float64(o.judged)
	return o
}

// Summary says in a sentence what the record shows.
func (r *VerifyRecord) Summary() string {
	o := r.overall()
	if o.judged == 0 {
		return "No layer can be judged: the similarity, or the spread of its null, is not defined."
	}
	return fmt.Sprintf("%d of %d layers lie above their null by %d standard deviations; on average the similarity is %.3f, its null %.3f, the excess %+.3f.",
		o.above, o.judged, aboveNull, o.pearson, o.null, o.excess())
}

// Table is the record as a table.
func (r *VerifyRecord) Table() *report.Table {
	t := &report.Table{
		Name:    "layers",
		Caption: "Similarity of CNFM and AGOP by layer. A layer is marked where it lies above its null by two standard deviations, of the null and of the measurement together.",
		Columns: []report.Column{
			{Name: "layer"},
			{Name: "filters", Numeric: true, Help: "number of filters c"},
			{Name: "patch", Help: "channels × rows × columns, or features"},
			{Name: "Pearson", Numeric: true, Help: "correlation of all entries of WᵀW and the AGOP"},
			{Name: "± ", Numeric: true, Help: "standard error, by the jackknife over groups of images"},
			{Name: "null", Numeric: true, Help: "the same with S replaced by QSQᵀ, Q a random rotation: mean"},
			{Name: "± null", Numeric: true, Help: "and standard deviation"},
			{Name: "excess", Numeric: true, Help: "Pearson − null: what alignment there is"},
			{Name: "cosine", Numeric: true, Help: "not centred"},
			{Name: "√AGOP", Numeric: true, Help: "Pearson of WᵀW and AGOP^(1/2)"},
			{Name: "initial", Numeric: true, Help: "Pearson of the CNFMs before and after training"},
		},
	}
	for _, l := range r.Layers {
		t.Rows = append(t.Rows, l.row())
	}
	return t
}

func (l LayerRecord) row() []report.Cell {
	mark := report.Muted
	if above, _ := l.Above(); above {
		mark = report.Good
	}
	return []report.Cell{
		{Text: l.Layer},
		{Value: float64(l.Filters)},
		{Text: patchText(l.Patch)},
		numberCell(l.Pearson, "%.3f"), numberCell(l.PearsonStdErr, "%.4f"),
		numberCell(l.PearsonNull, "%.3f"), numberCell(l.PearsonNullSD, "%.3f"),
		markedCell(numberCell(l.Excess, "%+.3f"), mark),
		numberCell(l.Cosine, "%.3f"), numberCell(l.PearsonSqrt, "%.3f"), numberCell(l.PearsonInit, "%.3f"),
	}
}

func patchText(patch []int) string {
	var s []string
	for _, d := range patch {
		s = append(s, fmt.Sprint(d))
	}
	return strings.Join(s, "×")
}

// Series is the record for a chart by layer.
func (r *VerifyRecord) Series(label string) (s report.LayerSeries, layers []string) {
	s.Label = label
	get := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	for _, l := range r.Layers {
		layers = append(layers, l.Layer)
		s.Value = append(s.Value, get(l.Pearson))
		s.SE = append(s.SE, get(l.PearsonStdErr))
		s.NullMean = append(s.NullMean, get(l.PearsonNull))
		s.NullSD = append(s.NullSD, get(l.PearsonNullSD))
	}
	return s, layers
}

// RecordKind implements [Record].
func (r *VerifyRecord) RecordKind() string { return "verify" }

// PageData is where the record was made, and its pictures.
func (r *VerifyRecord) PageData() *PageData { return &r.page }

// Page is the record as a report with its pictures.
func (r *VerifyRecord) Page() (*report.Page, error) {
	chart, err := r.similaritySection()
	if err != nil {
		return nil, err
	}
	p := &report.Page{
		Title:      fmt.Sprintf("The neural feature ansatz in %s on %s", r.Arch, r.Data),
		Lead:       r.lead(),
		Sections:   []report.Section{chart},
		Provenance: r.Conventions.provenance(r.page.Machine, r.Seconds),
	}
	if first := r.page.named(firstLayerName, eigenvectorsName); len(first) > 0 {
		l := r.Layers[0]
		p.Sections = append(p.Sections, report.Section{
			Heading: "The first layer",
			Text:    []string{fmt.Sprintf("%s has %d filters on patches of %s.", l.Layer, l.Filters, patchText(l.Patch))},
			Figures: first,
		})
	}
	if seen := r.page.named(responsesName); len(seen) > 0 {
		p.Sections = append(p.Sections, report.Section{
			Heading: "Images seen through M^½",
			Text:    []string{"Where the two pictures of a layer are alike, the AGOP picks out the same patches as the filters do (cnfa, section 2.2)."},
			Figures: seen,
		})
	}
	return p, nil
}

func (r *VerifyRecord) lead() string {
	lead := r.Summary()
	if r.Accuracy != nil {
		lead += fmt.Sprintf(" Accuracy on these %d images: %.1f %%.", r.Images, 100**r.Accuracy)
	}
	return lead
}

// whatTheNullIs is said wherever a similarity is shown.
const whatTheNullIs = "The AGOP of a layer is WᵀSW, with S the second moment of the gradients at its pre-activation. " +
	"It contains W, so that its similarity with WᵀW is high wherever S is near isotropic, in a random network too. " +
	"The null is the similarity that is left when S keeps its spectrum and is rotated at random; " +
	"only what lies above it, the excess, is alignment of the gradients with the filters."

// whereTheNullIs says how charts by layer draw it.
const whereTheNullIs = "The grey bands are the null, mean ± 2 standard deviations."

func (r *VerifyRecord) similaritySection() (report.Section, error) {
	series, layers := r.Series("measured")
	chart, err := report.LayerChart("similarity", "Similarity of CNFM and AGOP", "Pearson", []report.LayerSeries{series}, layers)
	if err != nil {
		return report.Section{}, err
	}
	chart.Caption = "Similarity of the filters' covariance WᵀW with the AGOP, layer by layer, against its null."
	chart.Wide = true
	return report.Section{
		Heading: "Similarity by layer",
		Text:    []string{whatTheNullIs + " " + whereTheNullIs},
		Figures: []report.Figure{chart},
		Tables:  []report.Table{*r.Table()},
		Facts:   report.FactsOf(r.Conventions),
	}, nil
}
