package rfmpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/workload"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// classifier is a trained machine with the diagonal of its feature matrix.
type classifier struct {
	name     string
	diagonal []float64
	// accuracy returns the accuracy on examples. It is nil where the features are not those
	// of the machine that predicts.
	accuracy func(rfm.Examples) (float64, error)
}

// trainClassifiers fits a recursive feature machine and trains a network on the same examples.
// It returns kernel regression, the RFM, the network, the network with W₁ − W₀, and the
// network before training. The function free releases the network.
func trainClassifiers(
	ctx context.Context, in study.Setting, m rfm.Machine, net setups.NetworkSpec, e *examples.Set,
) (all []classifier, free func(), err error) {
	if m.Iterations < 1 {
		return nil, nil, input.Errorf("iterations %d: want at least 1", m.Iterations)
	}
	m.Task, m.Select = rfm.Classification, rfm.Last
	m.Each = func(it *rfm.Iteration) error {
		model := it.Model()
		score := func(x rfm.Examples) (float64, error) {
			s, err := model.Score(ctx, x.X, x.Y)
			return s.Accuracy, err
		}
		switch it.Index {
		case 0:
			all = append(all, classifier{"Laplace kernel", it.Metric.Diagonal(), score})
		case m.Iterations:
			all = append(all, classifier{"RFM", it.Metric.Diagonal(), score})
		}
		return nil
	}
	if _, err := in.Fit(ctx, "RFM", m, e.Train); err != nil {
		return nil, nil, err
	}
	n, err := setups.NewMLP(in, net, e)
	if err != nil {
		return nil, nil, err
	}
	before := n.Diagonal(false)
	if err := n.Train(ctx, in); err != nil {
		n.Close()
		return nil, nil, err
	}
	return append(all,
		classifier{"network", n.Diagonal(false), func(x rfm.Examples) (float64, error) { return n.Accuracy(ctx, x) }},
		classifier{"with W₁ − W₀", n.Diagonal(true), nil},
		classifier{"before training", before, nil}), n.Close, nil
}

// The places in what trainClassifiers returns.
const (
	laplaceAt = iota
	rfmAt
	networkAt
	changeAt
	beforeAt
)

// stackDiagonals returns a matrix with a row for the feature matrix of each classifier.
func stackDiagonals(all []classifier) *mat.Dense {
	var rows [][]float64
	for _, c := range all {
		rows = append(rows, c.diagonal)
	}
	return record.StackRows(rows...)
}

// classifierTable fills in the rows of a table: for each classifier the share of some
// coordinates in its feature matrix, and its accuracy on several versions of the test
// examples. It returns the accuracies too, NaN for classifiers that do not predict.
func classifierTable(
	t report.Table, all []classifier, at []int, tests ...rfm.Examples,
) (report.Table, [][]float64, error) {
	var accuracies [][]float64
	for _, c := range all {
		row, found := []report.Cell{{Text: c.name}, record.PercentCell(shareIn(c.diagonal, at))}, []float64{}
		for _, test := range tests {
			if c.accuracy == nil {
				found, row = append(found, math.NaN()), append(row, record.NumberCell(nil, ""))
				continue
			}
			v, err := c.accuracy(test)
			if err != nil {
				return t, nil, err
			}
			found, row = append(found, v), append(row, record.PercentCell(v))
		}
		t.Rows, accuracies = append(t.Rows, row), append(accuracies, found)
	}
	return t, accuracies, nil
}

// classifierJobs returns the costs of a recursive feature machine and a network that are
// tested on some sets of as many images. The machine is tested in the first iteration and the
// last.
func classifierJobs(m workload.MachineSize, net setups.NetworkSpec, test, sets int) []cost.Job {
	m.Tested = 2 * sets * test / max(1, m.Iterations+1)
	return []cost.Job{
		m.Job(), net.Job(setups.MLPSize{
			Train: m.Train, Tested: test, Tests: sets, Inputs: m.Inputs, Outputs: m.Outputs, Hidden: setups.ImageHiddenLayers,
		}),
	}
}
