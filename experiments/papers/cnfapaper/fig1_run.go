package cnfapaper

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/verify"
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

// ansatzFinding is the ansatz in one network.
type ansatzFinding struct {
	*ansatzNet
	trained, before *verify.Verified
	seen            []seenConvolution
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

// find has a network and measures it.
func (s *AnsatzSpec) find(ctx context.Context, in study.Setting, n AnsatzNetwork, probes int, o *study.Outcome) (*ansatzFinding, error) {
	have, err := n.have(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := o.AddDataset(n.Name, have.images); err != nil {
		return nil, err
	}
	if n.Weights != "" {
		o.Notes = append(o.Notes, n.Name+" has its weights from the file "+n.Weights+": a fresh initialisation takes the place of the one that it was trained from.")
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
