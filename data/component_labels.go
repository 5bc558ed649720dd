package data

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// ComponentLabels labels images by the magnitude of the projection of their
// patches onto a principal component: the images with the largest are of the
// first class, and so on (paper energy, Figure 7). Projections are of patches
// less the mean patch, so that neither the sign of the component nor the mean
// colour of the set matters.
type ComponentLabels struct {
	Components *Components
	Component  int // from 1, in descending order of variance

	// Thresholds are the least magnitudes of the classes but the last, in
	// descending order.
	Thresholds []float64
}

// FitComponentLabels sets the thresholds so that the images of ds, usually the
// training split, fall into classes of equal size, to within one image. Images
// of the same magnitude are in the same class, which may then be larger. There
// must be as many images as classes.
func FitComponentLabels(ctx context.Context, ds Dataset, c *Components, component,
	classes int) (*ComponentLabels, error) {
	if classes < 1 || classes > ds.Len() {
		return nil, fmt.Errorf("data: %d classes of the %d images of %s: expected 1 to %d",
			classes, ds.Len(), ds.Name(), ds.Len())
	}
	magnitudes, err := c.Projections(ctx, ds, component)
	if err != nil {
		return nil, err
	}
	for i, p := range magnitudes {
		magnitudes[i] = math.Abs(p)
	}
	slices.SortFunc(magnitudes, func(a, b float64) int { return cmp.Compare(b, a) })
	l := &ComponentLabels{Components: c, Component: component}
	for class := 1; class < classes; class++ {
		l.Thresholds = append(l.Thresholds, magnitudes[class*len(magnitudes)/classes-1])
	}
	return l, nil
}

// Apply returns the images of ds under the labels, of classes "1" and so on. It
// reads all of them, and stops when ctx is done.
func (l *ComponentLabels) Apply(ctx context.Context, ds Dataset) (Dataset, error) {
	projections, err := l.Components.Projections(ctx, ds, l.Component)
	if err != nil {
		return nil, err
	}
	labels := make([]int, len(projections))
	for i, p := range projections {
		labels[i] = l.label(math.Abs(p))
	}
	var classes []string
	for class := range len(l.Thresholds) + 1 {
		classes = append(classes, strconv.Itoa(class+1))
	}
	return Relabel(ds, labels, classes)
}

// label returns the label of an image of that magnitude.
func (l *ComponentLabels) label(magnitude float64) int {
	below := func(threshold float64) bool { return magnitude >= threshold }
	if class := slices.IndexFunc(l.Thresholds, below); class >= 0 {
		return class
	}
	return len(l.Thresholds)
}
