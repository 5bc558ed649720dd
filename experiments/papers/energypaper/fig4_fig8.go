package energypaper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The measures of a figure: means over its pairs, of differences between thirds of the components, see meanThirds.
var (
	overLow     = study.NewMeasure("over_low")
	overHigh    = study.NewMeasure("over_high")
	optimumHigh = study.NewMeasure("optimum_high") // the reverse, of the optimum
)

// fig4 returns Fig. 4: the profiles of two pairs of Table 3, those that its caption describes.
func fig4() *study.Experiment {
	e := linearProfiles("fig4")
	e.ID, e.Figure, e.Title = "energy/fig4", "Fig. 4",
		"Energy profiles of linear CNNs: true and random labels, the optimum, and the initial filters"
	e.About = study.About{
		Done: "The energy profiles of two of Table 3's pairs of classes, dog and frog, and dog and cat, are " +
			"shown.",
		Deviations: []string{
			"The paper does not say which pairs it shows. These are among those whose correlation with the " +
				"optimum is below −.2 in Table 3, as the figure's caption says.",
		},
		Conventions: []string{
			"A number for the figure is the mean over its pairs.",
		},
	}.With(shapesAbout)
	e.Claims = append(e.Claims,
		likeOptimum.Of("fig4").Claim("The energy profile of linear CNNs that learned dog and frog, or dog and "+
			"cat, differs from the optimal one: correlation.",
			"under −.2", study.AtMost(-.2)).Diagnosed(optimumKnown))
	return e
}

// optimumKnown says what is known of correlations with the optimum.
const optimumKnown = "The sign is the paper's. The size depends on the time and on the sample of patches from which the components " +
	"are taken: at ηT/width = 10⁵ and with few patches it is nearly the paper's (table of samples), and at the time at which true and " +
	"random labels agree it is about half of that. The paper does not say its width, which would decide."

// optimumKnown says what is known of the pair's correlation with the optimum.
func (p linearPair) optimumKnown() string {
	if p.paper[linearOptimum] > 0 {
		return "The sign is that of all other pairs, here and in the paper, whatever the sample and the time: the printed + is " +
			"probably a misprint. The authors would know."
	}
	return optimumKnown
}

// shapesAbout says which components the filters of Figs. 4 and 8 learn.
var shapesAbout = study.About{
	Controls: []string{
		"Filters learn the first components first: these have the largest mean projections. Even at infinite width, " +
			"by the closed form, the middle third of the components stays below the first third in all five pairs until " +
			"ηT/width = 1000 (Table 3's table of thirds), 1700 times the training that is shown.",
	},
}

// fig8 returns Fig. 8: the profiles of the other pairs of Table 3.
func fig8() *study.Experiment {
	e := linearProfiles("fig8")
	e.ID, e.Figure, e.Title = "energy/fig8", "Fig. 8", "Energy profiles of linear CNNs: more examples"
	e.About = study.About{
		Done: "The energy profiles of Table 3's pairs that Fig. 4 does not show here: bird and plane, car and " +
			"truck, boat and plane.",
	}.With(shapesAbout)
	return e
}

// linearProfiles returns the profiles of the pairs of a figure, with the claims about them.
func linearProfiles(figure string) *study.Experiment {
	var names []string
	for _, p := range linearPairs() {
		if p.figure == figure {
			names = append(names, p.name)
		}
	}
	classes := strings.Join(names, ", ")
	e := &study.Experiment{
		Paper: "energy", Of: table3(),
		Claims: []study.Claim{
			likeRandom.Of(figure).Claim("The energy profiles of linear CNNs with true and with random labels are "+
				"almost identical: correlation, mean over "+classes+".", "over .9", study.AtLeast(.9)).
				WithControl(overNull.Of(figure)),
			overNull.Of(figure).Check("The energy profiles of linear CNNs with true and with random labels are "+
				"more similar than if the filters of one were rotated at random: correlation less two standard "+
				"deviations of that null, mean over "+classes+".", study.Above(0)),
			overLow.Of(figure).Claim("The filters of linear CNNs trained with true labels are sensitive mostly "+
				"to intermediate frequencies: mean energy of the middle third of components less that of either other "+
				"third, mean over "+
				classes+".", "picture", study.Above(0)).And(overHigh.Of(figure)).
				Diagnosed("The first components are learned first. By the closed form at infinite width, the middle third stays " +
					"below the first third in all five pairs until ηT/width = 1000, 1700 times the training that is shown. More " +
					"filters, more seeds or longer training would not decide otherwise."),
			optimumHigh.Of(figure).Claim("The optimum of linear CNNs is highly sensitive to high frequencies: "+
				"mean energy of the last third of the components less that of the middle third, mean over "+classes+".",
				"picture", study.Above(0)),
		},
	}
	for _, p := range linearPairs() {
		if p.figure == figure {
			e.Shows = append(e.Shows, "profiles-"+p.key, "optimum-"+p.key)
		}
	}
	return e
}

// setShapes sets the measures of a figure: means over the pairs that it shows.
func setShapes(figure string, all []*linearCurves, o *study.Outcome) {
	pairs := slices.DeleteFunc(slices.Clone(all), func(c *linearCurves) bool { return c.figure != figure })
	for m := range pairs[0].shape {
		mean := 0.
		for _, c := range pairs {
			mean += c.shape[m] / float64(len(pairs))
		}
		o.Set(m.Of(figure), mean)
	}
}

// measureShape computes the measures of a pair for Figs. 4 and 8.
func (l *learnedPair) measureShape(truth, random, optimum []float64) (map[study.Measure]float64, error) {
	labels, err := profileSimilarity(l.profileOf(truth), l.profileOf(random))
	if err != nil {
		return nil, err
	}
	best, err := profileSimilarity(l.profileOf(truth), l.profileOf(optimum))
	if err != nil {
		return nil, err
	}
	low, middle, high := meanThirds(l.profileOf(truth))
	_, bestMiddle, bestHigh := meanThirds(l.profileOf(optimum))
	return map[study.Measure]float64{
		likeRandom: labels.Pearson, overNull: aboveNull(labels), overLow: middle - low, overHigh: middle - high,
		likeOptimum: best.Pearson, optimumHigh: bestHigh - bestMiddle,
	}, nil
}

// addProfiles draws the profiles of a pair for Figs. 4 and 8, each divided by its norm, and computes their measures.
func (l *learnedPair) addProfiles(p *linearCurves, o *study.Outcome) error {
	g := l.fullDescent(l.images)
	truth, err := l.profileAfter(l.truth, l.start, g)
	if err != nil {
		return err
	}
	random, err := l.profileAfter(l.rand, l.other, g)
	if err != nil {
		return err
	}
	filter, err := l.closed.Optimum(l.truth)
	if err != nil {
		return err
	}
	optimum := l.energies(mat.NewDense(1, len(filter), filter))
	if p.shape, err = l.measureShape(truth, random, optimum); err != nil {
		return err
	}
	scaled := func(label string, e []float64) report.Series {
		norm := floats.Norm(e, 2)
		return record.NumberedSeries(label, similarity.MapValues(e, func(v float64) float64 { return v / norm }))
	}
	chart := func(name, title, caption string, series ...report.Series) study.Chart {
		return study.Chart{
			Name: name + "-" + p.key, Title: title + ": " + p.name, XLabel: "principal component",
			YLabel:  "energy over the profile's norm",
			Caption: fmt.Sprintf("As Figs. 4 and 8, at ηT/width = %.3g. %s", g.Time(), caption), Series: series,
		}
	}
	o.Charts = append(o.Charts,
		chart("profiles", "Energy profiles", "The optimum has a chart of its own.",
			scaled("before training", l.energies(l.start)), scaled("true labels", truth), scaled("random labels", random)),
		chart("optimum", "Energy profile of the optimum", "The optimum's squares differ so much that its profile is "+
			"nearly that of a few components.",
			scaled("true labels", truth), scaled("optimum", optimum)))
	return nil
}
