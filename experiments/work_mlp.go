package experiments

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/experiments/need"
	"github.com/ansatz-lab/ansatz/models"
)

// net is what there is of the network of so many hidden layers.
func (s NetworkSpec) net(inputs, outputs, hidden int) need.Net {
	d, c, h, w := float64(inputs), float64(outputs), float64(hidden), float64(s.Width)
	products := d*w + (h-1)*w*w + w*c
	return need.Net{Layers: h + 1, Linear: products, Parameters: products, Values: h*w + c}
}

// mlpSize is how much a fully connected network and its training are.
type mlpSize struct {
	train, tested   int
	tests           int // 0 is after every epoch
	inputs, outputs int
	hidden          int
}

// job is the training of the network.
func (s NetworkSpec) job(m mlpSize) need.Job {
	l := lessonSize{train: m.train, tested: m.tested, tests: m.tests, batch: cmp.Or(s.Batch, m.train), epochs: s.Epochs}
	return l.job(s.net(m.inputs, m.outputs, m.hidden))
}

// firstLayerJobs are the comparison of a network's first layer with its AGOP, whole
// and on the diagonal, and its nulls.
func (s NetworkSpec) firstLayerJobs(m mlpSize, draws int) []need.Job {
	net, w := s.net(m.inputs, m.outputs, m.hidden), float64(s.Width)
	v := verifySize{images: m.train, groups: 1, outputs: m.outputs, draws: 2 * draws, batch: predictRows}
	first := []models.LayerInfo{{Kind: "linear", Filters: s.Width, Patch: []int{m.inputs}, Positions: 1}}
	return []need.Job{
		need.Verification{Net: net, Images: float64(m.train), Outputs: float64(m.outputs), Batch: float64(max(1, min(m.train, predictRows))), Moments: w * w, Squares: w * w},
		v.comparing(first, first),
	}
}
