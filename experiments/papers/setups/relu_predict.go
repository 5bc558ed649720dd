package setups

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// PredictBatch is how many rows of inputs a network reads at a time.
const PredictBatch = 1000

// PredictNetwork returns the outputs of a network for the rows of x, n×outputs.
func PredictNetwork(ctx context.Context, d *backend.Device, net *models.Network, x *mat.Dense) (*mat.Dense, error) {
	n, _ := x.Dims()
	batch := min(n, PredictBatch)
	f, err := net.Function(d, batch, graph.Single)
	if err != nil {
		return nil, err
	}
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		return nil, err
	}
	in, rows := f.Data(f.Inputs()[0]).Float32s(), flattenRows(x)
	width := len(in) / batch
	out := mat.NewDense(n, net.Classes, nil)
	for i := 0; i < n; i += batch {
		count := min(batch, n-i)
		copy(in, rows[i*width:(i+count)*width])
		if err := p.Run(ctx); err != nil {
			return nil, err
		}
		for k, v := range p.Value(f.Output).Float32s()[:count*net.Classes] {
			out.RawMatrix().Data[i*net.Classes+k] = float64(v)
		}
	}
	return out, nil
}

// ScoreNetwork compares what a network predicts with targets.
func ScoreNetwork(ctx context.Context, d *backend.Device, net *models.Network, e rfm.Examples,
	task rfm.Task) (rfm.Scores, error) {
	f, err := PredictNetwork(ctx, d, net, e.X)
	if err != nil {
		return rfm.Scores{}, err
	}
	return task.Score(f, e.Y)
}
