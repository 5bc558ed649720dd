package ntkpaper

import (
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/tangent"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// Gradient descent with weight decay on a linearization converges to the limit whose ridge corresponds to that decay:
// their outputs on test images agree. The limit without a ridge is different.
func TestDescentTendsToTheLimit(t *testing.T) {
	const decay, images, steps = .1, 6, 600
	ctx, in := t.Context(), study.Setting{Seed: 1, Threads: 1}
	l, err := tangent.NewLinearization(ctx, tangent.LinearizeSpec{Method: tangent.SolveMethod, Spec: train.Spec{
		Arch: "lenet", Width: .2, Data: "glyphs", Train: images, Test: 10, Shift: 2, LR: .1, Momentum: .9,
		WeightDecay: decay, Precision: 64, Threads: 1, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	net, set := l.Training.Network(), l.Training.Images()
	train1, labels, err := readImages(ctx, set, set.Train, 0, images)
	if err != nil {
		t.Fatal(err)
	}
	test, _, err := readImages(ctx, set, set.Test, 0, set.Test.Len())
	if err != nil {
		t.Fatal(err)
	}
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m, err := net.Linearize(d, images, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := net.NTK(ctx, train1, models.NTKOptions{Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	limit := func(ridge float64) *mat.Dense {
		if _, err := m.Dual(ctx, train1, kernel, rfm.OneHot(labels, net.Classes), ridge); err != nil {
			t.Fatal(err)
		}
		out, err := m.Predict(ctx, test)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	batches := train.ImageBatches{Pipeline: &data.Pipeline{Dataset: set.Train, Normalisation: set.Normalisation,
		Batch: images, Seed: 1}}
	options := l.Training.Plan.Options
	options.Batch = images
	descent, err := train.NewNetworkTraining(in, net, batches, steps, options)
	if err != nil {
		t.Fatal(err)
	}
	defer descent.Close()
	if err := descent.Run(ctx); err != nil {
		t.Fatal(err)
	}
	reached, err := descent.Trainer.Outputs(ctx, test)
	if err != nil {
		t.Fatal(err)
	}
	distance := func(from *mat.Dense) float64 {
		var difference mat.Dense
		difference.Sub(mat.DenseCopyOf(reached), from)
		return mat.Norm(&difference, 2) / mat.Norm(from, 2)
	}
	ridge := decayRidge(decay, images*net.Classes)
	if with, without := distance(limit(ridge)), distance(limit(0)); with > 1e-7 || without < 1e-2 {
		t.Errorf("descent is %.2g from the limit with ridge %g, %.2g from that without", with, ridge, without)
	}
}

// TestLimits checks that a gap is the sum of its parts, and that the limits agree with the solver of package tangent.
// In a task with limits, all trainings use the images that the linear system is solved for, which are shifted once. In
// a task without limits the images are shifted anew.
func TestLimits(t *testing.T) {
	s := &GapSpec{Arch: "lenet", Epochs: 8, Batch: 10, Momentum: .9, Network: DescentSpec{.1, 5e-5},
		Linear: []DescentSpec{{.05, 1e-3}, {.05, 0}}, Tasks: []GapTask{{Name: "mnist", Data: "glyphs", Train: 40, Test: 100,
			Shift: 3, Widths: []float64{.3, .5}, Limit: true}}}
	in := study.Setting{Seed: 1, Threads: 1}
	o, err := s.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	value := func(m study.Measure) float64 { return o.Value(m.Of("mnist")) }
	if gap, sum := value(gapFirst), value(unconvergedFirst)+value(featuresFirst); math.Abs(gap-sum) > 1e-9 ||
		value(unconvergedFirst) == 0 || value(featuresFirst) == 0 {
		t.Errorf("the gap is %v, its parts are %v and %v", gap, value(unconvergedFirst), value(featuresFirst))
	}
	spec := s.trainSpec(in, s.Tasks[0], .3)
	l, err := tangent.NewLinearization(t.Context(), tangent.LinearizeSpec{Spec: spec, Method: tangent.SolveMethod})
	if err != nil {
		t.Fatal(err)
	}
	want, err := l.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := solveLimits(t.Context(), in, "limit", l, s.limitRidges(40*10))
	if err != nil {
		t.Fatal(err)
	}
	if r := want.Solutions[0]; len(found) != 3 || found[0].Ridge != .2 || found[2].Test != r.Test.Accuracy ||
		found[2].Train != r.Train.Accuracy || math.Abs(found[2].Norm-r.Norm) > 1e-3*r.Norm {
		t.Errorf("the limits are %+v, the solution is %+v", found, r)
	}
	spec.LR, spec.WeightDecay = s.Network.Rate, s.Network.Decay
	same, err := trainAccuracies(t.Context(), in, "same", spec, l.Training.Images(), new(study.Outcome))
	if err != nil {
		t.Fatal(err)
	}
	anew, err := trainAccuracies(t.Context(), in, "anew", spec, nil, new(study.Outcome))
	if err != nil {
		t.Fatal(err)
	}
	if got := 100 * (same.train - found[0].Train); got != value(trainFeaturesFirst) || same == anew {
		t.Errorf("on the same images %+v, shifted anew %+v, measured %v", same, anew, value(trainFeaturesFirst))
	}
}

// The record names both of two sets of as many images of one dataset, of which one is shifted, and counts sets of equal
// names and sizes once.
func TestRecordImages(t *testing.T) {
	var o study.Outcome
	for _, shift := range []int{2, 0, 0} {
		spec := train.Spec{Arch: "lenet", Data: "glyphs", Train: 6, Test: 5, Shift: shift, Epochs: 1, Batch: 3}
		trained, err := train.NewTraining(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := recordImages(&o, spec, trained.Images()); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, d := range o.Data {
		names = append(names, d.Name)
	}
	if want := []string{"glyphs, shifted, training", "glyphs, shifted, test", "glyphs, training",
		"glyphs, test"}; !slices.Equal(names, want) || o.Data[1].SHA256 == o.Data[3].SHA256 {
		t.Errorf("%+v, want %q with different test images", o.Data, want)
	}
}
