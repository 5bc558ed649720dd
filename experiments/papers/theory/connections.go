package theory

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
)

// connectionNumbers are one seed's measurements for the statements in which paper rfm connects the feature matrix of a
// network with its expected gradient outer product.
type connectionNumbers struct {
	statements []study.Statement
	Errors     study.Chart // by width
}

// CheckConnections measures paper rfm's statements about re-sampled and linear networks.
func (s *Spec) CheckConnections(ctx context.Context, in study.Setting) (*connectionNumbers, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	t, err := s.open(ctx, in)
	if err != nil {
		return nil, err
	}
	defer t.device.Close()
	for i, check := range []func() error{t.checkResampledNets, t.checkLinearNets} {
		in.Report("statements", i, 2)
		if err := check(); err != nil {
			return nil, err
		}
	}
	return &connectionNumbers{t.out.Statements, t.errorChart()}, nil
}

// Number returns the value of the statement with a name and a kind.
func (c *connectionNumbers) Number(name string, kind study.Kind) (float64, error) {
	for _, s := range c.statements {
		if s.Paper == "rfm" && s.Name == name && s.Kind == kind {
			return s.Value, nil
		}
	}
	return 0, fmt.Errorf("the theory has no statement %q", name)
}

// ConnectionJobs estimates the cost of [Spec.CheckConnections]: AGOPs of one-layer networks for every width and draw,
// with an output for each unit; AGOPs of the networks of Theorem 1 at the first three widths; and the steps of linear
// networks.
func (s *Spec) ConnectionJobs() []cost.Job {
	var all []cost.Job
	for i, width := range s.Widths {
		k, draws := float64(width), float64(s.Draws)
		shallow := cost.Net{
			Layers: 2, Linear: resampledUnits * (resampledInputs + k), Values: resampledUnits + k,
			Parameters: resampledUnits * (resampledInputs + k),
		}
		all = append(all, newAGOPsJob(shallow, draws, k),
			workload.StepsOf(shallow, linearExamples, draws*(linearSteps+2)))
		if i < 3 {
			deep := cost.Net{
				Layers: 4, Linear: resampledUnits*(resampledInputs+k) + 2*k*k, Values: resampledUnits + 3*k,
				Parameters: resampledUnits*(resampledInputs+k) + 2*k*k,
			}
			all = append(all, newAGOPsJob(deep, float64(theoremDraws*s.Widths[min(len(s.Widths), 3)-1])/k, k))
		}
	}
	return all
}

// newAGOPsJob estimates the cost of the AGOPs of a network for a number of draws.
func newAGOPsJob(net cost.Net, draws, outputs float64) cost.Job {
	const examples = 2 * resampledPairs
	return cost.Verification{Net: net, Images: draws * examples, Outputs: outputs, Batch: examples,
		Moments: resampledInputs * resampledInputs}
}
