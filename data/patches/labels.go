package patches

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ansatz-lab/ansatz/data"
)

// Score gives every image a number: the mean projection of its patches onto a principal component. Unless
// Signed, it is the magnitude of that, so that the sign of the component does not matter. Unless Uncentred, the mean
// patch of the set is subtracted first, so that the set's mean colour does not matter.
type Score struct {
	Components *Components
	Component  int // the index of the component, from 1, in descending order of variance
	Uncentred  bool
	Signed     bool
}

// scores returns the scores of the images of ds. It reads all images, and stops when ctx is done.
func (s Score) scores(ctx context.Context, ds data.Dataset) ([]float64, error) {
	scores, err := s.Components.Projections(ctx, ds, s.Component)
	if err != nil {
		return nil, err
	}
	mean := 0.
	if s.Uncentred {
		mean = dot(s.Components.Mean, s.Components.Vectors[s.Component-1])
	}
	for i := range scores {
		if scores[i] += mean; !s.Signed {
			scores[i] = math.Abs(scores[i])
		}
	}
	return scores, nil
}

// Labels labels images by their scores: those with the largest scores are in the first class, and so on (paper
// energy, Figure 7).
type Labels struct {
	Score

	// Thresholds holds the smallest score of every class but the last, in descending order.
	Thresholds []float64
}

// FitLabels returns the labels whose thresholds divide the images of ds, usually the training split, into
// classes of equal size, to within one image. Images of equal score are in the same class, which may then be larger.
// It returns an error if there are fewer images than classes, or an image cannot be read.
func FitLabels(ctx context.Context, ds data.Dataset, score Score, classes int) (*Labels, error) {
	if classes < 1 || classes > ds.Len() {
		return nil, fmt.Errorf("patches: %d classes of the %d images of %s: expected 1 to %d",
			classes, ds.Len(), ds.Name(), ds.Len())
	}
	scores, err := score.scores(ctx, ds)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	l := &Labels{Score: score}
	for class := 1; class < classes; class++ {
		l.Thresholds = append(l.Thresholds, scores[class*len(scores)/classes-1])
	}
	return l, nil
}

// Apply returns the images of ds with the new labels; the classes are called "1" and so on. It reads all images, and
// stops when ctx is done.
func (l *Labels) Apply(ctx context.Context, ds data.Dataset) (data.Dataset, error) {
	scores, err := l.scores(ctx, ds)
	if err != nil {
		return nil, err
	}
	labels := make([]int, len(scores))
	for i, score := range scores {
		labels[i] = l.label(score)
	}
	var classes []string
	for class := range len(l.Thresholds) + 1 {
		classes = append(classes, strconv.Itoa(class+1))
	}
	return data.Relabel(ds, labels, classes)
}

// label returns the label of an image with the given score.
func (l *Labels) label(score float64) int {
	below := func(threshold float64) bool { return score >= threshold }
	if class := slices.IndexFunc(l.Thresholds, below); class >= 0 {
		return class
	}
	return len(l.Thresholds)
}
