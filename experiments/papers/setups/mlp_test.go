package setups

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/experiments/cost"
	"github.com/ansatz-lab/ansatz/experiments/examples"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/kernelmachine"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"gonum.org/v1/gonum/mat"
)

// openGlyphs returns a few images of the generated digits.
func openGlyphs(t *testing.T, s examples.Spec) *examples.Set {
	t.Helper()
	s.Data = "glyphs"
	e, err := kernelmachine.OpenOwnExamples(t.Context(), study.Setting{Seed: 3}, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// W₁ − W₀ is 0 before training. A training is followed before it starts and after each epoch. NetworkDiagonal is the
// diagonal of NetworkMetric.
func TestMLPChange(t *testing.T) {
	e, err := kernelmachine.OpenOwnExamples(t.Context(), study.Setting{},
		examples.Spec{Data: "deadleaves", Train: 20, Test: 10})
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewMLP(study.Setting{Seed: 1}, NetworkSpec{Bias: true, Width: 5, Rate: .1, Epochs: 3, Batch: 8}, e)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if mat.Norm(n.Change(), 1) != 0 {
		t.Error("W₁ − W₀ is not zero before training")
	}
	epochs := 0
	if err := n.TrainFollowed(t.Context(), nil,
		func(context.Context, int) error { epochs++; return nil }); err != nil {
		t.Fatal(err)
	}
	if epochs != 4 || n.Trainer.Steps() != 9 {
		t.Errorf("followed %d times, %d steps", epochs, n.Trainer.Steps())
	}
	if mat.Norm(n.Change(), 1) == 0 {
		t.Error("W₁ − W₀ is zero after training")
	}
	diagonal := NetworkDiagonal(n.Net)
	for j, want := range NetworkMetric(n.Net).Diagonal() {
		if math.Abs(diagonal[j]-want) > 1e-9 {
			t.Fatalf("coordinate %d: %v, want %v", j, diagonal[j], want)
		}
	}
}

// The same seed trains the same network.
func TestMLPIsDeterministic(t *testing.T) {
	e := openGlyphs(t, examples.Spec{Train: 40, Test: 20})
	var first []float64
	for range 2 {
		n, err := NewMLP(study.Setting{Seed: 1, Threads: 1},
			NetworkSpec{Bias: true, Width: 8, Adam: true, Rate: .01, Epochs: 2, FirstStd: 1e-3}, e)
		if err != nil {
			t.Fatal(err)
		}
		if d := NetworkDiagonal(n.Net); slices.Max(d) > 8*25e-6 {
			t.Errorf("weights of standard deviation 1e-3 make a diagonal of %v", slices.Max(d))
		}
		err = n.Train(t.Context())
		d := NetworkDiagonal(n.Net)
		n.Close()
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !slices.Equal(d, first) {
			t.Error("not the same twice")
		}
		first = d
	}
}

// trainedDry is a spec whose run trains and tests a network.
type trainedDry struct{ NetworkSpec }

func (s *trainedDry) Run(ctx context.Context, in study.Setting) (*study.Outcome, error) {
	e, err := kernelmachine.OpenOwnExamples(ctx, in, examples.Spec{Data: "glyphs", Train: 40, Test: 20})
	if err != nil {
		return nil, err
	}
	n, err := NewMLP(in, s.NetworkSpec, e)
	if err != nil {
		return nil, err
	}
	defer n.Close()
	if err := n.Train(ctx); err != nil {
		return nil, err
	}
	_, err = n.Accuracy(ctx, e.Test)
	return nil, err
}

// A dry run counts the training and its tests as one job.
func TestMLPDryRun(t *testing.T) {
	jobs, err := study.DryRun(&trainedDry{NetworkSpec{Width: 8, Epochs: 3, Batch: 16}})
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%+v, %v", jobs, err)
	}
	if j := jobs[0].(cost.Training); j.Steps != 9 || j.Images != 120 || j.Tested != 20 || j.Layers != 3 ||
		j.Parameters != 784*8+8*8+8*10 {
		t.Errorf("%+v", j)
	}
}

func TestMLPBadInput(t *testing.T) {
	e := openGlyphs(t, examples.Spec{Train: 20})
	for _, s := range []NetworkSpec{
		{}, {Width: 4}, {Width: 4, Epochs: 1, Batch: -1}, {Width: 4, Epochs: 1, Rate: -1},
		{Width: 4, Epochs: 1, Rate: .1, Decay: .1},
	} {
		if n, err := NewMLP(study.Setting{}, s, e); !input.IsError(err) {
			t.Errorf("%+v: %v, %v", s, n, err)
		}
	}
}

// Trainings of a seed on other examples or with other settings have separate checkpoints.
func TestTrainingsAreToldApart(t *testing.T) {
	in := study.Setting{Seed: 1, Threads: 1}.WithCheckpoints(t.TempDir()).KeepAll()
	spec := NetworkSpec{Width: 4, Rate: .1, Epochs: 2}
	train := func(spec NetworkSpec, images int) (steps int) {
		t.Helper()
		m, err := NewMLP(in, spec, openGlyphs(t, examples.Spec{Train: images}))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		err = m.TrainFollowed(t.Context(), spec, func(_ context.Context, epoch int) error {
			if epoch > 0 {
				steps++
			}
			return nil
		})
		if err != nil || m.Trainer.Steps() != spec.Epochs {
			t.Fatalf("%d steps, %v", m.Trainer.Steps(), err)
		}
		return steps
	}
	other := spec
	other.Rate = .2
	for _, c := range []struct {
		spec         NetworkSpec
		images, want int
	}{{spec, 20, 2}, {spec, 20, 0}, {spec, 30, 2}, {other, 20, 2}, {spec, 20, 0}} {
		if got := train(c.spec, c.images); got != c.want {
			t.Errorf("%+v on %d images took %d steps, want %d", c.spec, c.images, got, c.want)
		}
	}
}

// A network with squares as activation computes W₂(W₁x)².
func TestSquares(t *testing.T) {
	e := openGlyphs(t, examples.Spec{Train: 20})
	m, err := NewDeepMLP(study.Setting{Seed: 1}, NetworkSpec{Width: 3, Epochs: 1, Rate: .1, Squares: true}, 1, e.Train)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	got, err := PredictNetwork(t.Context(), m.Device, m.Net, e.Train.X)
	if err != nil {
		t.Fatal(err)
	}
	var hidden, want mat.Dense
	hidden.Mul(e.Train.X, FirstFilters(m.Net).T())
	hidden.MulElem(&hidden, &hidden)
	want.Mul(&hidden, m.Net.Filters("last").T())
	if !mat.EqualApprox(got, &want, 1e-4*mat.Norm(&want, 2)) {
		t.Errorf("%v, want %v", mat.Formatted(got), mat.Formatted(&want))
	}
}
