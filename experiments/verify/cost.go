package verify

import (
	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// Size returns what the cost of the verification depends on.
func (v *Verification) Size() workload.VerificationSize {
	o := v.Options
	s := workload.VerificationSize{
		Images: o.Images, Groups: o.Groups, Outputs: v.Net.Classes, Batch: o.Batch, Draws: o.NullDraws,
		Threads: o.Threads,
		Reading: workload.ReadingOfSpec(v.spec.DataSpec, o.Images,
			v.Source.Loader.Normalisation.Name == workload.ByDataset),
	}
	s.LossPass, s.Inputs, s.Gradients = o.LossPass()
	if s.Groups == 0 {
		s.Groups = min(cnfa.DefaultGroups, o.Images)
	}
	if s.Draws == 0 {
		s.Draws = cnfa.DefaultNullDraws
	}
	if o.Probes > 0 {
		s.Outputs = o.Probes
	}
	return s
}
