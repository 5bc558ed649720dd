package experiments

import (
	"cmp"

	"github.com/ansatz-lab/ansatz/experiments/need"
)

// net is what there is of the network of so many hidden layers.
func (s NetworkSpec) net(inputs, outputs, hidden int) need.Net {
	d, c, h, w := float64(inputs), float64(outputs), float64(hidden), float64(s.Width)
	products := d*w + (h-1)*w*w + w*c
	return need.Net{Layers: h + 1, Linear: products, Parameters: products, Values: h*w + c, Squares: h*w*w + c*c}
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
	l := lessonSize{train: m.train, tested: m.tested, tests: m.tests, batch: cmp.Or(s.Batch, m.train), epochs: s.Epochs, pixels: m.inputs, held: true}
	return l.job(s.net(m.inputs, m.outputs, m.hidden))
}

// firstLayerJobs are the comparison of a network's first layer with its AGOP, whole
// and on the diagonal, and its nulls.
func (s NetworkSpec) firstLayerJobs(m mlpSize, draws int) []need.Job {
	net, d, w, n := s.net(m.inputs, m.outputs, m.hidden), float64(m.inputs), float64(s.Width), float64(draws)
	net.Squares = w * w
	return []need.Job{
		need.Verification{Net: net, Images: float64(m.train), Outputs: float64(m.outputs), Batch: float64(max(1, min(m.train, predictRows))), Moments: w * w},
		need.Comparison{Cubes: (w + d) * (w + d) * (w + d), Drawn: n * w * d * (w + d), Rotated: 2 * n * w * w * w, Largest: w*d + w*w + d*d},
	}
}
