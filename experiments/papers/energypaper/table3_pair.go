package energypaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// openPair returns the images of a pair, labelled 0 and 1, as many of both.
func (s *LinearTableSpec) openPair(in study.Setting, p linearPair) (data.Dataset, error) {
	set, err := data.Open(s.Data, data.Options{Dir: in.DataDir, Split: "train", Seed: in.Seed})
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	return twoClasses(set, p.first, p.second, s.Images, in.Seed)
}

// twoClasses returns images of two classes, labelled 0 and 1: a number of each, drawn by the seed;
// for 0, all of the smaller class and as many of the other.
func twoClasses(set data.Dataset, first, second, images int, seed uint64) (data.Dataset, error) {
	names := set.Classes()
	if max(first, second) >= len(names) {
		return nil, input.Errorf("%s has %d classes: want at least %d", set.Name(), len(names), max(first, second)+1)
	}
	labels, err := data.Labels(set)
	if err != nil {
		return nil, err
	}
	var rows, two []int
	for i, l := range labels {
		if l == first || l == second {
			rows = append(rows, i)
			two = append(two, map[bool]int{true: 1}[l == second])
		}
	}
	if set, err = data.Subset(set, rows); err != nil {
		return nil, err
	}
	if set, err = data.Relabel(set, two, []string{names[first], names[second]}); err != nil {
		return nil, err
	}
	if set, err = data.Balanced(set, images, seed); err != nil {
		return nil, &input.Error{Err: err}
	}
	return set, nil
}

// learnedPair is the images of a pair with everything that the closed form of linear CNNs needs.
type learnedPair struct {
	*LinearTableSpec
	set          data.Dataset
	basis        *mat.Dense // components by columns
	deviations   []float64  // of the patches along them
	closed       *cnfa.LinearCNN
	truth, rand  []float64 // labels
	start, other *mat.Dense
}

func (s *LinearTableSpec) newLearnedPair(ctx context.Context, in study.Setting, set data.Dataset) (*learnedPair,
	error) {
	l := &learnedPair{LinearTableSpec: s, set: set}
	k, err := data.AveragePatches(ctx, set, s.Patch)
	if err != nil {
		return nil, &input.Error{Err: err}
	}
	c, err := data.PatchComponents(ctx, set, s.Patch, 0)
	if err != nil {
		return nil, err
	}
	l.basis = columnBasis(c)
	for _, v := range c.Variances {
		l.deviations = append(l.deviations, math.Sqrt(max(0, v)))
	}
	if l.closed, err = cnfa.NewLinearCNN(k); err != nil {
		return nil, &input.Error{Err: err}
	}
	random, err := data.RandomLabels(set, in.Seed)
	if err != nil {
		return nil, err
	}
	if l.truth, err = labelNumbers(set); err != nil {
		return nil, err
	}
	if l.rand, err = labelNumbers(random); err != nil {
		return nil, err
	}
	for i, w := range []**mat.Dense{&l.start, &l.other} {
		net, err := s.newNetwork(shapeOfSet(set), in.Seed+uint64(i)<<32)
		if err != nil {
			return nil, err
		}
		*w = net.Filters("conv")
	}
	return l, nil
}

// columnBasis returns components as the columns of a matrix.
func columnBasis(c *data.Components) *mat.Dense {
	m := mat.NewDense(len(c.Vectors), len(c.Vectors), nil)
	for i, v := range c.Vectors {
		m.SetCol(i, v)
	}
	return m
}

// labelNumbers returns the labels of a set as numbers.
func labelNumbers(set data.Dataset) ([]float64, error) {
	labels, err := data.Labels(set)
	var y []float64
	for _, l := range labels {
		y = append(y, float64(l))
	}
	return y, err
}

func shapeOfSet(set data.Dataset) models.Shape {
	s := set.Shape()
	return models.Shape{Channels: s.Channels, Height: s.Height, Width: s.Width}
}

// energies returns the profile of filters (energy, eq. 1).
func (l *learnedPair) energies(w *mat.Dense) []float64 {
	e := setups.SquaredColumns(linalg.Product(w, l.basis))
	for i, v := range e {
		e[i] = math.Sqrt(v)
	}
	return e
}

// profileAfter returns the profile after training on targets y from the filters start, or from 0
// where start is nil.
func (l *learnedPair) profileAfter(y []float64, start *mat.Dense, g cnfa.Descent) ([]float64, error) {
	if start == nil {
		w, err := l.closed.Descend(y, nil, g)
		if err != nil {
			return nil, err
		}
		return l.energies(mat.NewDense(1, len(w), w)), nil
	}
	w, err := l.closed.Filters(y, start, g)
	if err != nil {
		return nil, err
	}
	return l.energies(w), nil
}

// mapLabels applies a function to every label.
func mapLabels(y []float64, to func(float64) float64) []float64 {
	var out []float64
	for _, v := range y {
		out = append(out, to(v))
	}
	return out
}
