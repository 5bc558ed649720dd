package rfmpaper

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
)

// learnedAccuracy is the training accuracy from which on a network has learned its training
// images.
const learnedAccuracy = .99

// networkCourse holds the measurements of a network while it trains. Its fields are kept in
// checkpoints.
type networkCourse struct {
	models.Position
	Looks []networkState
	// Learned is the first of the Looks at which the network had learned its training images,
	// -1 for none, and Diagonal the diagonal of W₁ᵀW₁ there.
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
	g := &networkCourse{Learned: -1}
	m.State = g
	err = m.TrainFollowed(ctx, in, []any{s.Net, s.Every, star}, func(ctx context.Context, epoch int) error {
		known := epoch == 0 && len(g.Looks) > 0 // it was stopped before the first step
		if known || epoch%s.Every != 0 && epoch != s.Net.Epochs {
			return nil
		}
		return g.measure(ctx, m, e, star, epoch)
	})
	if err != nil {
		return err
	}
	o.Matrices["network-diagonals"] = record.StackRows(m.Diagonal(false), m.Diagonal(true))
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
	diagonal, change := m.Diagonal(false), 0.
	if epoch > 0 {
		change = shareIn(m.Diagonal(true), star)
	}
	if g.Learned < 0 && train >= learnedAccuracy {
		g.Learned, g.Diagonal = len(g.Looks), diagonal
	}
	g.Looks = append(g.Looks, networkState{epoch, train, test, shareIn(diagonal, star), change})
	return nil
}

// series returns a quantity over the epochs.
func (g *networkCourse) series(label string, of func(networkState) float64) report.Series {
	s := report.Series{Label: label}
	for _, l := range g.Looks {
		s.X, s.Y = append(s.X, float64(l.Epoch)), append(s.Y, of(l))
	}
	return s
}

// diagonalImages returns the diagonals of W₁ᵀW₁ before training, when the network had learned
// its training images, and after the last epoch.
func (g *networkCourse) diagonalImages(m *setups.MLP, shape data.Shape) []report.Image {
	all := []report.Image{
		record.HeatImage(setups.SquaredColumns(setups.FirstFilters(m.Initial)), shape, "before training"),
	}
	if g.Learned >= 0 {
		l := g.Looks[g.Learned]
		all = append(all, record.HeatImage(g.Diagonal, shape,
			fmt.Sprintf("epoch %d, training at %.1f %%", l.Epoch, 100*l.Train)))
	}
	return append(all, record.HeatImage(m.Diagonal(false), shape, fmt.Sprintf("epoch %d", m.Spec.Epochs)))
}

// addTo adds values, tables, charts and figures of the network to the outcome.
func (g *networkCourse) addTo(m *setups.MLP, shape data.Shape, o *study.Outcome) error {
	last := g.Looks[len(g.Looks)-1]
	o.Set(netTrainLast, last.Train)
	o.Set(netTestLast, last.Test)
	// A network that never learned its training images has no point to rise from.
	o.Set(netRise, math.NaN())
	o.Set(netShareGrows, math.NaN())
	t := report.Table{
		Name: "network", Caption: "The network; accuracies and shares in percent.",
		Columns: record.NumericColumns("when", "epoch", "training", "test", "share of the star", "with W₁ − W₀"),
	}
	row := func(when string, l networkState) {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: when}, {Text: fmt.Sprint(l.Epoch), Value: float64(l.Epoch)},
			record.PercentCell(l.Train), record.PercentCell(l.Test), record.PercentCell(l.Share),
			record.PercentCell(l.Change),
		})
	}
	row("before training", g.Looks[0])
	if g.Learned >= 0 {
		then := g.Looks[g.Learned]
		o.Set(netRise, last.Test-then.Test)
		o.Set(netShareGrows, last.Share/then.Share)
		row("training accuracy first at 99 %", then)
	}
	row("after the last epoch", last)
	o.Tables = append(o.Tables, t)
	o.Charts = append(o.Charts,
		study.Chart{Name: "network-accuracy", Title: "Network", XLabel: "epoch", YLabel: "accuracy",
			Series: []report.Series{
				g.series("training", func(l networkState) float64 { return l.Train }),
				g.series("test", func(l networkState) float64 { return l.Test }),
			}},
		study.Chart{Name: "network-share", Title: "Share of the star in the network's feature matrix",
			XLabel: "epoch", YLabel: "share of the trace", Series: []report.Series{
				g.series("W₁", func(l networkState) float64 { return l.Share }),
				g.series("W₁ − W₀", func(l networkState) float64 { return l.Change }),
			}})
	f, err := report.ImageGrid("network-features", nil, [][]report.Image{g.diagonalImages(m, shape)})
	f.Caption = "The diagonal of the network's W₁ᵀW₁, from 0 (dark) to its largest element."
	f.Alt = "Diagonals of W₁ᵀW₁ as images before, during and after training"
	o.Figures = append(o.Figures, f)
	return err
}
