package experiments

import "github.com/ansatz-lab/ansatz/experiments/need"

// Jobs implements [Worker]: AGOPs of one-layer networks of every width and draw, which
// have an output for each unit; of Theorem 1's networks at the first three widths; and
// the steps of linear networks.
func (s *ConnectionsSpec) Jobs() ([]need.Job, error) {
	var all []need.Job
	for i, width := range s.Widths {
		k, draws := float64(width), float64(s.Draws)
		shallow := need.Net{Layers: 2, Linear: resampledUnits * (resampledInputs + k), Values: resampledUnits + k, Parameters: resampledUnits * (resampledInputs + k)}
		all = append(all, agopsJob(shallow, draws, k), stepsOf(shallow, linearExamples, draws*(linearSteps+2)))
		if i < 3 {
			deep := need.Net{Layers: 4, Linear: resampledUnits*(resampledInputs+k) + 2*k*k, Values: resampledUnits + 3*k, Parameters: resampledUnits*(resampledInputs+k) + 2*k*k}
			all = append(all, agopsJob(deep, float64(theoremDraws*s.Widths[min(len(s.Widths), 3)-1])/k, k))
		}
	}
	return all, nil
}

// agopsJob is AGOPs of so many draws of a network.
func agopsJob(net need.Net, draws, outputs float64) need.Job {
	const examples = 2 * resampledPairs
	return need.Verification{Net: net, Images: draws * examples, Outputs: outputs, Batch: examples, Moments: resampledInputs * resampledInputs}
}
