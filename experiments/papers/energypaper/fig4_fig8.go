package energypaper

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var (
	fig4Optimum = study.NewMeasure("fig4_optimum")
)

// fig4 returns Fig. 4: the profiles of the two pairs of Table 3 that its caption fits.
func fig4() *study.Experiment {
	e := linearProfiles("fig4")
	e.ID, e.Figure, e.Title = "energy/fig4", "Fig. 4",
		"Energy profiles of linear CNNs: true and random labels, the optimum, and the initial filters"
	e.About = "The profiles of two of Table 3's pairs, dog and frog, and dog and cat: the paper does not say which " +
		"it shows, and these are of those whose correlation with the optimum is under −.2 in Table 3, as the " +
		"figure's caption has it. What a figure's pairs have in common is their mean."
	e.Claims = append(e.Claims,
		fig4Optimum.Claim("The representation is different from the optimal one: correlation.",
			"under −.2", study.AtMost(-.2)))
	return e
}

// fig8 returns Fig. 8: the profiles of the other pairs of Table 3.
func fig8() *study.Experiment {
	e := linearProfiles("fig8")
	e.ID, e.Figure, e.Title = "energy/fig8", "Fig. 8", "Energy profiles of linear CNNs: more examples"
	e.About = "The profiles of Table 3's pairs that Fig. 4 has not got here: bird and plane, car and truck, boat and " +
		"plane."
	return e
}

// linearProfiles returns the profiles of the pairs of a figure, with the claims about them.
func linearProfiles(figure string) *study.Experiment {
	e := &study.Experiment{
		Paper: "energy", Of: table3(),
		Claims: []study.Claim{
			study.NewMeasure(figure+"_random").Claim("The profiles of true and of random labels are almost identical: correlation.",
				"over .9", study.AtLeast(.9)).WithControl(study.NewMeasure(figure + "_partial")),
			partialClaim(figure, "They share more than the spectrum of the patches: partial correlation."),
			study.NewMeasure(figure+"_over_low").Claim("What is learned with true labels is sensitive mostly to intermediate frequencies: the "+
				"middle third of the components above the first.",
				"picture", study.Above(0)),
			study.NewMeasure(figure+"_over_high").Claim("And above the last third.",
				"picture", study.Above(0)),
			study.NewMeasure(figure+"_optimum_high").Claim("The optimum is highly sensitive to high frequencies: the last third of the components "+
				"above the middle one.",
				"picture", study.Above(0)),
		},
	}
	for _, p := range linearPairs() {
		if p.figure == figure {
			e.Shows = append(e.Shows, "profiles-"+p.key)
		}
	}
	return e
}

// setShapes sets the values of a pair, the partial correlation of its profiles under true and
// random labels, and adds its share to the means over the pairs of its figure.
func (l *learnedPair) setShapes(p linearPair, truth, random, optimum []float64, o *study.Outcome) {
	profile := func(e []float64) *cnfa.EnergyProfile {
		return &cnfa.EnergyProfile{Energies: e, Deviations: l.deviations}
	}
	labels, err := cnfa.CompareProfiles(profile(truth), profile(random))
	if err != nil {
		labels = undefinedSimilarity()
	}
	best, err := cnfa.CompareProfiles(profile(truth), profile(optimum))
	if err != nil {
		best = undefinedSimilarity()
	}
	low, high := middleExcess(profile(truth))
	_, bestHigh := middleExcess(profile(optimum))
	o.Values[p.key+"_partial"] = labels.Partial
	pairs := 0
	for _, other := range linearPairs() {
		if other.figure == p.figure {
			pairs++
		}
	}
	for name, v := range map[string]float64{
		"_random": labels.Pearson, "_partial": labels.Partial, "_over_low": low, "_over_high": high,
		"_optimum": best.Pearson, "_optimum_high": -bestHigh,
	} {
		o.Values[p.figure+name] += v / float64(pairs)
	}
}

// addProfiles draws the profiles of a pair for Figs. 4 and 8, each divided by its norm, and sets
// their values.
func (l *learnedPair) addProfiles(p linearPair, o *study.Outcome) error {
	g := l.fullDescent(l.set.Len())
	truth, err := l.profileAfter(l.truth, l.start, g)
	if err != nil {
		return err
	}
	random, err := l.profileAfter(l.rand, l.other, g)
	if err != nil {
		return err
	}
	optimum, err := l.closed.Optimum(l.truth)
	if err != nil {
		return err
	}
	l.setShapes(p, truth, random, l.energies(mat.NewDense(1, len(optimum), optimum)), o)
	c := study.Chart{Name: "profiles-" + p.key, Title: "Energy profiles: " + p.name, XLabel: "principal component",
		YLabel: "energy over the profile's norm",
		Caption: fmt.Sprintf("As Figs. 4 and 8, at ηT/width = %.3g. The optimum's squares differ so much that its "+
			"profile is nearly that of a few components.", g.Time())}
	for _, s := range []struct {
		label string
		e     []float64
	}{{"before training", l.energies(l.start)}, {"true labels", truth}, {"random labels", random},
		{"optimum", l.energies(mat.NewDense(1, len(optimum), optimum))}} {
		series := report.Series{Label: s.label}
		norm := floats.Norm(s.e, 2)
		for i, v := range s.e {
			series.X, series.Y = append(series.X, float64(i+1)), append(series.Y, v/norm)
		}
		c.Series = append(c.Series, series)
	}
	o.Charts = append(o.Charts, c)
	return nil
}
