package theory

import (
	"fmt"
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/cnfa/energy"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/linalg"
	"github.com/ansatz-lab/ansatz/experiments/papers/setups"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The images for the statements on random labels. They are so few that all 2ᴺ label vectors can be trained on, so that
// expectations have no sampling error.
const (
	labelImages, labelSide, labelPatch = 8, 5, 2
	labelWidth, labelRate, labelSteps  = 3, 1., 15
)

// checkEnergyLabels checks Theorems 4.3, A.4 and A.5 and Corollary 4.4.
func (t *theory) checkEnergyLabels() error {
	r, err := t.trainAllLabels(0)
	if err != nil {
		return err
	}
	if err := t.checkUncorrelated(r); err != nil {
		return err
	}
	s := study.Statement{Paper: "energy", Name: "Theorem A.4", Says: "the filters' expectation over random " +
		"labels equals the filters for the true labels, if both classes have the same average patch",
		Measure: "relative error",
		Note: fmt.Sprintf("Exact: the mean over all %d labels of %d images, trained one by one. In its proof z is "+
			"(2/N)Kᵀy, and eq. 20 lacks a minus.", 1<<labelImages, labelImages)}
	t.addPrinted(s, linalg.RelativeError(r.mean, r.truth), Exact)
	s.Name, s.Says, s.Measure = "Corollary 4.4", "training with random labels gives the same energy profile",
		"relative error of the squared profile, mean over all labels,"
	s.Note = "The weights agree in expectation, the profile, in which they are squared, in none: not with one draw " +
		"of labels, and not on average."
	t.addPrinted(s, r.profileError, Exact)
	if err := t.checkLabelVariance(r, s); err != nil {
		return err
	}
	return t.checkLabelSolution(r)
}

// checkUncorrelated checks Theorem 4.3.
func (t *theory) checkUncorrelated(r *randomLabels) error {
	ones := make([]float64, labelImages)
	floats.AddConst(1, ones)
	constant, err := r.closed.Descend(ones, nil, r.descent)
	if err != nil {
		return err
	}
	s, err := t.newLinearTraining(r.linearTask, labelWidth, labelRate)
	if err != nil {
		return err
	}
	s.setFilters(mat.NewDense(labelWidth, labelPatch*labelPatch, nil))
	if err := s.takeSteps(t, r.labels, labelSteps); err != nil {
		return err
	}
	t.addPrinted(study.Statement{Paper: "energy", Name: "Theorem 4.3",
		Says:    "if labels and average patches are uncorrelated, the mean filter from 0 is ∝ (KᵀK + Λ)⁻¹Kᵀ1",
		Measure: "distance of directions",
		Note:    "Exact. The factor is the labels' mean: with labels ±1 in balance it is 0, and nothing is learned."},
		linalg.Dissimilarity(energy.MeanFilter(s.copyFilters()), constant), Exact)
	return nil
}

// checkLabelVariance corrects Corollary 4.4. The mean filter is w̄ = Fy, with F of the closed form, so its expected
// square has a second term, from the labels' variance of ¼ each.
func (t *theory) checkLabelVariance(r *randomLabels, s study.Statement) error {
	d := labelPatch * labelPatch
	want := make([]float64, d)
	y := r.targets()
	learned, err := r.closed.Descend(y, nil, r.descent)
	if err != nil {
		return err
	}
	for i := range y {
		unit := make([]float64, labelImages)
		unit[i] = 1
		column, err := r.closed.Descend(unit, nil, r.descent)
		if err != nil {
			return err
		}
		for k := range d {
			want[k] += column[k] * column[k] / 4
		}
	}
	for k := range d {
		want[k] += learned[k] * learned[k]
	}
	s.Says, s.Measure = "the expected square of what the mean filter learns is that for the true labels and ¼ΣFᵢⱼ², "+
		"w̄ = Fy", "relative error, mean over all labels,"
	s.Note = "Exact. The second is of order 1/N beside the first, as long as that is not small."
	t.addPutRight(s, linalg.RelativeDistance(r.squared, want), Exact)
	return nil
}

// checkLabelSolution checks Theorem A.5.
func (t *theory) checkLabelSolution(r *randomLabels) error {
	d := labelPatch * labelPatch
	lambda, err := r.closed.Regulariser(r.descent)
	if err != nil {
		return err
	}
	learned, err := r.closed.Descend(make([]float64, labelImages), energy.MeanFilter(r.w0), r.descent)
	if err != nil {
		return err
	}
	expected := energy.MeanFilter(r.mean)
	floats.Sub(expected, learned) // the expected solution from zero filters
	mu := make([]float64, d)
	for j := range d {
		mu[j] = floats.Sum(mat.Col(nil, j, r.k)) / labelImages
	}
	second := linalg.Scaled(1./labelImages, backend.Gram(r.k))
	sigma := addSymmetric(second, linalg.Scaled(-1, linalg.OuterProduct(mu)))
	printed, err := invert(addSymmetric(sigma, lambda))
	if err != nil {
		return err
	}
	whole, err := invert(addSymmetric(sigma, linalg.Scaled(1./labelImages, lambda)))
	if err != nil {
		return err
	}
	s := study.Statement{Paper: "energy", Name: "Theorem A.5, eq. 22",
		Says: "E[w̃] ∝ (I − Σ̂′⁻¹μμᵀ/(1 + μᵀΣ̂′⁻¹μ))Σ̂′⁻¹μ with Σ̂′ = Σ̂ + Λ", Measure: "distance of directions",
		Note: "Λ is that of K̄ᵀK̄, which is N(Σ̂ + μ̂μ̂ᵀ) (second moment, above)."}
	t.addPrinted(s, linalg.Dissimilarity(woodbury(printed, mu), expected), Exact)
	s.Says, s.Note = "E[w̃] ∝ (I − Σ̂′⁻¹μμᵀ/(1 + μᵀΣ̂′⁻¹μ))Σ̂′⁻¹μ with Σ̂′ = Σ̂ + Λ/N",
		"Exact. The bracket only scales: E[w̃] ∝ Σ̂′⁻¹μ."
	t.addPutRight(s, linalg.Dissimilarity(woodbury(whole, mu), expected), Exact)
	s.Name, s.Says = "Theorem A.5 in short", "E[w̃] ∝ (Σ̂ + Λ/N)⁻¹μ"
	s.Note = "Since Σ̂′⁻¹μ is an eigenvector of the bracket."
	t.addBesides(s, linalg.Dissimilarity(linalg.Product(whole, column(mu)).RawMatrix().Data, expected), Exact)
	return t.checkWoodbury(addSymmetric(sigma, linalg.Scaled(1./labelImages, lambda)), whole, mu)
}

// checkWoodbury checks the identity in the proof of Theorem A.5.
func (t *theory) checkWoodbury(sigma *mat.SymDense, inverse *mat.Dense, mu []float64) error {
	want, err := invert(addSymmetric(sigma, linalg.OuterProduct(mu)))
	if err != nil {
		return err
	}
	v := column(mu)
	im := linalg.Product(inverse, v)
	inner := 1 + linalg.Product(v.T(), im).At(0, 0)
	form := func(factor float64) *mat.Dense {
		out := linalg.Product(im, im.T())
		out.Scale(-factor, out)
		out.Add(out, inverse)
		return out
	}
	s := study.Statement{Paper: "energy", Name: "Theorem A.5, proof",
		Says: "(Σ̂′ + μμᵀ)⁻¹ = Σ̂′⁻¹ − Σ̂′⁻¹μ(1 + μᵀΣ̂′⁻¹μ)μᵀΣ̂′⁻¹", Measure: "relative error",
		Note: "The bracket has to be inverted, as it is on the next line."}
	t.addPrinted(s, linalg.RelativeError(form(inner), want), Exact)
	s.Says, s.Note = "(Σ̂′ + μμᵀ)⁻¹ = Σ̂′⁻¹ − Σ̂′⁻¹μ(1 + μᵀΣ̂′⁻¹μ)⁻¹μᵀΣ̂′⁻¹", ""
	t.addPutRight(s, linalg.RelativeError(form(1/inner), want), Exact)
	return nil
}

// woodbury returns the right side of eq. 22 for Σ̂′⁻¹.
func woodbury(inverse *mat.Dense, mu []float64) []float64 {
	v := column(mu)
	im := linalg.Product(inverse, v)
	inner := linalg.Product(v.T(), im).At(0, 0)
	out := linalg.Product(im, v.T(), im)
	out.Scale(-1/(1+inner), out)
	out.Add(out, im)
	return out.RawMatrix().Data
}

// column returns a copy of v as a matrix of one column.
func column(v []float64) *mat.Dense { return mat.NewDense(len(v), 1, slices.Clone(v)) }

// invert returns the inverse of a.
func invert(a mat.Matrix) (*mat.Dense, error) {
	var out mat.Dense
	err := out.Inverse(a)
	return &out, err
}

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

// drawEqualClasses returns images of two classes with exactly the same average patch. Those of class 1 are those of
// class 0, with a value added to one image and subtracted from the next. Pixels are multiples of 1/1024. The offset is
// added to all pixels of class 1, which breaks the assumption.
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

// randomLabels are the results of training on all label vectors, from the same filters.
type randomLabels struct {
	*linearTask
	w0           *mat.Dense
	truth        *mat.Dense // the filters after training on the true labels
	mean         *mat.Dense // the mean of the filters over all labels
	squared      []float64  // the mean over all labels of the squared change of the mean filter
	profileError float64    // the mean relative distance of the squared profile from the true one's
	descent      energy.Descent
}

// trainAllLabels trains on every label vector.
func (t *theory) trainAllLabels(offset float32) (*randomLabels, error) {
	l, err := t.drawEqualClasses(offset)
	if err != nil {
		return nil, err
	}
	s, err := t.newLinearTraining(l, labelWidth, labelRate)
	if err != nil {
		return nil, err
	}
	r := &randomLabels{linearTask: l, descent: energy.Descent{Rate: labelRate, Width: labelWidth, Steps: labelSteps}}
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
	untrained, err := l.closed.Descend(make([]float64, labelImages), energy.MeanFilter(r.w0), r.descent)
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
		for i, v := range energy.MeanFilter(w) {
			r.squared[i] += (v - untrained[i]) * (v - untrained[i]) / all
		}
		w.Scale(1./all, w)
		r.mean.Add(r.mean, w)
	}
	return r, nil
}
