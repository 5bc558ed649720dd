package energypaper

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/profile"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// pixelsPerDegree is the assumed resolution: a pixel covers .0213° of the visual field, as the reference pixel of CSS
// does (W3C, CSS Values and Units 3, section 6.2).
const pixelsPerDegree = 1 / .0213

// The correlation of profiles with human contrast sensitivity, and by how much training raises it; means over the
// networks.
var (
	sensitivity       = study.NewMeasure("sensitivity")
	sensitivityExcess = study.NewMeasure("sensitivity_excess")
)

// sensitivityAbout explains the comparison with human vision.
var sensitivityAbout = study.About{
	Deviations: []string{
		fmt.Sprintf("The paper does not say how large its pixels are to the eye, so the place of the peak of 8 cycles "+
			"per degree is our choice: %.0f pixels per degree, CSS's reference pixel.", pixelsPerDegree),
	},
	Conventions: []string{
		"The contrast sensitivity of humans is A(f) = 2.6 (.0192 + .114 f) exp(−(.114 f)^1.1) for f cycles per " +
			"degree of luminance (Mannos and Sakrison 1974).",
		"The spatial frequency of a component is the mean over its cosines (DCT-II). A component counts by its " +
			"share of luminance.",
	},
}

// contrastSensitivity returns the contrast sensitivity of humans at a frequency in cycles per pixel;
// it is 1 at its peak (Mannos and Sakrison 1974).
func contrastSensitivity(frequency float64) float64 {
	f := .114 * frequency * pixelsPerDegree
	return 2.6 * (.0192 + f) * math.Exp(-math.Pow(f, 1.1))
}

// meanFrequency returns the mean spatial frequency of a patch of q×q pixels, in cycles per pixel:
// the mean over its cosines (DCT-II), weighted by their squared coefficients.
func meanFrequency(patch []float64, channels, q int) float64 {
	var sum, weight float64
	for c := range channels {
		of := patch[c*q*q : (c+1)*q*q]
		for u := range q {
			for v := range q {
				a := 0.
				for i, x := range of {
					a += x * cosine(u, i/q, q) * cosine(v, i%q, q)
				}
				sum += a * a * math.Hypot(float64(u), float64(v)) / float64(2*q)
				weight += a * a
			}
		}
	}
	return sum / weight
}

// cosine returns element i of the u-th of q orthonormal cosines.
func cosine(u, i, q int) float64 {
	if u == 0 {
		return 1 / math.Sqrt(float64(q))
	}
	return math.Sqrt(2/float64(q)) * math.Cos(math.Pi*float64(u)*(float64(i)+.5)/float64(q))
}

// luminanceShare returns the share of a patch of length 1 that is equal in all channels.
func luminanceShare(patch []float64, channels, q int) float64 {
	share := 0.
	for i := range q * q {
		sum := 0.
		for c := range channels {
			sum += patch[c*q*q+i]
		}
		share += sum * sum / float64(channels)
	}
	return share
}

// componentVision holds spatial frequency, share of luminance and human sensitivity of each
// component.
type componentVision struct{ frequencies, luminances, sensitivities []float64 }

// newComponentVision measures the components of a basis.
func newComponentVision(b *profile.Basis) componentVision {
	var s componentVision
	for _, p := range b.Vectors[:b.Kept] {
		f := meanFrequency(p, b.Channels, b.Patch)
		s.frequencies = append(s.frequencies, f)
		s.luminances = append(s.luminances, luminanceShare(p, b.Channels, b.Patch))
		s.sensitivities = append(s.sensitivities, contrastSensitivity(f))
	}
	return s
}

// addSensitivity adds the correlation of the profiles, after and before training, with human contrast sensitivity
// (Fig. 2d), and its chart.
func addSensitivity(found []*profiledNet, o *study.Outcome) {
	var trained, initial []float64
	c := study.Chart{
		Name: "sensitivity", Title: "Energies and the contrast sensitivity of humans", XLabel: "spatial frequency, cycles per pixel",
		YLabel: "energy or sensitivity / root mean square",
		Caption: fmt.Sprintf("As Fig. 2d. Dots are the energies on the components that are mostly luminance, by "+
			"their mean spatial frequency; the line is the contrast sensitivity of humans (Mannos and Sakrison "+
			"1974) at %.0f pixels per degree.", pixelsPerDegree),
	}
	for i, p := range found {
		s := newComponentVision(p.basis)
		trained = append(trained, stat.Correlation(p.compared.profile.Energies, s.sensitivities, s.luminances))
		initial = append(initial, stat.Correlation(p.initial.profile.Energies, s.sensitivities, s.luminances))
		if i == 0 {
			c.Series = append(c.Series, s.sensitivitySeries())
		}
		if dots, ok := s.profileSeries(p.Name, p.compared.profile); ok {
			c.Series = append(c.Series, dots)
		}
	}
	o.Set(sensitivity, stat.Mean(trained, nil))
	o.Set(sensitivityExcess, stat.Mean(trained, nil)-stat.Mean(initial, nil))
	o.Charts = append(o.Charts, c)
}

// sensitivitySeries returns the curve of the sensitivity, divided by its root mean square over the components of
// luminance.
func (s componentVision) sensitivitySeries() report.Series {
	scale := profile.RootMeanSquare(s.onLuminance(s.sensitivities))
	return record.SeriesOf("human sensitivity", floats.Span(make([]float64, 51), 0, .5),
		func(f float64) float64 { return f }, func(f float64) float64 { return contrastSensitivity(f) / scale })
}

// profileSeries returns a profile as dots on the components of luminance, divided by its root mean square there; false
// if there are none.
func (s componentVision) profileSeries(label string, p *energy.Profile) (report.Series, bool) {
	e := s.onLuminance(p.Energies)
	scale := profile.RootMeanSquare(e)
	if len(e) == 0 || scale == 0 {
		return report.Series{}, false
	}
	floats.Scale(1/scale, e)
	return report.Series{Label: label, X: s.onLuminance(s.frequencies), Y: e, Dots: true}, true
}

// onLuminance returns the elements at components that are mostly luminance, or all elements if there is no such
// component.
func (s componentVision) onLuminance(of []float64) []float64 {
	var out []float64
	for i, l := range s.luminances {
		if l > .5 {
			out = append(out, of[i])
		}
	}
	if len(out) == 0 {
		return append(out, of...)
	}
	return out
}
