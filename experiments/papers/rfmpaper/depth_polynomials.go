package rfmpaper

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/floats"
)

// The measures of Fig. 10 besides those of all depth studies.
var (
	peakGrowth  = study.NewMeasure("peak_growth")
	noiseGrowth = study.NewMeasure("noise_growth")
	depthGain   = study.NewMeasure("depth_gain")
	rootPearson = study.NewMeasure("root_pearson") // of W₁ᵀW₁ with AGOP^½, the least over the depths
	rootExcess  = study.NewMeasure("root_excess")  // over the null
)

// DepthSpec studies how features are amplified with depth on a polynomial (rfm Figs. 10 and
// 14).
type DepthSpec struct {
	Polynomial string             `json:"polynomial" toml:"polynomial"` // switched or product
	Train      int                `json:"train" toml:"train"`
	Validation int                `json:"validation" toml:"validation"` // rows on which epochs and scales are chosen
	Test       int                `json:"test" toml:"test"`
	Depths     int                `json:"depths" toml:"depths"` // the largest number of hidden layers; networks have 1 to Depths
	Ridge      float64            `json:"ridge" toml:"ridge"`   // of the kernels
	Net        setups.NetworkSpec `json:"net" toml:"net"`
}

// depthAbout explains the settings of Figs. 10 and 14.
var depthAbout = study.About{
	Deviations: []string{
		"The paper says that networks are trained for 100 epochs with a learning rate of .1 and a first layer " +
			"that starts with standard deviation 1e-3. It does not give the number of features and the ridge: here " +
			"there are 40 features, which reproduce the errors of the NTK in Fig. 14, and a ridge of 1e-3. Batches are " +
			"of 10, with which 100 epochs nearly interpolate the training rows, as the paper says they do. With full " +
			"batches, which its Appendix D has for Fig. 16 and may mean here too, .89 to 1 of the training error is " +
			"left (Fig. 14, one seed). Scale small has the settings of scale paper.",
	},
	Conventions: []string{
		"Epochs, and whether W₁ᵀW₁ is divided by nothing, its largest element, or its trace over d, are chosen " +
			"on validation rows; test rows choose nothing. The kernels on W₁ᵀW₁ have the metric of the network of " +
			"the same depth.",
	},
}

// polynomialDepth returns the settings of rfm, section 6.
func polynomialDepth(polynomial string, depths int) *DepthSpec {
	return &DepthSpec{
		Polynomial: polynomial, Train: 1000, Validation: 1000, Test: 1000, Depths: depths, Ridge: 1e-3,
		Net: setups.NetworkSpec{Width: 1024, FirstStd: 1e-3, Rate: .1, Batch: 10, Epochs: 100},
	}
}

// fig10 returns depth on a polynomial with a switch.
func fig10() *study.Experiment {
	return &study.Experiment{
		ID: "rfm/fig10", Paper: "rfm", Figure: "Fig. 10",
		Title: "Feature amplification with depth: a polynomial with a switch",
		About: study.About{
			Done: "Networks of one to four hidden layers learn y = x₁x₂ where x₄ > 0, else x₃, for x ~ N(0, " +
				"I/4). Kernels on the feature matrix W₁ᵀW₁ of their first layers are compared with them.",
			Deviations: []string{
				"The paper's table of R² is an image that our copy lacks, so claims are about its sentences. Its " +
					"sentence on intensities can be read in several ways: the claims on divided diagonals were " +
					"added after the first had been seen to fail.",
			},
			Controls: []string{
				"The figure shows no gradient outer product. Our checks compare W₁ᵀW₁ with that of the network " +
					"(AGOP) and with AGOP^½.",
			},
		}.With(depthAbout),
		Panels: []string{"corners", "diagonal", "performance"},
		Claims: []study.Claim{
			shareGrowth.Claim("On a polynomial with a switch, the feature matrix of a network of four hidden "+
				"layers has a higher intensity on the four features that matter than that of one hidden layer: "+
				"growth of their share of the trace.",
				"more", study.AtLeast(.02)).Diagnosed(switchedKnown),
			peakGrowth.Claim("On a polynomial with a switch, the diagonal of a network's W₁ᵀW₁ over its largest "+
				"element is higher on the four features that matter with four hidden layers than with one: growth "+
				"of the sum of the four elements.",
				"more", study.AtLeast(.02)),
			noiseGrowth.Claim("On a polynomial with a switch, the diagonal of a network's W₁ᵀW₁ over its largest "+
				"element is lower on features that do not matter with four hidden layers than with one: growth of "+
				"their mean with depth.",
				"less", study.AtMost(0)).Diagnosed(switchedKnown),
			depthGain.Claim("On a polynomial with a switch, a network of four hidden layers does better than one "+
				"of one hidden layer: gain in R².",
				"more", study.AtLeast(.01)),
			ntkLead.Claim("On a polynomial with a switch, the NTK on W₁ᵀW₁ outperforms the network of the same "+
				"depth: smallest lead in R² over the depths.",
				"outperforms", study.Above(0)).Diagnosed("From two hidden layers on the NTK leads clearly; with one, where the " +
				"lead is smallest, by about its spread over the seeds (table of performance). Ten seeds would decide, twenty " +
				"minutes of a core."),
			laplaceLead.Claim("On a polynomial with a switch, the Laplace kernel on W₁ᵀW₁ outperforms the "+
				"network of the same depth: smallest lead in R² over the depths.",
				"outperforms", study.Above(0)),
			ntkFeaturesGain.Claim("On a polynomial with a switch, the NTK on W₁ᵀW₁ does better than the NTK: "+
				"smallest gain in R² over the depths.",
				"more", study.AtLeast(.05)),
			agopExcess.Check("On a polynomial with a switch, the W₁ᵀW₁ of networks resembles their AGOP more "+
				"than its null does: smallest excess over the depths.",
				study.Above(0)),
			diagonalExcess.Check("On a polynomial with a switch, the diagonal of the W₁ᵀW₁ of networks resembles "+
				"that of their AGOP more than its null does: smallest excess over the depths.", study.Above(0)),
			rootExcess.Check("On a polynomial with a switch, the W₁ᵀW₁ of networks resembles their AGOP^½ more "+
				"than its null does: smallest excess over the depths.",
				study.Above(0)),
		},
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &DepthSpec{
				Polynomial: "switched", Train: 200, Validation: 100, Test: 200, Depths: 2, Ridge: 1e-3,
				Net: setups.NetworkSpec{Width: 16, FirstStd: 1e-3, Rate: .1, Batch: 10, Epochs: 5},
			},
			study.Small:      polynomialDepth("switched", 4),
			study.PaperScale: polynomialDepth("switched", 4),
		},
	}
}

// switchedKnown says what is known of the claims about intensities.
const switchedKnown = "With one hidden layer three quarters of the trace of W₁ᵀW₁ lie on the four features, with more layers less; " +
	"of the AGOP nine tenths and more do at every depth (table of features). Training raises the share at every depth, from a " +
	"tenth. These are the paper's settings as far as it gives them, and more seeds would not change the verdict."

// fig14 returns depth on a product. The paper's numbers are single draws, and our prediction interval must be narrower
// than a quarter of them. The numbers for the NTK were used to determine the number of features, so they are fitted,
// and not tested by claims.
func fig14() *study.Experiment {
	claims := []study.Claim{
		ntkLead.Claim("On a product of two features the NTK on W₁ᵀW₁ exceeds the network of the same depth: "+
			"smallest lead in error over the depths.",
			"exceeds", study.Above(0)),
		laplaceLead.Claim("On a product of two features the Laplace kernel on W₁ᵀW₁ exceeds the network of the "+
			"same depth: smallest lead in error over the depths.", "exceeds", study.Above(0)),
		shareGrowth.Claim("On a product of two features the share of the trace of networks' W₁ᵀW₁ on the two "+
			"grows with depth (Section 6): growth.",
			"more", study.AtLeast(.02)).
			Diagnosed("The share is more than ten times that before training at every depth, and no larger at depth 3 than at " +
				"depth 1; of the AGOP nearly all lies on the two features at every depth (table of features). More " +
				"seeds would not change the verdict."),
	}
	var printed []study.Printed
	for _, row := range []struct {
		learner learner
		paper   []float64
	}{
		{byNetwork, []float64{.0829, .0732, .0707}}, {byNTK, []float64{.280, .465, .574}},
		{byNTKFeatures, []float64{.0384, .0422, .0428}},
		{byLaplace, []float64{.712}}, {byLaplaceFeatures, []float64{.0547, .0631, .0605}},
	} {
		numbers := study.Printed{Chart: "performance", Of: row.learner.name, Y: row.paper}
		for k := range row.paper {
			numbers.X = append(numbers.X, float64(k+1))
		}
		printed = append(printed, numbers)
		for k, v := range row.paper {
			m, near := scoreAt(row.learner, k+1), study.Within(v, v/4)
			if row.learner == byNTK {
				claims = append(claims, m.Check(fmt.Sprintf("The choice of 40 features for the product of two "+
					"was good: the test error of the NTK of depth %d is the %v of the paper within a quarter.",
					k+1, v), near))
				continue
			}
			claims = append(claims, m.Claim(fmt.Sprintf("On a product of two features the test error at depth %d "+
				"(%s) is the paper's.", k+1,
				row.learner.name), fmt.Sprint(v), near).AsDraw(v).
				Diagnosed("The paper does not say how many features there are, nor for certain how large batches are. Both "+
					"change the error. Nor does it give the spread of its draws, which would decide: errors of our seeds "+
					"differ by a tenth to a quarter."))
		}
	}
	return &study.Experiment{
		ID: "rfm/fig14", Paper: "rfm", Figure: "Fig. 14", Title: "Feature amplification with depth: a product",
		About: study.About{
			Done: "Networks of one to three hidden layers learn y = x₁x₂ for x ~ N(0, I/4). Kernels on the " +
				"feature matrix W₁ᵀW₁ of their first layers are compared with them.",
			Deviations: []string{
				"The paper's numbers are from one draw: each has to lie where a further seed would, within a " +
					"quarter, which was set when the batch had been chosen on seed 0. The three errors of the NTK " +
					"are fitted and not tested, as they chose the number of features.",
			},
			Conventions: []string{
				"Errors are mean squares divided by the variance of the test targets, 1/16, as the paper's must " +
					"be.",
			},
		}.With(depthAbout),
		Printed:    printed,
		Claims:     claims,
		SmallSeeds: 10,
		Specs: map[study.Scale]study.Spec{
			study.Smoke: &DepthSpec{
				Polynomial: "product", Train: 200, Validation: 100, Test: 200, Depths: 3, Ridge: 1e-3,
				Net: setups.NetworkSpec{Width: 16, FirstStd: 1e-3, Rate: .1, Batch: 10, Epochs: 5},
			},
			study.Small:      polynomialDepth("product", 3),
			study.PaperScale: polynomialDepth("product", 3),
		},
	}
}

// Run implements Spec.
func (s *DepthSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	p, err := findPolynomial(s.Polynomial)
	if err != nil {
		return nil, err
	}
	relevant := relevantFeatures(p.Name)
	if relevant == nil || s.Depths < 1 {
		return nil, input.Errorf("polynomial %q and %d depths: want a polynomial of some features, and at least 1",
			s.Polynomial, s.Depths)
	}
	sweep := &depthStudy{in: in, net: s.Net, depths: s.Depths, ridge: s.Ridge, draws: similarity.NullDraws}
	if sweep.train, err = drawPolynomial(in, p, s.Train, "train"); err != nil {
		return nil, err
	}
	if sweep.validation, err = drawPolynomial(in, p, s.Validation, "validation"); err != nil {
		return nil, err
	}
	if sweep.test, err = drawPolynomial(in, p, s.Test, "test"); err != nil {
		return nil, err
	}
	all, err := sweep.run(ctx)
	if err != nil || in.Dry() {
		return nil, err
	}
	return polynomialOutcome(all, p.Name, relevant)
}

// polynomialOutcome returns the measures, tables and figures of a depth study of a polynomial.
func polynomialOutcome(all []*depthResult, name string, relevant []int) (*study.Outcome, error) {
	score := depthScore{"R²", func(s rfm.Scores) float64 { return s.R2 }, false}
	if name == "product" { // as in Fig. 14
		score = depthScore{"error", func(s rfm.Scores) float64 { return 1 - s.R2 }, true}
	}
	o := score.outcome(all, "Share of the features that matter",
		func(diagonal []float64) float64 { return shareIn(diagonal, relevant) })
	o.Set(peakGrowth, growth(all, func(r *depthResult) float64 { peak, _ := r.drawn(relevant); return peak }))
	o.Set(noiseGrowth, growth(all, func(r *depthResult) float64 { _, noise := r.drawn(relevant); return noise }))
	o.Set(depthGain, growth(all, func(r *depthResult) float64 { return r.scores[byNetwork].R2 }))
	root := func(r *depthResult) similarity.Alignment { return *r.features.Root }
	o.Set(rootPearson, record.LeastOf(all, func(r *depthResult) float64 { return root(r).Pearson }))
	o.Set(rootExcess, record.LeastOf(all, func(r *depthResult) float64 { return root(r).Excess() }))
	o.Tables = append(o.Tables, record.TableOf("roots", "Similarity of W₁ᵀW₁ with AGOP^½, by depth. A similarity "+
		"is marked if it exceeds its null by two standard deviations.", all, append([]record.Field[*depthResult]{
		record.TextField("depth", func(r *depthResult) string { return fmt.Sprint(r.depth) })},
		similarity.AlignmentFields(root)...)...))
	o.Charts = append(o.Charts, diagonalChart(all))
	var panels []report.Matrix
	for _, r := range all {
		panels = append(panels, record.FeaturesPanel(fmt.Sprintf("W₁ᵀW₁, depth %d", r.depth),
			similarity.Corner(setups.NetworkMetric(r.trained.Net).Dense(), 10)))
	}
	f, err := report.HeatMaps("corners", panels)
	f.Caption = "The top left corner of W₁ᵀW₁ by depth."
	f.Alt = "Corners of matrices: the elements of the features that matter stand out"
	o.Figures = append(o.Figures, f)
	return o, err
}

// drawn returns the sum of the relevant elements of the diagonal and the mean of the others, over its largest element.
func (r *depthResult) drawn(relevant []int) (peak, noise float64) {
	most, sum := floats.Max(r.diagonal), floats.Sum(r.diagonal)
	part := shareIn(r.diagonal, relevant) * sum
	return part / most, (sum - part) / most / float64(len(r.diagonal)-len(relevant))
}

// diagonalChart returns the diagonals, each divided by its largest element.
func diagonalChart(all []*depthResult) study.Chart {
	const shown = 12
	c := study.Chart{
		Name: "diagonal", Title: "Diagonal of W₁ᵀW₁, first features", YLabel: "element / largest element",
		Caption: "By feature, each diagonal divided by its largest element.",
	}
	for i := range min(shown, len(all[0].diagonal)) {
		c.Labels = append(c.Labels, fmt.Sprintf("x%d", i+1))
	}
	for _, r := range all {
		most := floats.Max(r.diagonal)
		c.Series = append(c.Series, report.Series{
			Label: fmt.Sprintf("depth %d", r.depth), X: study.Places(len(c.Labels)),
			Y: similarity.MapValues(r.diagonal[:len(c.Labels)], func(v float64) float64 { return v / most }),
		})
	}
	return c
}
