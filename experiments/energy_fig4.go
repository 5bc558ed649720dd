package experiments

import "github.com/ansatz-lab/ansatz/cnfa"

// energyFig4 is the profiles of Table 3's pairs that the text is about.
func energyFig4() *Experiment {
	e := linearProfiles("fig4")
	e.ID, e.Figure, e.Title = "energy/fig4", "Fig. 4", "Energy profiles of linear CNNs: true and random labels, the optimum, and the initial filters"
	e.About = "The profiles of two of Table 3's pairs, dog and frog, and dog and cat: the paper does not say which it shows, and these are of those whose correlation with the optimum is under −.2 in Table 3, as the figure's caption has it. " +
		"What a figure's pairs have in common is their mean."
	e.Claims = append(e.Claims,
		Claim{"fig4_optimum", "The representation is different from the optimal one: correlation.", "under −.2", atMost(-.2)})
	return e
}

// energyFig8 is the profiles of Table 3's other pairs.
func energyFig8() *Experiment {
	e := linearProfiles("fig8")
	e.ID, e.Figure, e.Title = "energy/fig8", "Fig. 8", "Energy profiles of linear CNNs: more examples"
	e.About = "The profiles of Table 3's pairs that Fig. 4 has not got here: bird and plane, car and truck, boat and plane."
	return e
}

// linearProfiles are the profiles of a figure's pairs, with what is said of them.
func linearProfiles(figure string) *Experiment {
	e := &Experiment{
		Paper: "energy", Of: energyTable3(),
		Claims: []Claim{
			{figure + "_random", "The profiles of true and of random labels are almost identical: correlation.", "over .9", atLeast(.9)},
			{figure + "_partial", "They share more than the spectrum of the patches: partial correlation.", "not asked by the paper", atLeast(.5)},
			{figure + "_over_low", "What is learned with true labels is sensitive mostly to intermediate frequencies: the middle third of the components above the first.", "picture", above(0)},
			{figure + "_over_high", "And above the last third.", "picture", above(0)},
			{figure + "_optimum_high", "The optimum is highly sensitive to high frequencies: the last third of the components above the middle one.", "picture", above(0)},
		},
		Controls: map[string]string{figure + "_random": figure + "_partial"},
	}
	for _, p := range linearPairs() {
		if p.figure == figure {
			e.Shows = append(e.Shows, "profiles-"+p.key)
		}
	}
	return e
}

// tellShapes tells of a pair what its network shares under true and random labels
// beyond the spectrum, and of its figure the means over its pairs.
func (l *learnedPair) tellShapes(p linearPair, truth, random, optimum []float64, o *Outcome) {
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
	low, high := shapeOf(profile(truth))
	_, bestHigh := shapeOf(profile(optimum))
	o.Values[p.key+"_partial"] = labels.Partial
	pairs := 0
	for _, other := range linearPairs() {
		if other.figure == p.figure {
			pairs++
		}
	}
	for name, v := range map[string]float64{
		"_random": labels.Pearson, "_partial": labels.Partial, "_over_low": low, "_over_high": high, "_optimum": best.Pearson, "_optimum_high": -bestHigh,
	} {
		o.Values[p.figure+name] += v / float64(pairs)
	}
}
