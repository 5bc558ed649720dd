package rfmpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
)

// learnedAccuracy is the training accuracy at which a network counts as having learned its training images.
const learnedAccuracy = .99

// networkCourse holds the measurements of a network while it trains. Checkpoints keep its fields.
type networkCourse struct {
	models.Position
	States []networkState
	// Learned is the index of the first state in which the network has learned its training images, -1 if none, and
	// Diagonal is the diagonal of W₁ᵀW₁ in that state.
	Learned  int
	Diagonal []float64
}

// networkState holds the measurements after an epoch.
type networkState struct {
	Epoch         int
	Train, Test   float64 // accuracies
	Share, Change float64 // of the star in W₁ᵀW₁, and with W₁ − W₀
}

// trainNetwork trains the network and measures it every few epochs.
func (s *GrokkingSpec) trainNetwork(
	ctx context.Context, in study.Setting, e *examples.Set, star []int, o *study.Outcome,
) error {
	m, err := setups.NewMLP(in, s.Net, e)
	if err != nil {
		return err
	}
	defer m.Close()
	if in.Dry() {
		measured := 1 + s.Net.Epochs/s.Every
		in.AddTested(float64(measured) * float64(linalg.RowCount(e.Train.X)+linalg.RowCount(e.Test.X)))
		return nil
	}
	g := &networkCourse{Learned: -1}
	m.State = g
	err = m.TrainFollowed(ctx, []any{s.Net, s.Every, star}, func(ctx context.Context, epoch int) error {
		known := epoch == 0 && len(g.States) > 0 // the training was interrupted before its first step
		if known || epoch%s.Every != 0 && epoch != s.Net.Epochs {
			return nil
		}
		return g.measure(ctx, m, e, star, epoch)
	})
	if err != nil {
		return err
	}
	o.Matrices["network-diagonals"] = record.StackRows(setups.NetworkDiagonal(m.Net),
		setups.SquaredColumns(m.Change()))
	return g.addTo(m, *e.Shape, o)
}

// measure measures the network after an epoch.
func (g *networkCourse) measure(ctx context.Context, m *setups.MLP, e *examples.Set, star []int, epoch int) error {
	train, err := m.Accuracy(ctx, e.Train)
	if err != nil {
		return err
	}
	test, err := m.Accuracy(ctx, e.Test)
	if err != nil {
		return err
	}
	diagonal, change := setups.NetworkDiagonal(m.Net), 0.
	if epoch > 0 {
		change = shareIn(setups.SquaredColumns(m.Change()), star)
	}
	if g.Learned < 0 && train >= learnedAccuracy {
		g.Learned, g.Diagonal = len(g.States), diagonal
	}
	g.States = append(g.States, networkState{epoch, train, test, shareIn(diagonal, star), change})
	return nil
}

// diagonalImages returns the diagonals of W₁ᵀW₁ before training, when the network had learned
// its training images, and after the last epoch.
func (g *networkCourse) diagonalImages(m *setups.MLP, shape data.Shape) []report.Image {
	all := []report.Image{record.HeatImage(setups.NetworkDiagonal(m.Initial), shape, "before training")}
	if g.Learned >= 0 {
		l := g.States[g.Learned]
		all = append(all, record.HeatImage(g.Diagonal, shape,
			fmt.Sprintf("epoch %d, training at %.1f %%", l.Epoch, 100*l.Train)))
	}
	return append(all, record.HeatImage(setups.NetworkDiagonal(m.Net), shape, fmt.Sprintf("epoch %d", m.Spec.Epochs)))
}

// addTo adds measures, tables, charts and figures of the network to the outcome.
func (g *networkCourse) addTo(m *setups.MLP, shape data.Shape, o *study.Outcome) error {
	last := g.States[len(g.States)-1]
	o.Set(netTrainLast, last.Train)
	o.Set(netTestLast, last.Test)
	// A network that never learned its training images has no point to rise from.
	o.Set(netRise, math.NaN())
	o.Set(netShareGrows, math.NaN())
	type row struct {
		when string
		networkState
	}
	rows := []row{{"before training", g.States[0]}}
	if g.Learned >= 0 {
		then := g.States[g.Learned]
		o.Set(netRise, last.Test-then.Test)
		o.Set(netShareGrows, last.Share/then.Share)
		rows = append(rows, row{"training accuracy first at 99 %", then})
	}
	o.Tables = append(o.Tables, record.TableOf("network", "The network; accuracies and shares in percent.",
		append(rows, row{"after the last epoch", last}),
		record.TextField("when", func(r row) string { return r.when }),
		record.NumberField("epoch", "%.0f", func(r row) float64 { return float64(r.Epoch) }),
		record.PercentField("training", func(r row) float64 { return r.Train }),
		record.PercentField("test", func(r row) float64 { return r.Test }),
		record.PercentField("share of the star", func(r row) float64 { return r.Share }),
		record.PercentField("with W₁ − W₀", func(r row) float64 { return r.Change })))
	series := func(label string, y func(networkState) float64) report.Series {
		return record.SeriesOf(label, g.States, func(n networkState) float64 { return float64(n.Epoch) }, y)
	}
	o.Charts = append(o.Charts,
		study.Chart{
			Name: "network-accuracy", Title: "Network", XLabel: "epoch", YLabel: "accuracy",
			Series: []report.Series{
				series("training", func(n networkState) float64 { return n.Train }),
				series("test", func(n networkState) float64 { return n.Test }),
			},
		},
		study.Chart{
			Name: "network-share", Title: "Share of the star in the network's feature matrix",
			XLabel: "epoch", YLabel: "share of the trace", Series: []report.Series{
				series("W₁", func(n networkState) float64 { return n.Share }),
				series("W₁ − W₀", func(n networkState) float64 { return n.Change }),
			},
		})
	f, err := report.ImageGrid("network-features", nil, [][]report.Image{g.diagonalImages(m, shape)})
	f.Caption = "The diagonal of the network's W₁ᵀW₁, from 0 (dark) to its largest element."
	f.Alt = "Diagonals of W₁ᵀW₁ as images before, during and after training"
	o.Figures = append(o.Figures, f)
	return err
}
