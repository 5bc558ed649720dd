package theory

import (
	"fmt"
	"math"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// drawnImages are images in memory.
type drawnImages struct {
	shape  data.Shape
	px     [][]float32 // (row, column, channel)
	labels []int
}

// Name implements data.Dataset.
func (d *drawnImages) Name() string { return "drawn" }

// Len implements data.Dataset.
func (d *drawnImages) Len() int { return len(d.px) }

// Shape implements data.Dataset.
func (d *drawnImages) Shape() data.Shape { return d.shape }

// Classes implements data.Dataset.
func (d *drawnImages) Classes() []string { return []string{"0", "1"} }

// Read implements data.Dataset.
func (d *drawnImages) Read(i int, dst []float32) (int, error) {
	if i < 0 || i >= len(d.px) || len(dst) != len(d.px[i]) {
		return 0, fmt.Errorf("image %d into %d pixels: there are %d images of %v", i, len(dst), len(d.px), d.shape)
	}
	copy(dst, d.px[i])
	return d.labels[i], nil
}

// drawEqualClasses are images of two classes with the same average patch, exactly:
// those of class 1 are those of class 0, with something added to one that is
// taken from the next. Pixels are multiples of 1/1024. With an offset, pixels of
// class 1 are larger by that, against the assumption.
func (t *theory) drawEqualClasses(offset float32) (*linearTask, error) {
	rng := models.Stream(t.seed, "theory/energy/labels")
	set := &drawnImages{shape: data.Shape{Channels: 1, Height: labelSide, Width: labelSide}}
	draw := func(least, most float64) []float32 {
		px := make([]float32, labelSide*labelSide)
		for i := range px {
			px[i] = float32(math.Round(1024*(least+(most-least)*rng.Float64()))) / 1024
		}
		return px
	}
	for range labelImages / 4 {
		a, b, more := draw(.25, .75), draw(.25, .75), draw(-.25, .25)
		c, d := make([]float32, len(a)), make([]float32, len(a))
		for i := range a {
			c[i], d[i] = a[i]+more[i]+offset, b[i]-more[i]+offset
		}
		set.px, set.labels = append(set.px, a, b, c, d), append(set.labels, 0, 0, 1, 1)
	}
	return t.readLinearTask(set, labelPatch)
}

// randomLabels is what all labels lead to, from the same filters.
type randomLabels struct {
	*linearTask
	w0           *mat.Dense
	truth        *mat.Dense // the filters after training on the true labels
	mean         *mat.Dense // the mean of the filters over all labels
	squared      []float64  // of the square of the mean filter's learned part
	profileError float64    // mean distance of the squared profile from the true one's, relative
	descent      cnfa.Descent
}

// trainAllLabels trains on every vector of labels.
func (t *theory) trainAllLabels(offset float32) (*randomLabels, error) {
	l, err := t.drawEqualClasses(offset)
	if err != nil {
		return nil, err
	}
	s, err := t.newLinearTraining(l, labelWidth, labelRate)
	if err != nil {
		return nil, err
	}
	r := &randomLabels{linearTask: l, descent: cnfa.Descent{Rate: labelRate, Width: labelWidth, Steps: labelSteps}}
	r.w0 = linalg.Gaussian(models.Stream(t.seed, "theory/energy/labels/filters"), labelWidth, labelPatch*labelPatch,
		filterSD)
	train := func(labels []int) (*mat.Dense, error) {
		s.setFilters(r.w0)
		err := s.takeSteps(t, labels, labelSteps)
		return s.copyFilters(), err
	}
	if r.truth, err = train(l.labels); err != nil {
		return nil, err
	}
	profile := setups.SquaredColumns(r.truth)
	d := labelPatch * labelPatch
	r.mean, r.squared = mat.NewDense(labelWidth, d, nil), make([]float64, d)
	const all = 1 << labelImages
	untrained, err := l.closed.Descend(make([]float64, labelImages), cnfa.MeanFilter(r.w0), r.descent)
	if err != nil {
		return nil, err
	}
	labels := make([]int, labelImages)
	for bits := range all {
		for i := range labels {
			labels[i] = bits >> i & 1
		}
		w, err := train(labels)
		if err != nil {
			return nil, err
		}
		r.profileError += linalg.RelativeDistance(setups.SquaredColumns(w), profile) / all
		for i, v := range cnfa.MeanFilter(w) {
			r.squared[i] += (v - untrained[i]) * (v - untrained[i]) / all
		}
		w.Scale(1./all, w)
		r.mean.Add(r.mean, w)
	}
	return r, nil
}
