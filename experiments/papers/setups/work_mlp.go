package setups

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/models"
)

// countNet counts the layers, weights and products of a network with a number of hidden layers.
func (s NetworkSpec) countNet(inputs, outputs, hidden int) cost.Net {
	d, c, h, w := float64(inputs), float64(outputs), float64(hidden), float64(s.Width)
	products := d*w + (h-1)*w*w + w*c
	return cost.Net{Layers: h + 1, Linear: products, Parameters: products, Values: h*w + c}
}

// MLPSize is how much a fully connected network and its training are.
type MLPSize struct {
	Train, Tested   int
	Tests           int // 0 is after every epoch
	Inputs, Outputs int
	Hidden          int
}

// Job is the training of the network.
func (s NetworkSpec) Job(m MLPSize) cost.Job {
	l := workload.TrainingSize{Train: m.Train, Tested: m.Tested, Tests: m.Tests, Batch: cmp.Or(s.Batch, m.Train),
		Epochs: s.Epochs}
	return l.Job(s.countNet(m.Inputs, m.Outputs, m.Hidden))
}

// FirstLayerJobs are the comparison of a network's first layer with its AGOP, whole
// and on the diagonal, and its nulls.
func (s NetworkSpec) FirstLayerJobs(m MLPSize, draws int) []cost.Job {
	net, w := s.countNet(m.Inputs, m.Outputs, m.Hidden), float64(s.Width)
	v := workload.VerificationSize{Images: m.Train, Groups: 1, Outputs: m.Outputs, Draws: 2 * draws,
		Batch: PredictBatch}
	first := []models.LayerInfo{{Kind: "linear", Filters: s.Width, Patch: []int{m.Inputs}, Positions: 1}}
	return []cost.Job{
		cost.Verification{Net: net, Images: float64(m.Train), Outputs: float64(m.Outputs),
			Batch: float64(max(1, min(m.Train, PredictBatch))), Moments: w * w, Squares: w * w},
		v.Comparing(first, first),
	}
}
