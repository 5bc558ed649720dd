package energypaper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/stat"
)

// The measures of a group of pairs: means over the pairs of the correlation of the two profiles, of
// what is left of it beyond the spectrum of the patches, and of how much lower it is on the
// components From to To alone.
var (
	pearson    = study.NewMeasure("pearson")
	partial    = study.NewMeasure("partial")
	middleDrop = study.NewMeasure("middle_drop")
)

// withInit is the mean correlation of profiles after and before training: each network's with its
// own and, as GROUP_init, with that of the other network of a pair.
var withInit = study.NewMeasure("init")

// The measures of all pairs: the share of them with a high correlation, and by how much the mean
// correlation exceeds that with the standard deviations of the patches.
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

// memorised is the least training accuracy of networks that learn random labels.
var memorised = study.NewMeasure("memorised")

// The measures of networks whose labels are made from components, see setSpikes.
var (
	spike       = study.NewMeasure("spike")
	spikeDrop   = study.NewMeasure("drop")
	spikeLowest = study.NewMeasure("lowest")
)

// alikeClaim returns the claim that the profiles of a group of pairs are alike: their correlation
// is at least some number. Its null control is [partialClaim].
func alikeClaim(group, sentence, paper string, least float64) study.Claim {
	return pearson.Of(group).Claim(sentence, paper, study.AtLeast(least)).WithControl(partial.Of(group))
}

// partialClaim returns the claim that the profiles of a group of pairs share more than the spectrum
// of the patches: their partial correlation is at least .5.
func partialClaim(group, sentence string) study.Claim {
	return partial.Of(group).Claim(sentence, "not asked by the paper", study.AtLeast(.5))
}

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
			add(pearson.Of(group), c.alike.Pearson)
			add(partial.Of(group), c.alike.Partial)
		}
		add(withInit.Of(c.Group), c.cross)
		add(much, indicator(c.alike.Pearson >= highCorrelation))
		if c.From > 0 {
			add(middleDrop.Of(c.Group), c.alike.Pearson-c.middle.Pearson)
		}
	}
	for _, p := range found {
		low, high := middleExcess(p.compared)
		add(withInit, p.ownInit)
		add(withDeviations, p.withDeviations)
		add(withRanks, p.withRanks)
		add(middleOverLow, low)
		add(middleOverHigh, high)
	}
	for m, v := range values {
		o.Set(m, stat.Mean(v, nil))
	}
	o.Set(overDeviations, o.Value(pearson.Of(allPairsGroup))-o.Value(withDeviations))
	setMemorised(found, o)
	setSpikes(pairs, o)
}

// setMemorised sets the least training accuracy among networks that learned random labels.
func setMemorised(found []*profiledNet, o *study.Outcome) {
	for _, p := range found {
		accuracy := p.lastEpoch().TrainAccuracy
		if !areRandom(p.Labels) || math.IsNaN(accuracy) {
			continue
		}
		if least := o.Value(memorised); math.IsNaN(least) || accuracy < least {
			o.Set(memorised, accuracy)
		}
	}
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

// middleExcess returns by how much the mean energy of the middle third of the components exceeds
// that of the first component, and that of the last third, relative to the root mean square; NaN
// for filters that are zero.
func middleExcess(p *cnfa.EnergyProfile) (overLow, overHigh float64) {
	e, err := p.Scaled()
	third := len(e) / 3
	if err != nil || third == 0 {
		return math.NaN(), math.NaN()
	}
	middle := stat.Mean(e[third:2*third], nil)
	return middle - e[0], middle - stat.Mean(e[2*third:], nil)
}

// setSpikes sets the height of the spike at component K for networks that learned labels made from
// component K, beside the network that they are paired with; and the lowest correlation of such
// pairs.
func setSpikes(pairs []comparedPair, o *study.Outcome) {
	var spikes, correlations []float64
	for _, c := range pairs {
		k, ok := parseComponent(c.a.Labels)
		if !ok {
			continue
		}
		component := fmt.Sprintf("pc%d", k)
		if z := spikeHeight(c.a.compared, c.b.compared, k); !math.IsNaN(z) {
			spikes, correlations = append(spikes, z), append(correlations, c.alike.Pearson)
			o.Set(spike.Of(component), z)
		}
		o.Set(pearson.Of(component), c.alike.Pearson)
	}
	if len(spikes) == 0 {
		return
	}
	lowest := slices.Min(correlations)
	o.Set(spike, stat.Mean(spikes, nil))
	o.Set(spikeLowest, lowest)
	o.Set(spikeDrop, o.Value(pearson.Of("true"))-lowest)
}

// parseComponent returns K of labels pc:K[:PATCH].
func parseComponent(labels string) (k int, ok bool) {
	rest, ok := strings.CutPrefix(labels, "pc:")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, ":")
	k, err := strconv.Atoi(number)
	return k, err == nil
}

// spikeHeight returns by how many standard deviations the ratio p/q at component k exceeds the mean
// of the ratios at the others; NaN where k is no component or a profile is zero.
func spikeHeight(p, q *cnfa.EnergyProfile, k int) float64 {
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
