package energypaper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/experiments/similarity"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/stat"
)

// The measures of a group, means over its pairs: the correlation of the two profiles that the paper compares (those of
// W or, in Table 4, of W − W₀), and its excess, see aboveNull; the correlation for W − W₀; the noise ceilings of both;
// both on common components; what remains of the first beyond the spectrum of the patches; and by how much it is lower
// on the components From to To alone.
var (
	pearson       = study.NewMeasure("pearson")
	overNull      = study.NewMeasure("over_null")
	changePearson = study.NewMeasure("change")
	ceiling       = study.NewMeasure("ceiling")
	changeCeiling = study.NewMeasure("change_ceiling")
	common        = study.NewMeasure("common")
	changeCommon  = study.NewMeasure("change_common")
	partial       = study.NewMeasure("partial")
	middleDrop    = study.NewMeasure("middle_drop")
)

// withInit is the mean correlation of the profiles after and before training: of each network's with its own initial
// one or, as GROUP_init, with that of the other network of the pair.
var withInit = study.NewMeasure("init")

// The measures of all pairs: the share with a high correlation, and the excess of the mean correlation over that with
// the standard deviations of the patches.
var (
	much           = study.NewMeasure("much")
	overDeviations = study.NewMeasure("over_deviations")
)

// The measures of all networks: mean correlations with the spectrum, and the means of middleExcess.
var (
	withDeviations = study.NewMeasure("deviations")
	withRanks      = study.NewMeasure("ranks")
	middleOverLow  = study.NewMeasure("middle_over_low")
	middleOverHigh = study.NewMeasure("middle_over_high")
)

// memorised is the training accuracy of a group's networks with random labels, over the last epoch while they learned.
var memorised = study.NewMeasure("memorised")

// unevenness is by how many standard deviations of its null (randomly rotated filters) a profile is less even than the
// null's mean: the mean over the networks. With the part before it is about the initial filters.
var unevenness = study.NewMeasure("unevenness")

// The measures of a group of networks whose labels are made from components, see setSpikes.
var (
	spike           = study.NewMeasure("spike")
	spikeDrop       = study.NewMeasure("drop")
	spikeLowest     = study.NewMeasure("lowest")
	withProjections = study.NewMeasure("projection")
)

// highCorrelation is the correlation that the paper calls remarkably high.
const highCorrelation = .98

// allPairsGroup names the group of all pairs.
const allPairsGroup = "pairs"

// setProfileMeasures sets the measures: means over the pairs of each group, and means over the
// networks.
func setProfileMeasures(found []*profiledNet, pairs []comparedPair, o *study.Outcome) {
	values := map[study.Measure][]float64{}
	add := func(m study.Measure, v float64) { values[m] = append(values[m], v) }
	for _, c := range pairs {
		for _, group := range []string{c.Group, allPairsGroup} {
			c.addMeasures(group, add)
		}
		add(withInit.Of(c.Group), c.cross)
		add(much, indicator(c.compared.Pearson >= highCorrelation))
		if c.From > 0 {
			add(middleDrop.Of(c.Group), c.compared.Pearson-c.middle.Pearson)
		}
	}
	for _, p := range found {
		first, high := middleExcess(p.compared.profile)
		add(withInit, p.ownInit)
		add(withDeviations, p.withDeviations)
		add(withRanks, p.withRanks)
		add(middleOverLow, first)
		add(middleOverHigh, high)
		add(unevenness, p.spread.Deviations())
		add(unevenness.Of("before"), p.initialSpread.Deviations())
	}
	for m, v := range values {
		o.Set(m, stat.Mean(v, nil))
	}
	o.Set(overDeviations, o.Value(pearson.Of(allPairsGroup))-o.Value(withDeviations))
	setSpikes(pairs, o)
}

// addMeasures adds the similarities of the pair to the values of a group.
func (c comparedPair) addMeasures(group string, add func(m study.Measure, v float64)) {
	add(pearson.Of(group), c.compared.Pearson)
	add(overNull.Of(group), aboveNull(c.compared.Similarity))
	add(changePearson.Of(group), c.change.Pearson)
	add(ceiling.Of(group), c.compared.ceiling)
	add(changeCeiling.Of(group), c.change.ceiling)
	add(common.Of(group), c.compared.common)
	add(changeCommon.Of(group), c.change.common)
	add(partial.Of(group), c.compared.Partial)
	if areRandom(c.b.Labels) {
		add(memorised.Of(group), c.b.lastEpoch().TrainAccuracy)
	}
}

// aboveNull returns a correlation minus two standard deviations of its null, in which one of the two sets of filters is
// rotated at random.
func aboveNull(s energy.Similarity) float64 {
	return s.Pearson - similarity.NullDeviations*s.NullSD
}

// areRandom reports whether labels are independent of the images.
func areRandom(labels string) bool {
	return labels == "random" || strings.HasSuffix(labels, ":random")
}

// indicator returns 1 for true and 0 for false.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// middleExcess returns the mean energy of the middle third of the components minus that of the first component, and
// minus that of the last third, relative to the root mean square; NaN for zero filters.
func middleExcess(p *energy.Profile) (overFirst, overHigh float64) {
	_, middle, high := meanThirds(p)
	e, err := p.Scaled()
	if err != nil {
		return math.NaN(), math.NaN()
	}
	return middle - e[0], middle - high
}

// meanThirds returns the mean energies of the first, the middle and the last third of the components, relative to the
// root mean square; NaN for zero filters and for fewer than three components.
func meanThirds(p *energy.Profile) (low, middle, high float64) {
	e, err := p.Scaled()
	third := len(e) / 3
	if err != nil || third == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return stat.Mean(e[:third], nil), stat.Mean(e[third:2*third], nil), stat.Mean(e[2*third:], nil)
}

// setSpikes sets measures for every group of networks whose labels were made from components: the height of the spike
// at this component, relative to the network that each is paired with; the lowest correlation of such a pair, and by
// how much it is below that for true labels; and the correlation of the labels with the projections.
func setSpikes(pairs []comparedPair, o *study.Outcome) {
	spikes, correlations, projections := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for _, c := range pairs {
		k, ok := parseComponent(c.a.Labels)
		if !ok {
			continue
		}
		component := fmt.Sprintf("%s%d", c.Group, k)
		if z := spikeHeight(c.a.compared.profile, c.b.compared.profile, k); !math.IsNaN(z) {
			spikes[c.Group] = append(spikes[c.Group], z)
			correlations[c.Group] = append(correlations[c.Group], c.compared.Pearson)
			o.Set(spike.Of(component), z)
		}
		projections[c.Group] = append(projections[c.Group], math.Abs(c.a.withProjection))
		o.Set(pearson.Of(component), c.compared.Pearson)
	}
	for group, z := range spikes {
		lowest := slices.Min(correlations[group])
		o.Set(spike.Of(group), stat.Mean(z, nil))
		o.Set(spikeLowest.Of(group), lowest)
		o.Set(spikeDrop.Of(group), o.Value(pearson.Of("true"))-lowest)
		o.Set(withProjections.Of(group), stat.Mean(projections[group], nil))
	}
}

// spikeHeight returns by how many standard deviations the ratio p/q at component k exceeds the mean of the ratios at
// the others; NaN if there is no component k or a profile is zero.
func spikeHeight(p, q *energy.Profile, k int) float64 {
	a, errA := p.Scaled()
	b, errB := q.Scaled()
	if errA != nil || errB != nil || k > len(a) || k > len(b) {
		return math.NaN()
	}
	var others []float64
	for i := range a {
		if i != k-1 {
			others = append(others, a[i]/b[i])
		}
	}
	mean, sd := stat.MeanStdDev(others, nil)
	return (a[k-1]/b[k-1] - mean) / sd
}
