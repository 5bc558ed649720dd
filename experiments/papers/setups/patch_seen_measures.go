package setups

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/stat"
)

// CorrelateResponses is how alike two ways to see the same images are: Pearson's
// correlation over those positions of an image at which both are defined, averaged
// over the images in which neither is constant; NaN where there is none. Scale and
// offset do not matter.
func CorrelateResponses(a, b []rfm.Response) (float64, error) {
	sum, count := 0., 0
	for i := range a {
		if a[i].Height != b[i].Height || a[i].Width != b[i].Width {
			return 0, fmt.Errorf("responses of %d×%d and %d×%d are not of the same positions", a[i].Height, a[i].Width,
				b[i].Height, b[i].Width)
		}
		var x, y []float64
		for k, v := range a[i].Values {
			if w := b[i].Values[k]; v-v == 0 && w-w == 0 {
				x, y = append(x, v), append(y, w)
			}
		}
		if r := stat.Correlation(x, y, nil); r-r == 0 {
			sum, count = sum+r, count+1
		}
	}
	if count == 0 {
		return math.NaN(), nil
	}
	return sum / float64(count), nil
}

// ResponseMeasures are how alike a layer's responses are.
type ResponseMeasures struct {
	Network   float64 // the machine's with the network's
	Identity  float64 // with M = I in place of the machine's
	untrained float64 // the machine's with those of the network before training
	Gain      float64 // the machine's gains with the network's
	Rotated   float64 // with QMQᵀ in place of M
}

// Correlate compares how the machine and the network respond to the same patches.
func (s LayerResponses) Correlate() (m ResponseMeasures, err error) {
	own := RelativeResponses(s.network, s.features)
	for _, c := range []struct {
		a, b []rfm.Response
		into *float64
	}{
		{s.machine, s.network, &m.Network}, {s.Patches, s.network, &m.Identity}, {s.machine, s.Untrained, &m.untrained},
		{RelativeResponses(s.machine, s.Patches), own, &m.Gain},
	} {
		if *c.into, err = CorrelateResponses(c.a, c.b); err != nil {
			return m, err
		}
	}
	for _, r := range s.rotated {
		v, err := CorrelateResponses(RelativeResponses(r, s.Patches), own)
		if err != nil {
			return m, err
		}
		m.Rotated += v / float64(len(s.rotated))
	}
	return m, nil
}

// ResponseColumns are the columns of a table of measures.
func ResponseColumns(first string) []report.Column {
	return []report.Column{
		{Name: first},
		{Name: "machine and network", Numeric: true,
			Help: "correlation of the responses over the positions of an image, mean over the images"},
		{Name: "M = I", Numeric: true, Help: "the same with the norm of the patches in place of the machine's " +
			"response"},
		{Name: "above", Numeric: true, Help: "what lies above that"},
		{Name: "untrained", Numeric: true, Help: "the machine's response and that of the network before training"},
		{Name: "gain", Numeric: true, Help: "correlation of the responses over the norms of the patches"},
		{Name: "QMQᵀ", Numeric: true, Help: "the same with the machine's M rotated at random"},
		{Name: "above ", Numeric: true, Help: "what lies above that"},
	}
}

// Cells returns the measures as a row of a table with the columns of [ResponseColumns].
func (m ResponseMeasures) Cells() []report.Cell {
	return []report.Cell{
		record.CorrelationCell(m.Network), record.CorrelationCell(m.Identity),
		record.DefinedCell(m.Network-m.Identity, "%+.3f"), record.CorrelationCell(m.untrained),
		record.CorrelationCell(m.Gain), record.CorrelationCell(m.Rotated),
		record.DefinedCell(m.Gain-m.Rotated, "%+.3f"),
	}
}
