package rfmpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// classifier is a trained machine with the diagonal of its feature matrix.
type classifier struct {
	name     string
	diagonal []float64
	// score returns the accuracy on examples. It is nil if the feature matrix is not that of the machine that
	// predicts.
	score      func(rfm.Examples) (float64, error)
	accuracies []float64 // on the versions of the test images
}

// addAccuracy adds the accuracy on a version of some images, NaN if score is nil. It is the mean over the donors,
// which are the first images, one after another.
func (k *classifier) addAccuracy(in study.Setting, e rfm.Examples, v testImages, donors int) error {
	if k.score == nil {
		k.accuracies = append(k.accuracies, math.NaN())
		return nil
	}
	if donors = min(donors, linalg.RowCount(e.X)); len(v.replaced) == 0 {
		donors = 1
	}
	sum := 0.
	for donor := range donors {
		accuracy, err := k.score(withCoordinates(in, e, v.replaced, donor))
		if err != nil {
			return err
		}
		sum += accuracy
	}
	k.accuracies = append(k.accuracies, sum/float64(donors))
	return nil
}

// classifiers are machines trained on the same examples. Close frees the network's device.
type classifiers struct {
	examples *examples.Set
	laplace  classifier // kernel regression
	rfm      classifier
	network  classifier
	change   classifier // the network with W₁ − W₀
	before   classifier // the network before training
	mlp      *setups.MLP
}

// Close frees the network's device.
func (c *classifiers) Close() { c.mlp.Close() }

// all lists the classifiers in the order of tables.
func (c *classifiers) all() []*classifier {
	return []*classifier{&c.laplace, &c.rfm, &c.network, &c.change, &c.before}
}

// trainClassifiers fits a recursive feature machine, whose iteration 0 is kernel regression, and
// trains a network.
func trainClassifiers(
	ctx context.Context, in study.Setting, m rfm.Machine, net setups.NetworkSpec, e *examples.Set,
) (*classifiers, error) {
	if m.Iterations < 1 {
		return nil, input.Errorf("iterations %d: want at least 1", m.Iterations)
	}
	c := &classifiers{examples: e}
	m.Task, m.Select = rfm.Classification, rfm.Last
	m.Each = func(it *rfm.Iteration) error {
		model := it.Model()
		score := func(x rfm.Examples) (float64, error) {
			s, err := in.Score(ctx, model, x)
			return s.Accuracy, err
		}
		switch it.Index {
		case 0:
			c.laplace = classifier{name: "Laplace kernel", diagonal: it.Metric.Diagonal(), score: score}
		case m.Iterations:
			c.rfm = classifier{name: "RFM", diagonal: it.Metric.Diagonal(), score: score}
		}
		return nil
	}
	_, err := in.Fit(ctx, "RFM", m, e.Train)
	if err != nil {
		return nil, err
	}
	if c.mlp, err = setups.NewMLP(in, net, e); err != nil {
		return nil, err
	}
	if err := c.mlp.Train(ctx); err != nil {
		c.Close()
		return nil, err
	}
	c.network = classifier{
		name: "network", score: func(x rfm.Examples) (float64, error) { return c.mlp.Accuracy(ctx, x) },
	}
	if !in.Dry() {
		c.network.diagonal = setups.NetworkDiagonal(c.mlp.Net)
		c.change = classifier{name: "with W₁ − W₀", diagonal: setups.SquaredColumns(c.mlp.Change())}
		c.before = classifier{name: "before training", diagonal: setups.NetworkDiagonal(c.mlp.Initial)}
	}
	return c, nil
}

// testImages is a version of the test images, named like its column: some of their coordinates are replaced by those
// of a donor.
type testImages struct {
	name     string
	replaced []int
}

// outcome scores the classifiers on versions of the test images, with several donors in turn. It returns the diagonals
// of the feature matrices, and a table of the accuracies and of the given coordinates' shares in the feature matrices.
// In a dry run it returns nil.
func (c *classifiers) outcome(
	in study.Setting, data, name, caption, shareOf string, at []int, donors int, versions ...testImages,
) (*study.Outcome, error) {
	fields := []record.Field[*classifier]{
		record.TextField("machine", func(k *classifier) string { return k.name }),
		record.PercentField("share of the "+shareOf, func(k *classifier) float64 { return shareIn(k.diagonal, at) }),
	}
	for i, v := range versions {
		fields = append(fields, record.PercentField(v.name, func(k *classifier) float64 { return k.accuracies[i] }))
	}
	var diagonals [][]float64
	for _, k := range c.all() {
		diagonals = append(diagonals, k.diagonal)
		for _, v := range versions {
			if err := k.addAccuracy(in, c.examples.Test, v, donors); err != nil {
				return nil, err
			}
		}
	}
	if in.Dry() {
		return nil, nil
	}
	o := &study.Outcome{
		Tables:   []report.Table{record.TableOf(name, caption, c.all(), fields...)},
		Matrices: map[string]*mat.Dense{"diagonals": record.StackRows(diagonals...)},
	}
	kernelmachine.RecordExamples(o, data, c.examples)
	return o, nil
}
