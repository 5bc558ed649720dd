package cnfapaper

import (
	"context"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
	"gonum.org/v1/gonum/mat"
)

// AnsatzSpec verifies the ansatz at every convolution of networks, after training and before,
// and compares the responses of both matrices to images (cnfa Figs. 1, 2, 7 and 8).
type AnsatzSpec struct {
	Networks []AnsatzNetwork `json:"networks" toml:"networks"`
	Images   int             `json:"images" toml:"images"`   // training images for the AGOPs
	Outputs  string          `json:"outputs" toml:"outputs"` // all, or probes:N
	// Variants are further measurements of the trained networks. They do not count in the means over all networks.
	Variants []AnsatzVariant `json:"variants" toml:"variants"`
	// Responses says on which images responses are compared; if its count is 0, they are not.
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
	if err := s.check(); err != nil {
		return nil, err
	}
	o := &study.Outcome{Matrices: map[string]*mat.Dense{}}
	var found []*ansatzResult
	for _, n := range s.Networks {
		f, err := s.measureNetwork(ctx, in, n, probes, o)
		if note := input.LeftOut("the network "+n.Name, err); note != "" {
			o.Notes = append(o.Notes, note)
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

// ansatzResult holds the measurements of one network.
type ansatzResult struct {
	*ansatzNet
	trained, before *verify.Verified
	variants        []measuredVariant
	responses       []convolutionResponses
}

// measuredVariant is a variant with its measurements.
type measuredVariant struct {
	AnsatzVariant
	verified *verify.Verified
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
	if n.Weights != "" && !in.Dry() {
		if err := setups.RecordWeights(o, n.Name, net.path); err != nil {
			return nil, err
		}
		o.Notes = append(o.Notes, n.Name+" has its weights from the file "+n.Weights+
			": a fresh initialisation replaces the one from which it was trained.")
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
	for _, variant := range s.Variants {
		if variant.Network != n.Name {
			continue
		}
		v, err := net.withForm(variant.Form).verify(ctx, in, s.Images, probes, false)
		if err != nil {
			return nil, err
		}
		f.variants = append(f.variants, measuredVariant{variant, v})
	}
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

// StandIns implements [study.Substituter].
func (s *AnsatzSpec) StandIns() map[string]string {
	var used []string
	for _, n := range s.Networks {
		if !slices.Contains(used, n.Data) {
			used = append(used, n.Data)
		}
	}
	all := map[string]string{}
	if !slices.Equal(used, []string{"imagenet"}) {
		all[imageNet] = strings.Join(used, ", ")
	}
	if !slices.Equal(used, simpleNetData()) {
		all[simpleNetSets] = strings.Join(used, ", ")
	}
	return all
}
