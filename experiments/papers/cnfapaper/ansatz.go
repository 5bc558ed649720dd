package cnfapaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"gonum.org/v1/gonum/mat"
)

// AnsatzSpec verifies the ansatz at every convolution of networks, after training and before,
// and compares the responses of both matrices to images (cnfa Figs. 1, 2, 7 and 8).
type AnsatzSpec struct {
	Networks []AnsatzNetwork `json:"networks" toml:"networks"`
	Images   int             `json:"images" toml:"images"`   // training images on which AGOPs are taken
	Outputs  string          `json:"outputs" toml:"outputs"` // all, or probes:N
	// Responses says which images responses are compared on; none if its count is 0.
	Responses AnsatzResponsesSpec `json:"seen" toml:"seen"`
}

// Run implements Spec.
func (s *AnsatzSpec) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	probes, err := verify.ParseOutputs(s.Outputs)
	if err != nil {
		return nil, err
	}
	if s.Images < 1 {
		return nil, input.Errorf("%d images: want at least 1", s.Images)
	}
	if err := checkAnsatzNames(s.Networks); err != nil {
		return nil, err
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	var found []*ansatzResult
	for _, n := range s.Networks {
		f, err := s.measureNetwork(ctx, in, n, probes, o)
		if missing := input.MissingFile(err); missing != "" {
			o.Notes = append(o.Notes, fmt.Sprintf("%s is left out: %s.", n.Name, missing))
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	if in.Dry() {
		return o, nil
	}
	if len(found) == 0 {
		return nil, input.Errorf("none of the networks can be had: %v", o.Notes)
	}
	setAnsatzMeasures(found, o)
	if err := addAnsatzFigures(found, o); err != nil {
		return nil, err
	}
	return o, addResponses(found, o)
}

// ansatzResult is the verification of the ansatz in one network.
type ansatzResult struct {
	*ansatzNet
	trained, before *verify.Verified
	responses       []convolutionResponses
}

// measureNetwork trains or opens a network and measures it.
func (s *AnsatzSpec) measureNetwork(
	ctx context.Context, in study.Setting, n AnsatzNetwork, probes int, o *study.Outcome,
) (*ansatzResult, error) {
	net, err := n.trainOrLoad(ctx, in)
	if err != nil {
		return nil, err
	}
	if !in.Dry() {
		if err := o.AddDataset(n.Name, net.images); err != nil {
			return nil, err
		}
	}
	if n.Weights != "" {
		o.Notes = append(o.Notes, n.Name+" has its weights from the file "+n.Weights+
			": a fresh initialisation takes the place of the one that it was trained from.")
	}
	f := &ansatzResult{ansatzNet: net}
	if f.trained, err = net.verify(ctx, in, s.Images, probes, false); err != nil {
		return nil, err
	}
	in.Report("verifying "+n.Name, 1, 2)
	if f.before, err = net.verify(ctx, in, s.Images, probes, true); err != nil {
		return nil, err
	}
	in.Report("verifying "+n.Name, 2, 2)
	if s.Responses.Count == 0 {
		return f, nil
	}
	f.responses, err = s.Responses.measure(ctx, in, f, o)
	return f, err
}

// layers returns the convolutions of the network.
func (f *ansatzResult) layers() []ansatzLayer {
	var all []ansatzLayer
	for i, l := range f.trained.Layers {
		all = append(all, ansatzLayer{l, f.before.Layers[i]})
	}
	return all
}

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

// What training adds to both.
func (l ansatzLayer) pearsonGain() float64 { return l.pearson() - l.beforePearson() }
func (l ansatzLayer) excessGain() float64  { return l.excess() - l.beforeExcess() }

// initialPearson returns the correlation of initial and trained CNFM.
func (l ansatzLayer) initialPearson() float64 { return record.ValueOrNaN(l.trained.PearsonInit) }

// isAbove returns 1 if the trained layer lies above its null and 0 if it does not, NaN if the null
// has no spread.
func (l ansatzLayer) isAbove() float64 {
	switch above, ok := l.trained.Above(); {
	case !ok:
		return math.NaN()
	case above:
		return 1
	}
	return 0
}

// Measures of the convolutions of a network, or of all networks: means and shares over those in
// which they are defined. [pearson] and [excess] are means too.
var (
	leastPearson = study.NewMeasure("least")
	over90       = study.NewMeasure("over_90")    // the share whose correlation is above .9
	above        = study.NewMeasure("above")      // the share that lies above its null
	initAlike    = study.NewMeasure("init_alike") // correlation of initial and trained CNFM

	beforePearson = study.NewMeasure("before_pearson")
	beforeExcess  = study.NewMeasure("before_excess")

	// What training adds to correlation and excess, and the share in which it is above 0.
	pearsonGain  = study.NewMeasure("gain")
	excessGain   = study.NewMeasure("excess_gain")
	higher       = study.NewMeasure("higher")
	excessHigher = study.NewMeasure("excess_higher")
)

// testAccuracy is the accuracy of a network on test images.
var testAccuracy = study.NewMeasure("accuracy")

// setLayerMeasures sets the measures of a part's layers: a network's, or with "" those of all.
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
	mean(excessGain, ansatzLayer.excessGain)
	share(higher, ansatzLayer.pearsonGain, 0)
	share(excessHigher, ansatzLayer.excessGain, 0)
}

// setAnsatzMeasures sets the measures of each network, and those of all networks together.
func setAnsatzMeasures(found []*ansatzResult, o *study.Outcome) {
	var all []ansatzLayer
	for _, f := range found {
		setLayerMeasures(f.Name, f.layers(), o)
		o.Set(testAccuracy.Of(f.Name), record.ValueOrNaN(f.test))
		all = append(all, f.layers()...)
	}
	setLayerMeasures("", all, o)
	o.Set(accuracyOverChance, meanOf(found,
		func(f *ansatzResult) float64 { return record.ValueOrNaN(f.test) - 1/float64(f.net.Classes) }))
}
