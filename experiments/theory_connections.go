package experiments

import (
	"context"
	"fmt"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// connectionNumbers is what one seed measured of the statements in which paper rfm connects
// the feature matrix of a network with its expected gradient outer product.
type connectionNumbers struct {
	statements []Statement
	errors     Chart // by width
}

// checkConnections measures the statements of paper rfm about re-sampled and linear networks.
func (s *TheorySpec) checkConnections(ctx context.Context, in Setting) (*connectionNumbers, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	d, err := backend.Open(backend.Options{Threads: in.Threads})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	t := &theory{ctx: ctx, TheorySpec: s, seed: in.Seed, device: d, out: &Outcome{}}
	for i, check := range []func() error{t.rfmResampled, t.rfmLinear} {
		in.report("statements", i, 2)
		if err := check(); err != nil {
			return nil, err
		}
	}
	errors := errorChart("widths", "Errors by width", "width, or number of draws", t.Widths, t.errors, t.order)
	return &connectionNumbers{t.out.Statements, errors}, nil
}

// number returns what was measured of the statement with a name and a kind.
func (c *connectionNumbers) number(name string, kind Kind) (float64, error) {
	for _, s := range c.statements {
		if s.Paper == "rfm" && s.Name == name && s.Kind == kind {
			return s.Value, nil
		}
	}
	return 0, fmt.Errorf("the theory has no statement %q", name)
}

// connectionJobs estimates checkConnections: AGOPs of one-layer networks of every width and
// draw, which have an output for each unit; of Theorem 1's networks at the first three widths;
// and the steps of linear networks.
func (s *TheorySpec) connectionJobs() []need.Job {
	var all []need.Job
	for i, width := range s.Widths {
		k, draws := float64(width), float64(s.Draws)
		shallow := need.Net{
			Layers: 2, Linear: resampledUnits * (resampledInputs + k), Values: resampledUnits + k,
			Parameters: resampledUnits * (resampledInputs + k),
		}
		all = append(all, agopsJob(shallow, draws, k), stepsOf(shallow, linearExamples, draws*(linearSteps+2)))
		if i < 3 {
			deep := need.Net{
				Layers: 4, Linear: resampledUnits*(resampledInputs+k) + 2*k*k, Values: resampledUnits + 3*k,
				Parameters: resampledUnits*(resampledInputs+k) + 2*k*k,
			}
			all = append(all, agopsJob(deep, float64(theoremDraws*s.Widths[min(len(s.Widths), 3)-1])/k, k))
		}
	}
	return all
}

// agopsJob estimates the AGOPs of a network for a number of draws.
func agopsJob(net need.Net, draws, outputs float64) need.Job {
	const examples = 2 * resampledPairs
	return need.Verification{Net: net, Images: draws * examples, Outputs: outputs, Batch: examples, Moments: resampledInputs * resampledInputs}
}
