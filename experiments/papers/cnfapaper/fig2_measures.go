package cnfapaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/stat"
)

// responseSimilarity is how alike the responses of CNFM and AGOP of a convolution are, with
// controls; see [setups.CorrelateResponses].
type responseSimilarity struct {
	alike         float64 // correlation of the responses of CNFM and AGOP
	identity      float64 // the same with M = I in the place of the AGOP
	rotated       float64 // the same with S rotated
	gain          float64 // correlation of the responses over the norms of the patches
	gainOfRotated float64
	// Correlations of the responses of the AGOP, and of M = I, with the images' gradients; NaN
	// where these are not compared.
	edges, edgesOfIdentity float64
}

// similarity compares the responses.
func (c *convolutionResponses) similarity() (m responseSimilarity, err error) {
	own := setups.RelativeResponses(c.cnfm, c.patches)
	if m.alike, err = setups.CorrelateResponses(c.agop, c.cnfm); err != nil {
		return m, err
	}
	if m.identity, err = setups.CorrelateResponses(c.patches, c.cnfm); err != nil {
		return m, err
	}
	if m.gain, err = setups.CorrelateResponses(setups.RelativeResponses(c.agop, c.patches), own); err != nil {
		return m, err
	}
	var plain, gain []float64
	for _, r := range c.rotated {
		p, err := setups.CorrelateResponses(r, c.cnfm)
		if err != nil {
			return m, err
		}
		g, err := setups.CorrelateResponses(setups.RelativeResponses(r, c.patches), own)
		if err != nil {
			return m, err
		}
		plain, gain = append(plain, p), append(gain, g)
	}
	m.rotated, m.gainOfRotated = stat.Mean(plain, nil), stat.Mean(gain, nil)
	m.edges, m.edgesOfIdentity = math.NaN(), math.NaN()
	if c.edges == nil {
		return m, nil
	}
	if m.edges, err = middleSimilarity(c.agop, c.edges); err != nil {
		return m, err
	}
	m.edgesOfIdentity, err = middleSimilarity(c.patches, c.edges)
	return m, err
}

// addResponses adds the table, charts, figures and values of the responses to images.
func addResponses(found []*ansatzResult, o *study.Outcome) error {
	t := newResponsesTable()
	var all []responseSimilarity
	for _, f := range found {
		if len(f.responses) == 0 {
			continue
		}
		var own []responseSimilarity
		for _, c := range f.responses {
			m, err := c.similarity()
			if err != nil {
				return fmt.Errorf("%s, %s: %w", f.Name, c.layer, err)
			}
			own = append(own, m)
			t.Rows = append(t.Rows, m.row(f.Name+", "+c.layer))
		}
		p, err := f.responsesFigure()
		if err != nil {
			return err
		}
		all = append(all, own...)
		o.Figures, o.Charts = append(o.Figures, p), append(o.Charts, f.responsesChart(own))
	}
	if len(all) == 0 {
		return nil
	}
	setResponseMeasures(all, o)
	o.Tables = append(o.Tables, t)
	return nil
}

// newResponsesTable returns the table of the responses, without rows.
func newResponsesTable() report.Table {
	return report.Table{
		Name: "seen", Caption: "How alike CNFM and AGOP see images, convolution by convolution, with controls. " +
			"Convolutions whose pictures have fewer than 4×4 positions are left out.",
		Columns: []report.Column{
			{Name: "network, layer"},
			{
				Name: "alike", Numeric: true,
				Help: "correlation of ‖M^½h‖ of CNFM and AGOP over the positions of an image, mean over the images",
			},
			{Name: "M = I", Numeric: true, Help: "the same with the norm of the patch in place of what the AGOP sees"},
			{Name: "QSQᵀ", Numeric: true, Help: "the same with the AGOP WᵀQSQᵀW, S rotated at random"},
			{Name: "above", Numeric: true, Help: "what lies above that"},
			{Name: "gain", Numeric: true, Help: "correlation of the responses over the norms of the patches"},
			{Name: "QSQᵀ ", Numeric: true, Help: "the same with S rotated at random"},
			{Name: "above ", Numeric: true, Help: "what lies above that"},
			{
				Name: "edges", Numeric: true,
				Help: "of a first convolution: correlation of what the AGOP sees with the norm of the image's gradient",
			},
			{Name: "M = I ", Numeric: true, Help: "the same with the norm of the patch"},
		},
	}
}

// row returns the row of a convolution.
func (m responseSimilarity) row(name string) []report.Cell {
	return []report.Cell{
		{Text: name}, record.CorrelationCell(m.alike), record.CorrelationCell(m.identity),
		record.CorrelationCell(m.rotated), record.DefinedCell(m.alike-m.rotated, "%+.3f"),
		record.CorrelationCell(m.gain), record.CorrelationCell(m.gainOfRotated),
		record.DefinedCell(m.gain-m.gainOfRotated, "%+.3f"),
		record.CorrelationCell(m.edges), record.CorrelationCell(m.edgesOfIdentity),
	}
}

// setResponseMeasures fills in the values that the claims are judged by: means over all
// convolutions.
func setResponseMeasures(all []responseSimilarity, o *study.Outcome) {
	values := map[string][]float64{}
	for _, m := range all {
		for name, v := range map[string]float64{
			"seen_alike": m.alike, "seen_over_rotated": m.alike - m.rotated, "seen_over_identity": m.alike - m.identity,
			"seen_gain": m.gain, "seen_gain_over_rotated": m.gain - m.gainOfRotated,
			"first_edges": m.edges, "first_edges_over_identity": m.edges - m.edgesOfIdentity,
		} {
			values[name] = append(values[name], v)
		}
	}
	for name, v := range values {
		o.Values[name] = meanOfDefined(v)
	}
}

// responsesChart returns the similarities as bars, convolution by convolution.
func (f *ansatzResult) responsesChart(all []responseSimilarity) study.Chart {
	c := study.Chart{
		Name: "seen-alike-" + f.Name, Title: "How alike CNFM and AGOP see images: " + f.Name, YLabel: "correlation",
		Caption: "Correlation of what CNFM and AGOP see over the positions of an image, beside that with S rotated " +
			"at random and with M = I.",
	}
	for _, s := range f.responses {
		c.Labels = append(c.Labels, s.layer)
	}
	for _, b := range []struct {
		label string
		of    func(responseSimilarity) float64
	}{
		{"CNFM and AGOP", func(m responseSimilarity) float64 { return m.alike }},
		{"S rotated", func(m responseSimilarity) float64 { return m.rotated }},
		{"M = I", func(m responseSimilarity) float64 { return m.identity }},
	} {
		s := report.Series{Label: b.label, X: study.Places(len(all))}
		for _, m := range all {
			s.Y = append(s.Y, b.of(m))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// shownLayers is how many convolutions a figure of responses shows at most.
const shownLayers = 8

// responsesFigure draws two images, and below each the responses of CNFM and AGOP, layer by
// layer.
func (f *ansatzResult) responsesFigure() (report.Figure, error) {
	shown := f.responses
	if len(shown) > shownLayers {
		shown = nil
		for i := range shownLayers {
			shown = append(shown, f.responses[i*(len(f.responses)-1)/(shownLayers-1)])
		}
	}
	columns := []string{"image"}
	for _, c := range shown {
		columns = append(columns, c.layer)
	}
	var rows [][]report.Image
	x := shown[0].images
	for i := range min(2, x.Len()) {
		cnfm := []report.Image{record.CaptionedImage(record.ExampleImage(x, i), "CNFM")}
		agop := []report.Image{record.CaptionedImage(record.ExampleImage(x, i), "AGOP")}
		for _, c := range shown {
			cnfm, agop = append(cnfm, record.ResponseImage(c.cnfm[i])), append(agop, record.ResponseImage(c.agop[i]))
		}
		rows = append(rows, cnfm, agop)
	}
	p, err := report.ImageGrid("seen-"+f.Name, columns, rows)
	p.Caption = fmt.Sprintf("Two images through %s, and at every position ‖M^½h‖ of the patch h that a convolution "+
		"reads there: above for the CNFM, below for the AGOP. Each picture is scaled to its own range.", f.Name)
	p.Alt, p.Wide = "Images beside what CNFM and AGOP of the layers of a network see in them", true
	return p, err
}
