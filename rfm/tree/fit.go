package tree

import (
	"context"

	"github.com/ansatz-lab/ansatz/internal/parallel"
	"github.com/ansatz-lab/ansatz/rfm"
)

// fitOneLeaf fits the machine of the leaf to all examples.
func (f *fit) fitOneLeaf(ctx context.Context) (*Model, error) {
	f.report("leaves", 0, 1)
	model, err := f.leaf.Fit(ctx, f.all.X, f.all.Y)
	if err != nil {
		return nil, err
	}
	f.report("leaves", 1, 1)
	f.model.nodes, f.model.leaves = []node{{leaf: 1}}, []*rfm.Model{model}
	return f.model, nil
}

// fitLeaves fits the machines of the leaves, several at a time.
func (f *fit) fitLeaves(ctx context.Context) error {
	f.model.leaves = make([]*rfm.Model, len(f.parts))
	f.report("leaves", 0, len(f.parts))
	done := func(finished int) { f.report("leaves", finished, len(f.parts)) }
	return parallel.Run(ctx, f.plan.AtATime, len(f.parts), done, func(int) (func(context.Context, int) error, error) {
		return func(ctx context.Context, i int) error {
			p := f.parts[i]
			m := f.leaf
			m.Metric = p.metric
			switch {
			case m.Select == rfm.Last:
			case len(p.validation) > 0:
				v := f.all.Rows(p.validation)
				m.Validation = &v
			case len(p.train) == 1:
				m.Select = rfm.Last // there is nothing to hold out
			}
			train := f.all.Rows(p.train)
			var err error
			f.model.leaves[i], err = m.Fit(ctx, train.X, train.Y)
			return err
		}, nil
	})
}

// temperatureRows is the number of validation rows on which the temperature is chosen.
const temperatureRows = 5000

// chooseTemperature sets the temperature that is best on validation rows, the first of equals.
func (f *fit) chooseTemperature(ctx context.Context, validation []int) error {
	all := f.temperatures()
	f.model.temperature = all[0]
	if len(all) == 1 || len(validation) == 0 {
		return nil
	}
	rows := f.all.Rows(f.draw(validation, temperatureRows, "tree/temperature", 0))
	var best rfm.Scores
	for i, t := range all {
		f.report("temperature", i, len(all))
		m := *f.model
		m.temperature = t
		s, err := m.Score(ctx, rows.X, rows.Y)
		if err != nil {
			return err
		}
		// The squared error says more than the accuracy about weights of outputs.
		if i == 0 || s.MSE < best.MSE {
			best, f.model.temperature = s, t
		}
	}
	f.report("temperature", len(all), len(all))
	return nil
}
