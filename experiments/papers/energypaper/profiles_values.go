package energypaper

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/stat"
)

var (
	pairsPearson      = study.NewMeasure("pairs_pearson")
	deviationsMeasure = study.NewMeasure("deviations")
)

// highCorrelation is the correlation that the paper calls remarkably high.
const highCorrelation = .98

// setProfileValues sets the values of the claims: means over the pairs of each group, and means
// over the networks.
func setProfileValues(found []*profiledNet, pairs []comparedPair, o *study.Outcome) {
	byValue := map[string][]float64{}
	put := func(name string, v float64) { byValue[name] = append(byValue[name], v) }
	for _, c := range pairs {
		put(c.Group+"_pearson", c.alike.Pearson)
		put(c.Group+"_partial", c.alike.Partial)
		put(c.Group+"_init", c.cross)
		put("pairs_pearson", c.alike.Pearson)
		put("pairs_partial", c.alike.Partial)
		put("much", indicator(c.alike.Pearson >= highCorrelation))
		if c.From > 0 {
			put(c.Group+"_middle_drop", c.alike.Pearson-c.middle.Pearson)
		}
	}
	for _, p := range found {
		deviations, ranks := p.compared.WithSpectrum()
		put("init", p.ownInit)
		put("deviations", deviations)
		put("ranks", ranks)
		low, high := middleExcess(p.compared)
		put("middle_over_low", low)
		put("middle_over_high", high)
	}
	for name, v := range byValue {
		o.Values[name] = stat.Mean(v, nil)
	}
	setMemorised(found, o)
	if len(pairs) > 0 {
		o.Set(overDeviations, o.Value(pairsPearson)-o.Value(deviationsMeasure))
	}
	setSpikes(pairs, o)
}

// setMemorised sets the least training accuracy among networks that learned random labels.
func setMemorised(found []*profiledNet, o *study.Outcome) {
	for _, p := range found {
		if !areRandom(p.Labels) || len(p.Epochs) == 0 {
			continue
		}
		accuracy := p.Epochs[len(p.Epochs)-1].TrainAccuracy
		if least := o.Value(memorised); math.IsNaN(least) || accuracy < least {
			o.Set(memorised, accuracy)
		}
	}
}

// areRandom says whether labels are independent of the images.
func areRandom(labels string) bool {
	return labels == "random" || strings.HasSuffix(labels, ":random")
}

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
	var spikes []float64
	lowest := math.NaN()
	for _, c := range pairs {
		k, ok := parseComponent(c.a.Labels)
		if !ok {
			continue
		}
		if z := spikeHeight(c.a.compared, c.b.compared, k); !math.IsNaN(z) {
			spikes = append(spikes, z)
			o.Values[fmt.Sprintf("pc%d_spike", k)] = z
		}
		o.Values[fmt.Sprintf("pc%d_pearson", k)] = c.alike.Pearson
		lowest = math.Min(c.alike.Pearson, orElse(lowest, c.alike.Pearson))
	}
	if len(spikes) == 0 {
		return
	}
	o.Set(spike, stat.Mean(spikes, nil))
	o.Set(lowestMeasure, lowest)
	if v := o.Value(truePearson); !math.IsNaN(v) {
		o.Set(dropMeasure, v-lowest)
	}
}

// orElse returns v, or other where v is NaN.
func orElse(v, other float64) float64 {
	if math.IsNaN(v) {
		return other
	}
	return v
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
