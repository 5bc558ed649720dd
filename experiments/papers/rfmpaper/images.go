package rfmpaper

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/report"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Measures of several experiments on images: the share of some pixels in the feature matrix of the RFM or the network,
// and by how much it exceeds their share in the variance of the training images.
var (
	rfmShare             = study.NewMeasure("rfm_share")
	netShare             = study.NewMeasure("net_share")
	rfmShareOverVariance = study.NewMeasure("rfm_share_over_variance")
	// The same for W₁ − W₀, the change by training.
	netChangeShare        = study.NewMeasure("net_change_share")
	netChangeOverVariance = study.NewMeasure("net_change_over_variance")
)

// biasesKept says how the networks that learn images differ from the authors'.
const biasesKept = "The layers of the network have biases. The paper does not say whether its own have, and those in the " +
	"authors' code have none."

// standIns returns the datasets among sets that stand in for a dataset of the paper, for [study.Substituter]: those
// whose name differs from own, the paper's dataset.
func standIns(paper, own string, sets ...string) map[string]string {
	var used []string
	for _, set := range sets {
		if name, _, _ := strings.Cut(set, ":"); name != own && !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	if len(used) == 0 {
		return nil
	}
	return map[string]string{paper: strings.Join(used, ", ")}
}

// shareIn returns the share of the elements at some places in the sum of non-negative numbers.
func shareIn(v []float64, at []int) float64 {
	part, all := 0., 0.
	for _, i := range at {
		part += v[i]
	}
	for _, x := range v {
		all += x
	}
	return part / all
}

// coordinates returns the places of the chosen pixels in images of (row, column, channel) order.
func coordinates(s data.Shape, chosen func(row, column int) bool) []int {
	var at []int
	for k := range s.Height * s.Width {
		if chosen(k/s.Width, k%s.Width) {
			for c := range s.Channels {
				at = append(at, k*s.Channels+c)
			}
		}
	}
	return at
}

// withCoordinates returns examples in which some coordinates are replaced by those of one example, the donor.
func withCoordinates(in study.Setting, e rfm.Examples, at []int, donor int) rfm.Examples {
	if in.Dry() {
		return e
	}
	x := mat.DenseCopyOf(e.X)
	source := slices.Clone(x.RawRowView(donor))
	for i := range linalg.RowCount(x) {
		row := x.RawRowView(i)
		for _, j := range at {
			row[j] = source[j]
		}
	}
	return rfm.Examples{X: x, Y: e.Y}
}

// splitExamples draws n examples with a random stream of the seed, and returns these and then the others.
func splitExamples(in study.Setting, stream string, e rfm.Examples, n int) (drawn, others rfm.Examples) {
	all, d := e.X.Dims()
	if in.Dry() {
		outline := func(n int) rfm.Examples {
			return rfm.Examples{X: linalg.Outline(n, d), Y: linalg.Outline(n, linalg.ColumnCount(e.Y))}
		}
		return outline(n), outline(all - n)
	}
	order := models.Stream(in.Seed, stream).Perm(all)
	return e.Rows(order[:n]), e.Rows(order[n:])
}

// drawExample draws image i of a part of a set. The caption is a prefix and the class.
func drawExample(e *examples.Set, part rfm.Examples, i int, prefix string) report.Image {
	class := e.Classes[examples.ClassIndices(part.Y)[i]]
	return record.RowImage(part.X.RawRowView(i), *e.Shape, prefix+class)
}

// accuracyOn returns the test accuracy of a kernel machine that is fitted on some coordinates.
func accuracyOn(
	ctx context.Context, in study.Setting, name string, m rfm.Machine, e *examples.Set, features []int,
) (float64, error) {
	model, err := in.FitOn(ctx, name, m, e.Train, features)
	if err != nil {
		return 0, err
	}
	score, err := in.Score(ctx, model, e.Test)
	return score.Accuracy, err
}

// variances returns the variance of every coordinate over the examples.
func variances(e rfm.Examples) []float64 {
	n, d := e.X.Dims()
	v, column := make([]float64, d), make([]float64, n)
	for j := range v {
		for i := range column {
			column[i] = e.X.At(i, j)
		}
		v[j] = stat.Variance(column, nil)
	}
	return v
}

// largest returns the places of the n largest elements of v.
func largest(v []float64, n int) []int {
	at := make([]int, len(v))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(v[b], v[a]) })
	return at[:n]
}
