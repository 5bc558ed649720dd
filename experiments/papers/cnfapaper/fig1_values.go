package cnfapaper

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
)

// ansatzCounts is what the layers of a network, or of several, show together.
// Layers at which a measure is not defined do not count for it.
type ansatzCounts struct {
	pearson, excess, initial []float64 // of each layer
	judged, above            int       // layers with a null of some spread, and those above it
	// Of the same layers before training.
	pearsonBefore, excessBefore []float64
}

// count adds the layers of a network.
func (c *ansatzCounts) count(f *ansatzFinding) {
	for i, l := range f.trained.Layers {
		if above, ok := l.Above(); ok {
			c.judged++
			if above {
				c.above++
			}
		}
		b := f.before.Layers[i]
		c.pearson, c.excess, c.initial = append(c.pearson, record.ValueOrNaN(l.Pearson)), append(c.excess, record.ValueOrNaN(l.Excess)), append(c.initial, record.ValueOrNaN(l.PearsonInit))
		c.pearsonBefore, c.excessBefore = append(c.pearsonBefore, record.ValueOrNaN(b.Pearson)), append(c.excessBefore, record.ValueOrNaN(b.Excess))
	}
}

// tell puts the values into the outcome, under names that begin with prefix.
func (c *ansatzCounts) tell(prefix string, o *study.Outcome) {
	v := o.Values
	v[prefix+"pearson"], v[prefix+"excess"], v[prefix+"init_alike"] = meanOfDefined(c.pearson), meanOfDefined(c.excess), meanOfDefined(c.initial)
	v[prefix+"least"] = leastDefined(c.pearson)
	v[prefix+"over_90"] = shareOf(c.pearson, func(p float64) bool { return p > .9 })
	v[prefix+"above"] = float64(c.above) / float64(c.judged)
	gain := floats.SubTo(make([]float64, len(c.pearson)), c.pearson, c.pearsonBefore)
	excessGain := floats.SubTo(make([]float64, len(c.excess)), c.excess, c.excessBefore)
	v[prefix+"before_pearson"], v[prefix+"before_excess"] = meanOfDefined(c.pearsonBefore), meanOfDefined(c.excessBefore)
	v[prefix+"gain"], v[prefix+"excess_gain"] = meanOfDefined(gain), meanOfDefined(excessGain)
	rises := func(d float64) bool { return d > 0 }
	v[prefix+"higher"], v[prefix+"excess_higher"] = shareOf(gain, rises), shareOf(excessGain, rises)
}

// tellAnsatz finds the values of the claims: those of a network under its name,
// those of all networks without one.
func tellAnsatz(found []*ansatzFinding, o *study.Outcome) {
	var all ansatzCounts
	for _, f := range found {
		var own ansatzCounts
		own.count(f)
		all.count(f)
		own.tell(f.Name+"_", o)
		o.Values[f.Name+"_accuracy"] = record.ValueOrNaN(f.test)
	}
	all.tell("", o)
	o.Values["accuracy_over_chance"] = meanBy(found, func(f *ansatzFinding) float64 { return record.ValueOrNaN(f.test) - 1/float64(f.net.Classes) })
}

// definedOf are the elements that are not NaN.
func definedOf(v []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(v), math.IsNaN)
}

// meanOfDefined is NaN where nothing is defined, as leastDefined and shareOf are.
func meanOfDefined(v []float64) float64 {
	if v = definedOf(v); len(v) == 0 {
		return math.NaN()
	}
	return stat.Mean(v, nil)
}

func leastDefined(v []float64) float64 {
	if v = definedOf(v); len(v) == 0 {
		return math.NaN()
	}
	return slices.Min(v)
}

// shareOf is the share of the defined elements of which something is so.
func shareOf(v []float64, so func(float64) bool) float64 {
	v = definedOf(v)
	return float64(floats.Count(so, v)) / float64(len(v))
}
