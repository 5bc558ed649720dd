package experiments

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
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

// Page is the record as a report with its pictures.
func (r *VerifyRecord) Page(ctx context.Context) (*report.Page, error) {
	chart, err := r.similaritySection()
	if err != nil {
		return nil, err
	}
	p := &report.Page{
		Title:      fmt.Sprintf("The neural feature ansatz in %s on %s", r.Arch, r.Data),
		Lead:       r.lead(),
		Sections:   []report.Section{chart},
		Provenance: r.Conventions.provenance(machineText(), r.Seconds),
	}
	first, err := r.firstLayerSection()
	if err != nil {
		return nil, err
	}
	seen, err := r.imagesSection(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range []*report.Section{first, seen} {
		if s != nil {
			p.Sections = append(p.Sections, *s)
		}
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

// largestPicture is the largest d×d matrix that is drawn.
const largestPicture = 784

// firstLayerSection shows the matrices of the first layer and their
// eigenvectors; nil if the layer is not among the results or too large.
func (r *VerifyRecord) firstLayerSection() (*report.Section, error) {
	if len(r.result.Layers) == 0 || r.result.Layers[0].Name != r.net.Layers()[0].Name || r.result.Layers[0].Err != nil {
		return nil, nil
	}
	l := r.result.Layers[0]
	if l.PatchSize() > largestPicture {
		return nil, nil
	}
	w := r.net.Filters(l.Name)
	panels := []report.Matrix{layerPanel("CNFM, WᵀW", cnfa.CNFM(w), l), layerPanel("AGOP, WᵀSW", l.AGOP(w), l)}
	if r.initial != nil {
		panels = append([]report.Matrix{layerPanel("CNFM, initial", cnfa.CNFM(r.initial.Filters(l.Name)), l)}, panels...)
	}
	heat, err := report.HeatMaps("first-layer", panels)
	if err != nil {
		return nil, err
	}
	heat.Caption = fmt.Sprintf("Feature matrices of %s, %d×%d, rows and columns in the order (channel, row, column). The initial one is of %s.",
		l.Name, l.PatchSize(), l.PatchSize(), r.Conventions.Init)
	s := &report.Section{
		Heading: "The first layer",
		Text:    []string{fmt.Sprintf("%s has %d filters on patches of %s.", l.Name, l.Filters, patchText(l.Patch))},
		Figures: []report.Figure{heat},
	}
	vectors, err := eigenvectorFigure(l, w)
	if err == nil {
		s.Figures = append(s.Figures, vectors)
	}
	return s, err
}

func layerPanel(title string, m *mat.SymDense, l cnfa.LayerResult) report.Matrix {
	p := matrixPanel(title, m)
	if len(l.Patch) == 3 && l.Patch[0] > 1 {
		p.Blocks = l.Patch[1] * l.Patch[2]
	}
	return p
}

// shownVectors is how many eigenvectors are drawn.
const shownVectors = 8

// eigenvectorFigure draws the top eigenvectors of both matrices as patches.
func eigenvectorFigure(l cnfa.LayerResult, w *mat.Dense) (report.Figure, error) {
	b, err := l.AGOPFactor(w)
	if err != nil {
		return report.Figure{}, err
	}
	var rows [][]report.Image
	columns := []string{}
	for _, m := range []struct {
		name   string
		factor *mat.Dense
	}{{"CNFM", w}, {"AGOP", b}} {
		values, vectors, err := cnfa.Eigenvectors(m.factor, shownVectors)
		if err != nil {
			return report.Figure{}, err
		}
		var row []report.Image
		for i, v := range values {
			img := patchImage(vectors.RawRowView(i), l.Patch)
			img.Caption = fmt.Sprintf("%s, λ = %.3g", m.name, v)
			row = append(row, img)
		}
		rows = append(rows, row)
		for len(columns) < len(row) {
			columns = append(columns, fmt.Sprint(len(columns)+1))
		}
	}
	for i := range rows {
		for len(rows[i]) < len(columns) {
			rows[i] = append(rows[i], report.Image{})
		}
	}
	f, err := report.ImageGrid("first-layer-eigenvectors", columns, rows)
	f.Caption = "The leading eigenvectors of either matrix as patches, each scaled to its own range; mid-grey is 0."
	f.Alt = "Leading eigenvectors of the CNFM and of the AGOP of the first layer, drawn as patches"
	return f, err
}

const (
	shownImages = 4
	shownLayers = 3
)

// imagesSection shows images through M^½ of a few convolutions; nil without
// any.
func (r *VerifyRecord) imagesSection(ctx context.Context) (*report.Section, error) {
	layers := r.convolutions()
	n := min(shownImages, r.Images)
	if len(layers) == 0 {
		return nil, nil
	}
	raw, px, err := r.images(ctx, n)
	if err != nil {
		return nil, err
	}
	columns, rows := []string{"image"}, make([][]report.Image, n)
	for i := range rows {
		rows[i] = []report.Image{raw[i]}
	}
	for _, l := range layers {
		responses, err := cnfa.Responses(ctx, r.net, l, px)
		if err != nil {
			return nil, err
		}
		columns = append(columns, l.Name+", CNFM", l.Name+", AGOP")
		for i, s := range responses {
			for _, values := range [][]float64{s.CNFM, s.AGOP} {
				rows[i] = append(rows[i], responseImage(rfm.Response{Height: s.Height, Width: s.Width, Values: values}))
			}
		}
	}
	f, err := report.ImageGrid("responses", columns, rows)
	if err != nil {
		return nil, err
	}
	f.Caption = "Images, and at every position the norm ‖M^½h‖ of the patch h that the layer reads there, for M the CNFM and the AGOP; each picture is scaled to its own range."
	f.Alt = "Images beside what the feature matrices of some layers respond to in them"
	f.Wide = true
	return &report.Section{
		Heading: "Images seen through M^½",
		Text:    []string{"Where the two pictures of a layer are alike, the AGOP picks out the same patches as the filters do (cnfa, section 2.2)."},
		Figures: []report.Figure{f},
	}, nil
}

// convolutions chooses the first, the last and a middle convolution.
func (r *VerifyRecord) convolutions() []cnfa.LayerResult {
	var all []cnfa.LayerResult
	for _, l := range r.result.Layers {
		if l.Kind == "conv" && l.Err == nil {
			all = append(all, l)
		}
	}
	if len(all) <= shownLayers {
		return all
	}
	var chosen []cnfa.LayerResult
	for i := range shownLayers {
		chosen = append(chosen, all[i*(len(all)-1)/(shownLayers-1)])
	}
	return chosen
}

// images returns the first n images as they are and as the network reads them.
func (r *VerifyRecord) images(ctx context.Context, n int) (raw []report.Image, px []float32, err error) {
	s := r.source.set.Shape()
	px = make([]float32, n*s.Pixels())
	labels := make([]int, n)
	for i := range n {
		v := px[i*s.Pixels() : (i+1)*s.Pixels()]
		if _, err := r.source.set.Read(i, v); err != nil {
			return nil, nil, err
		}
		img := report.Image{Height: s.Height, Width: s.Width, Channels: s.Channels}
		for _, x := range v {
			img.Pixels = append(img.Pixels, float64(x))
		}
		raw = append(raw, img)
	}
	return raw, px, r.source.loader.Load(ctx, 0, n, px, labels)
}
