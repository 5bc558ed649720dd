package experiments

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/stat"
)

// responsesAlike is how alike two ways to see the same images are: Pearson's
// correlation over those positions of an image at which both are defined, averaged
// over the images in which neither is constant; NaN where there is none. Scale and
// offset do not matter.
func responsesAlike(a, b []rfm.Response) (float64, error) {
	sum, count := 0., 0
	for i := range a {
		if a[i].Height != b[i].Height || a[i].Width != b[i].Width {
			return 0, fmt.Errorf("responses of %d×%d and %d×%d are not of the same positions", a[i].Height, a[i].Width, b[i].Height, b[i].Width)
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

// seenMeasures are how alike a layer's responses are.
type seenMeasures struct {
	network   float64 // the machine's with the network's
	identity  float64 // with M = I in place of the machine's
	untrained float64 // the machine's with those of the network before training
	gain      float64 // the machine's gains with the network's
	rotated   float64 // with QMQᵀ in place of M
}

func (s seenLayer) measure() (m seenMeasures, err error) {
	own := gains(s.network, s.features)
	for _, c := range []struct {
		a, b []rfm.Response
		into *float64
	}{
		{s.machine, s.network, &m.network}, {s.patches, s.network, &m.identity}, {s.machine, s.untrained, &m.untrained},
		{gains(s.machine, s.patches), own, &m.gain},
	} {
		if *c.into, err = responsesAlike(c.a, c.b); err != nil {
			return m, err
		}
	}
	for _, r := range s.rotated {
		v, err := responsesAlike(gains(r, s.patches), own)
		if err != nil {
			return m, err
		}
		m.rotated += v / float64(len(s.rotated))
	}
	return m, nil
}

// seenColumns are the columns of a table of measures.
func seenColumns(first string) []report.Column {
	return []report.Column{
		{Name: first},
		{Name: "machine and network", Numeric: true, Help: "correlation of the responses over the positions of an image, mean over the images"},
		{Name: "M = I", Numeric: true, Help: "the same with the norm of the patches in place of the machine's response"},
		{Name: "above", Numeric: true, Help: "what lies above that"},
		{Name: "untrained", Numeric: true, Help: "the machine's response and that of the network before training"},
		{Name: "gain", Numeric: true, Help: "correlation of the responses over the norms of the patches"},
		{Name: "QMQᵀ", Numeric: true, Help: "the same with the machine's M rotated at random"},
		{Name: "above ", Numeric: true, Help: "what lies above that"},
	}
}

func (m seenMeasures) cells() []report.Cell {
	return []report.Cell{
		correlationCell(m.network), correlationCell(m.identity), definedCell(m.network-m.identity, "%+.3f"), correlationCell(m.untrained),
		correlationCell(m.gain), correlationCell(m.rotated), definedCell(m.gain-m.rotated, "%+.3f"),
	}
}
