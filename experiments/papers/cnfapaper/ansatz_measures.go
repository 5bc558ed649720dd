package cnfapaper

import (
	"math"

	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
)

// ansatzLayer is a convolution of a network after training and before. Its numbers are NaN where
// they are undefined.
type ansatzLayer struct{ trained, before verify.LayerRecord }

// Pearson's correlation of CNFM and AGOP, its null and its excess over that.
func (l ansatzLayer) pearson() float64       { return record.ValueOrNaN(l.trained.Pearson) }
func (l ansatzLayer) null() float64          { return record.ValueOrNaN(l.trained.PearsonNull) }
func (l ansatzLayer) excess() float64        { return record.ValueOrNaN(l.trained.Excess) }
func (l ansatzLayer) beforePearson() float64 { return record.ValueOrNaN(l.before.Pearson) }
func (l ansatzLayer) beforeNull() float64    { return record.ValueOrNaN(l.before.PearsonNull) }
func (l ansatzLayer) beforeExcess() float64  { return record.ValueOrNaN(l.before.Excess) }

// normalisedGain returns what training adds to the normalised excess over the null, see
// [similarity.NormaliseExcess].
func (l ansatzLayer) normalisedGain() float64 {
	return l.trained.NormalisedExcess() - l.before.NormalisedExcess()
}

// pearsonGain returns what training adds to the correlation.
func (l ansatzLayer) pearsonGain() float64 { return l.pearson() - l.beforePearson() }

// initialPearson returns the correlation of initial and trained CNFM.
func (l ansatzLayer) initialPearson() float64 { return record.ValueOrNaN(l.trained.PearsonInit) }

// isAbove returns 1 if the trained layer lies above its null, 0 if not, and NaN if the null has no spread.
func (l ansatzLayer) isAbove() float64 {
	switch above, ok := l.trained.Above(); {
	case !ok:
		return math.NaN()
	case above:
		return 1
	}
	return 0
}

// Measures of the convolutions of a network, or of all networks: means and shares over the convolutions in which they
// are defined. [pearson], [excess] and [normalised] are means too. A normalised mean is the mean excess divided by the
// mean room above the null, so that layers with hardly any room have hardly any weight.
var (
	leastPearson = study.NewMeasure("least")
	over90       = study.NewMeasure("over_90")    // the share whose correlation is above .9
	above        = study.NewMeasure("above")      // the share that lies above its null
	initAlike    = study.NewMeasure("init_alike") // correlation of initial and trained CNFM

	beforePearson    = study.NewMeasure("before_pearson")
	beforeExcess     = study.NewMeasure("before_excess")
	beforeNormalised = study.NewMeasure("before_normalised")

	// What training adds to correlation and normalised excess, and the share in which it is above 0.
	pearsonGain      = study.NewMeasure("gain")
	normalisedGain   = study.NewMeasure("normalised_gain")
	higher           = study.NewMeasure("higher")
	normalisedHigher = study.NewMeasure("normalised_higher")

	// The difference between the normalised excesses of AGOP^½ and of the AGOP.
	rootOverAGOP = study.NewMeasure("half_over_agop")
)

// agopPower is an exponent α of AGOP^α, with its name in measures.
type agopPower struct {
	exponent float64
	name     string
}

var (
	quarter = agopPower{.25, "quarter"}
	half    = agopPower{.5, "half"}
)

// agopPowers returns the powers of the AGOP that are compared with the CNFM besides the AGOP itself.
func agopPowers() []agopPower { return []agopPower{quarter, half} }

// exponents returns the exponents of [agopPowers].
func exponents() []float64 {
	return column(agopPowers(), func(p agopPower) float64 { return p.exponent })
}

// measure returns the measure of AGOP^α that corresponds to one of the AGOP.
func (p agopPower) measure(m study.Measure) study.Measure {
	return study.NewMeasure(m.Name() + "_" + p.name)
}

// similarity returns the functions for the correlation of the CNFM and AGOP^α, and its null.
func (p agopPower) similarity() (similar, null func(ansatzLayer) float64) {
	return func(l ansatzLayer) float64 { return l.trained.Power(p.exponent).Pearson },
		func(l ansatzLayer) float64 { return l.trained.Power(p.exponent).PearsonNull }
}

// testAccuracy is the accuracy of a network on test images.
var testAccuracy = study.NewMeasure("accuracy")

// setLayerMeasures sets the measures of a part's layers: those of a network or, for "", of all networks.
func setLayerMeasures(part string, layers []ansatzLayer, o *study.Outcome) {
	mean := func(m study.Measure, number func(ansatzLayer) float64) {
		o.Set(m.Of(part), meanOfDefined(layers, number))
	}
	share := func(m study.Measure, number func(ansatzLayer) float64, limit float64) {
		o.Set(m.Of(part), shareAbove(column(layers, number), limit))
	}
	mean(pearson, ansatzLayer.pearson)
	mean(excess, ansatzLayer.excess)
	mean(initAlike, ansatzLayer.initialPearson)
	o.Set(leastPearson.Of(part), leastDefined(column(layers, ansatzLayer.pearson)))
	share(over90, ansatzLayer.pearson, .9)
	mean(above, ansatzLayer.isAbove)
	mean(beforePearson, ansatzLayer.beforePearson)
	mean(beforeExcess, ansatzLayer.beforeExcess)
	mean(pearsonGain, ansatzLayer.pearsonGain)
	share(higher, ansatzLayer.pearsonGain, 0)
	share(normalisedHigher, ansatzLayer.normalisedGain, 0)
	after := normalisedMean(layers, ansatzLayer.pearson, ansatzLayer.null)
	before := normalisedMean(layers, ansatzLayer.beforePearson, ansatzLayer.beforeNull)
	o.Set(normalised.Of(part), after)
	o.Set(beforeNormalised.Of(part), before)
	o.Set(normalisedGain.Of(part), after-before)
	for _, p := range agopPowers() {
		similar, null := p.similarity()
		mean(p.measure(pearson), similar)
		share(p.measure(over90), similar, .9)
		o.Set(p.measure(normalised).Of(part), normalisedMean(layers, similar, null))
	}
	o.Set(rootOverAGOP.Of(part), o.Value(half.measure(normalised).Of(part))-after)
}

// setAnsatzMeasures sets the measures of each network, and those of all networks together.
func setAnsatzMeasures(found []*ansatzResult, o *study.Outcome) {
	var all []ansatzLayer
	for _, f := range found {
		setLayerMeasures(f.Name, f.layers(), o)
		o.Set(testAccuracy.Of(f.Name), record.ValueOrNaN(f.test))
		for _, v := range f.variants {
			setLayerMeasures(v.Name, v.layers(), o)
		}
		all = append(all, f.layers()...)
	}
	setLayerMeasures("", all, o)
	o.Set(accuracyOverChance, meanOfDefined(found,
		func(f *ansatzResult) float64 { return record.ValueOrNaN(f.test) - 1/float64(f.net.Classes) }))
}

// layers returns the convolutions of the variant. Their state before training was not measured.
func (v measuredVariant) layers() []ansatzLayer {
	var all []ansatzLayer
	for _, l := range v.verified.Layers {
		all = append(all, ansatzLayer{trained: l})
	}
	return all
}
