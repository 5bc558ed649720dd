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

// AnsatzSpec verifies the ansatz at every convolution of networks, after training
// and before, and looks at images through both matrices (cnfa Figs. 1, 2, 7 and 8).
type AnsatzSpec struct {
	Networks []AnsatzNetwork `json:"networks" toml:"networks"`
	Images   int             `json:"images" toml:"images"`   // training images on which AGOPs are taken
	Outputs  string          `json:"outputs" toml:"outputs"` // all, or probes:N
	// Seen is images that are looked at; none if its count is 0.
	Seen AnsatzSeenSpec `json:"seen" toml:"seen"`
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
	var found []*ansatzFinding
	for _, n := range s.Networks {
		f, err := s.find(ctx, in, n, probes, o)
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
	tellAnsatz(found, o)
	if err := showAnsatz(found, o); err != nil {
		return nil, err
	}
	return o, showSeen(found, o)
}

// Jobs implements [study.Worker]. Of a network they are its training, the verification as
// it is and as it was, and what images are seen as.
func (s *AnsatzSpec) Jobs() ([]cost.Job, error) {
	probes, err := verify.ParseOutputs(s.Outputs)
	if err != nil {
		return nil, err
	}
	return train.JobsOf(s.Networks, func(n AnsatzNetwork) ([]cost.Job, error) {
		jobs, err := n.training()
		if err != nil {
			return nil, err
		}
		layers, set, err := n.layers()
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
		if s.Seen.Count > 0 {
			jobs = append(jobs, seenJob(layers, s.Seen.Count))
		}
		return jobs, nil
	})
}

// seenJob is what images are seen as by every convolution. They go through half of
// the network for each, on average, and that for the layer and its rotations.
func seenJob(layers []models.LayerInfo, images int) cost.Job {
	passes := float64(len(train.ConvsIn(layers))) * (2 + setups.Rotations) / 2
	return cost.Training{Net: cost.NetOf(layers), Batch: 1, Tested: passes * float64(images)}
}

// ansatzFinding is the ansatz in one network.
type ansatzFinding struct {
	*ansatzNet
	trained, before *verify.Verified
	seen            []seenConvolution
}

// find has a network and measures it.
func (s *AnsatzSpec) find(
	ctx context.Context, in study.Setting, n AnsatzNetwork, probes int, o *study.Outcome,
) (*ansatzFinding, error) {
	have, err := n.have(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := o.AddDataset(n.Name, have.images); err != nil {
		return nil, err
	}
	if n.Weights != "" {
		o.Notes = append(o.Notes, n.Name+" has its weights from the file "+n.Weights+
			": a fresh initialisation takes the place of the one that it was trained from.")
	}
	f := &ansatzFinding{ansatzNet: have}
	if f.trained, err = have.verify(ctx, in, s.Images, probes, false); err != nil {
		return nil, err
	}
	in.Report("verifying "+n.Name, 1, 2)
	if f.before, err = have.verify(ctx, in, s.Images, probes, true); err != nil {
		return nil, err
	}
	in.Report("verifying "+n.Name, 2, 2)
	if s.Seen.Count == 0 {
		return f, nil
	}
	f.seen, err = s.Seen.look(ctx, in, f, o)
	return f, err
}

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
		c.pearson = append(c.pearson, record.ValueOrNaN(l.Pearson))
		c.excess = append(c.excess, record.ValueOrNaN(l.Excess))
		c.initial = append(c.initial, record.ValueOrNaN(l.PearsonInit))
		c.pearsonBefore = append(c.pearsonBefore, record.ValueOrNaN(b.Pearson))
		c.excessBefore = append(c.excessBefore, record.ValueOrNaN(b.Excess))
	}
}

// tell puts the values into the outcome, under names that begin with prefix.
func (c *ansatzCounts) tell(prefix string, o *study.Outcome) {
	v := o.Values
	v[prefix+"pearson"] = meanOfDefined(c.pearson)
	v[prefix+"excess"] = meanOfDefined(c.excess)
	v[prefix+"init_alike"] = meanOfDefined(c.initial)
	v[prefix+"least"] = leastDefined(c.pearson)
	v[prefix+"over_90"] = shareOf(c.pearson, func(p float64) bool { return p > .9 })
	v[prefix+"above"] = float64(c.above) / float64(c.judged)
	gain := floats.SubTo(make([]float64, len(c.pearson)), c.pearson, c.pearsonBefore)
	excessGain := floats.SubTo(make([]float64, len(c.excess)), c.excess, c.excessBefore)
	v[prefix+"before_pearson"] = meanOfDefined(c.pearsonBefore)
	v[prefix+"before_excess"] = meanOfDefined(c.excessBefore)
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
	o.Values["accuracy_over_chance"] = meanBy(found,
		func(f *ansatzFinding) float64 { return record.ValueOrNaN(f.test) - 1/float64(f.net.Classes) })
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
