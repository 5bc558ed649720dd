package cnfapaper

import (
	"errors"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm/responses"
)

// responseSimilarity compares the responses of the CNFM and the AGOP of a convolution, with controls; see
// [setups.CorrelateResponses].
type responseSimilarity struct {
	layer         string  // with the name of the network
	alike         float64 // correlation of the responses of CNFM and AGOP
	identity      float64 // the same with M = I instead of the AGOP
	rotated       float64 // the same with S rotated
	gain          float64 // correlation of the responses over the norms of the patches
	gainOfRotated float64
	// Correlations of the responses of the AGOP, and of M = I, with the images' gradients; NaN if these were not
	// compared.
	edges, edgesOfIdentity float64
}

// By how much the correlations exceed those of the controls.
func (m responseSimilarity) overRotated() float64       { return m.alike - m.rotated }
func (m responseSimilarity) overIdentity() float64      { return m.alike - m.identity }
func (m responseSimilarity) gainOverRotated() float64   { return m.gain - m.gainOfRotated }
func (m responseSimilarity) edgesOverIdentity() float64 { return m.edges - m.edgesOfIdentity }

// The correlations that charts show.
func (m responseSimilarity) ofAGOP() float64     { return m.alike }
func (m responseSimilarity) ofRotated() float64  { return m.rotated }
func (m responseSimilarity) ofIdentity() float64 { return m.identity }

// similarity compares the responses.
func (c *convolutionResponses) similarity(network string) (responseSimilarity, error) {
	var failed error
	value := func(v float64, err error) float64 {
		failed = errors.Join(failed, err)
		return v
	}
	gains := func(r []responses.Map) []responses.Map { return setups.RelativeResponses(r, c.patches) }
	gainsOfCNFM := gains(c.cnfm)
	m := responseSimilarity{
		layer:    network + ", " + c.layer,
		alike:    value(setups.CorrelateResponses(c.agop, c.cnfm)),
		identity: value(setups.CorrelateResponses(c.patches, c.cnfm)),
		rotated: meanOf(c.rotated,
			func(r []responses.Map) float64 { return value(setups.CorrelateResponses(r, c.cnfm)) }),
		gain: value(setups.CorrelateResponses(gains(c.agop), gainsOfCNFM)),
		gainOfRotated: meanOf(c.rotated,
			func(r []responses.Map) float64 { return value(setups.CorrelateResponses(gains(r), gainsOfCNFM)) }),
		edges: math.NaN(), edgesOfIdentity: math.NaN(),
	}
	if c.edges != nil {
		m.edges = value(middleSimilarity(c.agop, c.edges))
		m.edgesOfIdentity = value(middleSimilarity(c.patches, c.edges))
	}
	if failed != nil {
		return m, fmt.Errorf("%s: %w", m.layer, failed)
	}
	return m, nil
}

// addResponses adds the table, charts, figures and measures of the responses to images.
func addResponses(found []*ansatzResult, o *study.Outcome) error {
	var all []responseSimilarity
	for _, f := range found {
		if len(f.responses) == 0 {
			continue
		}
		var own []responseSimilarity
		for _, c := range f.responses {
			m, err := c.similarity(f.Name)
			if err != nil {
				return err
			}
			own = append(own, m)
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
	o.Tables = append(o.Tables, responsesTable(all))
	return nil
}

// responsesTable returns a table with a row for each convolution.
func responsesTable(all []responseSimilarity) report.Table {
	return record.TableOf("seen", "Similarity of the responses of CNFM and AGOP to images, convolution by "+
		"convolution, with controls. Convolutions whose pictures have fewer than 4×4 positions are left out.", all,
		record.TextField("network, layer", func(m responseSimilarity) string { return m.layer }),
		record.NumberField("alike", "%.3f", responseSimilarity.ofAGOP).
			WithHelp("correlation of ‖M^½h‖ of CNFM and AGOP over the positions of an image, mean over the images"),
		record.NumberField("M = I", "%.3f", responseSimilarity.ofIdentity).
			WithHelp("the same with the norm of the patch instead of the AGOP's response"),
		record.NumberField("QSQᵀ", "%.3f", responseSimilarity.ofRotated).
			WithHelp("the same with the AGOP WᵀQSQᵀW, S rotated at random"),
		record.NumberField("above", "%+.3f", responseSimilarity.overRotated).WithHelp("what lies above that"),
		record.NumberField("gain", "%.3f", func(m responseSimilarity) float64 { return m.gain }).
			WithHelp("correlation of the responses over the norms of the patches"),
		record.NumberField("QSQᵀ ", "%.3f", func(m responseSimilarity) float64 { return m.gainOfRotated }).
			WithHelp("the same with S rotated at random"),
		record.NumberField("above ", "%+.3f", responseSimilarity.gainOverRotated).WithHelp("what lies above that"),
		record.NumberField("edges", "%.3f", func(m responseSimilarity) float64 { return m.edges }).
			WithHelp("for a first convolution: correlation of the AGOP's response with the norm of the image's "+
				"gradient"),
		record.NumberField("M = I ", "%.3f", func(m responseSimilarity) float64 { return m.edgesOfIdentity }).
			WithHelp("the same with the norm of the patch"))
}

// setResponseMeasures sets the means over the convolutions in which they are defined.
func setResponseMeasures(all []responseSimilarity, o *study.Outcome) {
	mean := func(m study.Measure, number func(responseSimilarity) float64) {
		o.Set(m, meanOfDefined(all, number))
	}
	mean(seenAlike, responseSimilarity.ofAGOP)
	mean(seenOverRotated, responseSimilarity.overRotated)
	mean(seenOverIdentity, responseSimilarity.overIdentity)
	mean(seenGain, func(m responseSimilarity) float64 { return m.gain })
	mean(seenGainOverRotated, responseSimilarity.gainOverRotated)
	mean(firstEdges, func(m responseSimilarity) float64 { return m.edges })
	mean(firstEdgesOverIdentity, responseSimilarity.edgesOverIdentity)
}

// responsesChart returns the similarities as bars, convolution by convolution.
func (f *ansatzResult) responsesChart(all []responseSimilarity) study.Chart {
	c := study.Chart{
		Name: "seen-alike-" + f.Name, Title: "Similarity of the responses of CNFM and AGOP: " + f.Name,
		YLabel: "correlation",
		Caption: "Correlation of the responses of CNFM and AGOP over the positions of an image, beside that with " +
			"S rotated at random and with M = I.",
		Series: []report.Series{
			record.BarsOf("CNFM and AGOP", all, responseSimilarity.ofAGOP),
			record.BarsOf("null: S rotated", all, responseSimilarity.ofRotated),
			record.BarsOf("M = I", all, responseSimilarity.ofIdentity),
		},
	}
	for _, s := range f.responses {
		c.Labels = append(c.Labels, s.layer)
	}
	return c
}

// shownLayers is the largest number of convolutions in a figure of responses.
const shownLayers = 8

// responsesFigure draws two images, and below each the responses of CNFM and AGOP, layer by layer.
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
	var names []string
	x := shown[0].images
	for i := range min(2, x.Len()) {
		cnfm := []report.Image{record.ExampleImage(x, i)}
		agop := []report.Image{record.ExampleImage(x, i)}
		for _, c := range shown {
			cnfm, agop = append(cnfm, record.ResponseImage(c.cnfm[i])), append(agop, record.ResponseImage(c.agop[i]))
		}
		rows, names = append(rows, cnfm, agop), append(names, "CNFM", "AGOP")
	}
	p, err := report.ImageGrid("seen-"+f.Name, columns, rows, names...)
	p.Caption = fmt.Sprintf("Two images through %s, and at every position ‖M^½h‖ of the patch h that a convolution "+
		"reads there: above for the CNFM, below for the AGOP. Each picture is scaled to its own range.", f.Name)
	p.Alt, p.Wide = "Images beside the responses of the CNFM and the AGOP of a network's layers to them", true
	return p, err
}
