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

// seenAlikes is how alike CNFM and AGOP of a convolution see images, with
// controls; see [responsesAlike].
type seenAlikes struct {
	alike         float64 // what CNFM and AGOP see
	identity      float64 // with M = I in the place of the AGOP
	rotated       float64 // with S rotated
	gain          float64 // of the responses over the norms of the patches
	gainOfRotated float64
	// What the AGOP sees, and M = I, beside the images' gradients; NaN where those
	// are not compared.
	edges, edgesOfIdentity float64
}

func (c *seenConvolution) measure() (m seenAlikes, err error) {
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
	if m.edges, err = alikeInMiddle(c.agop, c.edges); err != nil {
		return m, err
	}
	m.edgesOfIdentity, err = alikeInMiddle(c.patches, c.edges)
	return m, err
}

// showSeen adds the table, the chart, the pictures and the values of what is seen.
func showSeen(found []*ansatzFinding, o *study.Outcome) error {
	t := seenLayers()
	var all []seenAlikes
	for _, f := range found {
		if len(f.seen) == 0 {
			continue
		}
		var own []seenAlikes
		for _, c := range f.seen {
			m, err := c.measure()
			if err != nil {
				return fmt.Errorf("%s, %s: %w", f.Name, c.layer, err)
			}
			own = append(own, m)
			t.Rows = append(t.Rows, m.row(f.Name+", "+c.layer))
		}
		p, err := f.seenFigure()
		if err != nil {
			return err
		}
		all = append(all, own...)
		o.Figures, o.Charts = append(o.Figures, p), append(o.Charts, f.seenChart(own))
	}
	if len(all) == 0 {
		return nil
	}
	tellSeen(all, o)
	o.Tables = append(o.Tables, t)
	return nil
}

// seenLayers is the table of what is seen, without rows.
func seenLayers() report.Table {
	return report.Table{
		Name: "seen", Caption: "How alike CNFM and AGOP see images, convolution by convolution, with controls. Convolutions whose pictures have fewer than 4×4 positions are left out.",
		Columns: []report.Column{
			{Name: "network, layer"},
			{Name: "alike", Numeric: true, Help: "correlation of ‖M^½h‖ of CNFM and AGOP over the positions of an image, mean over the images"},
			{Name: "M = I", Numeric: true, Help: "the same with the norm of the patch in place of what the AGOP sees"},
			{Name: "QSQᵀ", Numeric: true, Help: "the same with the AGOP WᵀQSQᵀW, S rotated at random"},
			{Name: "above", Numeric: true, Help: "what lies above that"},
			{Name: "gain", Numeric: true, Help: "correlation of the responses over the norms of the patches"},
			{Name: "QSQᵀ ", Numeric: true, Help: "the same with S rotated at random"},
			{Name: "above ", Numeric: true, Help: "what lies above that"},
			{Name: "edges", Numeric: true, Help: "of a first convolution: correlation of what the AGOP sees with the norm of the image's gradient"},
			{Name: "M = I ", Numeric: true, Help: "the same with the norm of the patch"},
		},
	}
}

func (m seenAlikes) row(name string) []report.Cell {
	return []report.Cell{
		{Text: name}, record.CorrelationCell(m.alike), record.CorrelationCell(m.identity), record.CorrelationCell(m.rotated), record.DefinedCell(m.alike-m.rotated, "%+.3f"),
		record.CorrelationCell(m.gain), record.CorrelationCell(m.gainOfRotated), record.DefinedCell(m.gain-m.gainOfRotated, "%+.3f"),
		record.CorrelationCell(m.edges), record.CorrelationCell(m.edgesOfIdentity),
	}
}

// tellSeen finds the values of the claims.
func tellSeen(all []seenAlikes, o *study.Outcome) {
	mean := func(of func(seenAlikes) float64) float64 {
		var v []float64
		for _, m := range all {
			v = append(v, of(m))
		}
		return meanOfDefined(v)
	}
	o.Values["seen_alike"] = mean(func(m seenAlikes) float64 { return m.alike })
	o.Values["seen_over_rotated"] = mean(func(m seenAlikes) float64 { return m.alike - m.rotated })
	o.Values["seen_over_identity"] = mean(func(m seenAlikes) float64 { return m.alike - m.identity })
	o.Values["seen_gain"] = mean(func(m seenAlikes) float64 { return m.gain })
	o.Values["seen_gain_over_rotated"] = mean(func(m seenAlikes) float64 { return m.gain - m.gainOfRotated })
	o.Values["first_edges"] = mean(func(m seenAlikes) float64 { return m.edges })
	o.Values["first_edges_over_identity"] = mean(func(m seenAlikes) float64 { return m.edges - m.edgesOfIdentity })
}

// seenChart is the similarities as bars, convolution by convolution.
func (f *ansatzFinding) seenChart(all []seenAlikes) study.Chart {
	c := study.Chart{
		Name: "seen-alike-" + f.Name, Title: "How alike CNFM and AGOP see images: " + f.Name, YLabel: "correlation",
		Caption: "Correlation of what CNFM and AGOP see over the positions of an image, beside that with S rotated at random and with M = I.",
	}
	for _, s := range f.seen {
		c.Labels = append(c.Labels, s.layer)
	}
	for _, b := range []struct {
		label string
		of    func(seenAlikes) float64
	}{
		{"CNFM and AGOP", func(m seenAlikes) float64 { return m.alike }},
		{"S rotated", func(m seenAlikes) float64 { return m.rotated }},
		{"M = I", func(m seenAlikes) float64 { return m.identity }},
	} {
		s := report.Series{Label: b.label, X: study.Places(len(all))}
		for _, m := range all {
			s.Y = append(s.Y, b.of(m))
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// mostSeenLayers is how many convolutions a picture of what is seen shows.
const mostSeenLayers = 8

// seenFigure draws two images, and below each what CNFM and AGOP see in it, layer
// by layer.
func (f *ansatzFinding) seenFigure() (report.Figure, error) {
	shown := f.seen
	if len(shown) > mostSeenLayers {
		shown = nil
		for i := range mostSeenLayers {
			shown = append(shown, f.seen[i*(len(f.seen)-1)/(mostSeenLayers-1)])
		}
	}
	columns := []string{"image"}
	for _, c := range shown {
		columns = append(columns, c.layer)
	}
	var rows [][]report.Image
	x := shown[0].images
	for i := range min(2, x.Len()) {
		cnfm, agop := []report.Image{record.CaptionedImage(record.ExampleImage(x, i), "CNFM")}, []report.Image{record.CaptionedImage(record.ExampleImage(x, i), "AGOP")}
		for _, c := range shown {
			cnfm, agop = append(cnfm, record.ResponseImage(c.cnfm[i])), append(agop, record.ResponseImage(c.agop[i]))
		}
		rows = append(rows, cnfm, agop)
	}
	p, err := report.ImageGrid("seen-"+f.Name, columns, rows)
	p.Caption = fmt.Sprintf("Two images through %s, and at every position ‖M^½h‖ of the patch h that a convolution reads there: above for the CNFM, below for the AGOP. Each picture is scaled to its own range.", f.Name)
	p.Alt, p.Wide = "Images beside what CNFM and AGOP of the layers of a network see in them", true
	return p, err
}
