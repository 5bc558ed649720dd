package cnfapaper

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
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
	o := &study.Outcome{Values: map[string]float64{}, Matrices: map[string]*mat.Dense{}}
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
	if len(found) == 0 {
		return nil, input.Errorf("none of the networks can be had: %v", o.Notes)
	}
	setAnsatzMeasures(found, o)
	if err := addAnsatzFigures(found, o); err != nil {
		return nil, err
	}
	return o, addResponses(found, o)
}

// Jobs implements [study.Worker]. A network costs its training, two verifications, before and
// after, and the responses to images.
func (s *AnsatzSpec) Jobs() ([]cost.Job, error) {
	probes, err := verify.ParseOutputs(s.Outputs)
	if err != nil {
		return nil, err
	}
	return train.JobsOf(s.Networks, func(n AnsatzNetwork) ([]cost.Job, error) {
		jobs, err := n.trainJobs()
		if err != nil {
			return nil, err
		}
		layers, set, err := n.sizes()
		if err != nil {
			return nil, err
		}
		convs := train.ConvsIn(layers)
		v := workload.VerificationSize{
			Images:  workload.ImagesUsed(s.Images, workload.ImagesUsed(n.Lessons.Train, set.Train)),
			Outputs: set.Classes,
		}
		if probes > 0 {
			v.Outputs = probes
		}
		for range 2 {
			jobs = append(jobs, v.Jobs(layers, convs)...)
		}
		if s.Responses.Count > 0 {
			jobs = append(jobs, responsesJob(layers, s.Responses.Count))
		}
		return jobs, nil
	})
}

// responsesJob returns the cost of the responses of every convolution to images. An image goes
// through half of the network on average for each convolution, once for the layer and once for
// each rotation.
func responsesJob(layers []models.LayerInfo, images int) cost.Job {
	passes := float64(len(train.ConvsIn(layers))) * (2 + setups.RotationCount) / 2
	return cost.Training{Net: cost.NetOf(layers), Batch: 1, Tested: passes * float64(images)}
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
	if err := o.AddDataset(n.Name, net.images); err != nil {
		return nil, err
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

// ansatzMeasures collects the measures of the layers of one network, or of several. A measure
// that is undefined at a layer is NaN there and leaves the layer out of its means and shares.
type ansatzMeasures struct {
	pearson, excess, initial []float64 // of each layer
	judged, above            int       // layers with a null of some spread, and those above it
	// Of the same layers before training.
	pearsonBefore, excessBefore []float64
}

// addNetwork appends the layers of a network.
func (c *ansatzMeasures) addNetwork(f *ansatzResult) {
	for i, l := range f.trained.Layers {
		if above, ok := l.Above(); ok {
			c.judged++
			if above {
				c.above++
			}
		}
		b := f.before.Layers[i]
		c.pearson = append(c.pearson, record.ValueOrNaN(l.Pearson))
		c.excess = append(c.excess, record.ValueOrNaN(l.Excess))
		c.initial = append(c.initial, record.ValueOrNaN(l.PearsonInit))
		c.pearsonBefore = append(c.pearsonBefore, record.ValueOrNaN(b.Pearson))
		c.excessBefore = append(c.excessBefore, record.ValueOrNaN(b.Excess))
	}
}

// setMeasures fills in the values, under names that begin with prefix.
func (c *ansatzMeasures) setMeasures(prefix string, o *study.Outcome) {
	v := o.Values
	v[prefix+"pearson"] = meanOfDefined(c.pearson)
	v[prefix+"excess"] = meanOfDefined(c.excess)
	v[prefix+"init_alike"] = meanOfDefined(c.initial)
	v[prefix+"least"] = leastDefined(c.pearson)
	v[prefix+"over_90"] = shareOfDefined(c.pearson, func(p float64) bool { return p > .9 })
	v[prefix+"above"] = float64(c.above) / float64(c.judged)
	gain := floats.SubTo(make([]float64, len(c.pearson)), c.pearson, c.pearsonBefore)
	excessGain := floats.SubTo(make([]float64, len(c.excess)), c.excess, c.excessBefore)
	v[prefix+"before_pearson"] = meanOfDefined(c.pearsonBefore)
	v[prefix+"before_excess"] = meanOfDefined(c.excessBefore)
	v[prefix+"gain"], v[prefix+"excess_gain"] = meanOfDefined(gain), meanOfDefined(excessGain)
	rises := func(d float64) bool { return d > 0 }
	v[prefix+"higher"], v[prefix+"excess_higher"] = shareOfDefined(gain, rises), shareOfDefined(excessGain, rises)
}

// setAnsatzMeasures fills in the values that the claims are judged by: those of each network
// under its name, and those over all networks without a prefix.
func setAnsatzMeasures(found []*ansatzResult, o *study.Outcome) {
	var all ansatzMeasures
	for _, f := range found {
		var own ansatzMeasures
		own.addNetwork(f)
		all.addNetwork(f)
		own.setMeasures(f.Name+"_", o)
		o.Values[f.Name+"_accuracy"] = record.ValueOrNaN(f.test)
	}
	all.setMeasures("", o)
	o.Set(accuracyOverChance, meanBy(found,
		func(f *ansatzResult) float64 { return record.ValueOrNaN(f.test) - 1/float64(f.net.Classes) }))
}

// dropUndefined returns the elements that are not NaN.
func dropUndefined(v []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(v), math.IsNaN)
}

// meanOfDefined returns the mean of the elements that are not NaN, or NaN if there is none.
func meanOfDefined(v []float64) float64 {
	if v = dropUndefined(v); len(v) == 0 {
		return math.NaN()
	}
	return stat.Mean(v, nil)
}

// leastDefined returns the least of the elements that are not NaN, or NaN if there is none.
func leastDefined(v []float64) float64 {
	if v = dropUndefined(v); len(v) == 0 {
		return math.NaN()
	}
	return slices.Min(v)
}

// shareOfDefined returns the share of the elements that are not NaN for which holds is true,
// or NaN if there is none.
func shareOfDefined(v []float64, holds func(float64) bool) float64 {
	v = dropUndefined(v)
	return float64(floats.Count(holds, v)) / float64(len(v))
}
