package experiments

import (
	"context"
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/experiments/report"
)

// learned is the training accuracy from which on a network has learned its
// training images.
const learned = .99

// grokking is what is seen of a network while it trains.
type grokking struct {
	train, test   report.Series
	share, change report.Series // of the star in W₁ᵀW₁, and with W₁ − W₀
	before        int           // the place in the series where it had learned, -1 for never
	pictures      []report.Image
}

// network trains the network and looks at it now and then.
func (s *GrokkingSpec) network(ctx context.Context, in Setting, e *examples, star []int, o *Outcome) error {
	m, err := newMLP(in, s.Net, e)
	if err != nil {
		return err
	}
	defer m.close()
	g := &grokking{before: -1}
	g.train.Label, g.test.Label, g.share.Label, g.change.Label = "training", "test", "W₁", "W₁ − W₀"
	err = m.train(ctx, in, func(epoch int) error {
		if epoch%s.Every != 0 && epoch != s.Net.Epochs {
			return nil
		}
		return g.look(ctx, m, e, star, epoch)
	})
	if err != nil {
		return err
	}
	g.pictures = append(g.pictures, heatImage(m.diagonal(false), *e.shape, fmt.Sprintf("epoch %d", s.Net.Epochs)))
	o.Matrices["network-diagonals"] = stackRows(m.diagonal(false), m.diagonal(true))
	return g.tell(o)
}

// look measures the network after an epoch.
func (g *grokking) look(ctx context.Context, m *mlp, e *examples, star []int, epoch int) error {
	train, err := m.accuracy(ctx, e.train)
	if err != nil {
		return err
	}
	test, err := m.accuracy(ctx, e.test)
	if err != nil {
		return err
	}
	diagonal, x, change := m.diagonal(false), float64(epoch), 0.
	if epoch > 0 {
		change = shareIn(m.diagonal(true), star)
	}
	if epoch == 0 {
		g.pictures = append(g.pictures, heatImage(diagonal, *e.shape, "before training"))
	}
	if g.before < 0 && train >= learned {
		g.before = len(g.train.X)
		g.pictures = append(g.pictures, heatImage(diagonal, *e.shape, fmt.Sprintf("epoch %d, training at %.1f %%", epoch, 100*train)))
	}
	for _, p := range []struct {
		s *report.Series
		y float64
	}{{&g.train, train}, {&g.test, test}, {&g.share, shareIn(diagonal, star)}, {&g.change, change}} {
		p.s.X, p.s.Y = append(p.s.X, x), append(p.s.Y, p.y)
	}
	return nil
}

// tell puts what was seen into the outcome.
func (g *grokking) tell(o *Outcome) error {
	last := len(g.train.X) - 1
	o.Values["net_train_last"], o.Values["net_test_last"] = g.train.Y[last], g.test.Y[last]
	// A network that never learned its training images has no point to rise from.
	o.Values["net_rise"], o.Values["net_share_grows"] = math.NaN(), math.NaN()
	t := report.Table{
		Name: "network", Caption: "The network; accuracies and shares in percent.",
		Columns: numericColumns("when", "epoch", "training", "test", "share of the star", "with W₁ − W₀"),
	}
	row := func(when string, i int) {
		t.Rows = append(t.Rows, []report.Cell{
			{Text: when}, {Text: fmt.Sprintf("%.0f", g.train.X[i]), Value: g.train.X[i]}, percentCell(g.train.Y[i]), percentCell(g.test.Y[i]), percentCell(g.share.Y[i]), percentCell(g.change.Y[i]),
		})
	}
	row("before training", 0)
	if g.before >= 0 {
		o.Values["net_rise"] = g.test.Y[last] - g.test.Y[g.before]
		o.Values["net_share_grows"] = g.share.Y[last] / g.share.Y[g.before]
		row("training accuracy first at 99 %", g.before)
	}
	row("after the last epoch", last)
	o.Tables = append(o.Tables, t)
	o.Charts = append(o.Charts,
		Chart{Name: "network-accuracy", Title: "Network", XLabel: "epoch", YLabel: "accuracy", Series: []report.Series{g.train, g.test}},
		Chart{Name: "network-share", Title: "Share of the star in the network's feature matrix", XLabel: "epoch", YLabel: "share of the trace", Series: []report.Series{g.share, g.change}})
	f, err := report.ImageGrid("network-features", nil, [][]report.Image{g.pictures})
	f.Caption = "The diagonal of the network's W₁ᵀW₁, from 0 (dark) to its largest element."
	f.Alt = "Diagonals of W₁ᵀW₁ as images before, during and after training"
	o.Figures = append(o.Figures, f)
	return err
}
