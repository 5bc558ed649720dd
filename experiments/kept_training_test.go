package experiments

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// The network beside a kernel machine goes on from the epoch in which it was stopped:
// no epoch ends twice, and what is found is the same to the bit.
func TestNetworkBesideMachineGoesOn(t *testing.T) {
	for _, id := range []string{"rfm/fig3", "rfm/fig7", "rfm/fig8", "rfm/fig9", "cnfa/fig5"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			undisturbed, stopped := t.TempDir(), t.TempDir()
			total, err := runNetworks(t, id, undisturbed, 0)
			if err != nil || total < 2 {
				t.Fatalf("%d epochs, %v", total, err)
			}
			first, err := runNetworks(t, id, stopped, 1)
			var interrupted *InterruptedError
			if !errors.As(err, &interrupted) || first != 1 {
				t.Fatalf("stopped after %d epochs: %v", first, err)
			}
			second, err := runNetworks(t, id, stopped, 0)
			if err != nil || first+second != total {
				t.Errorf("%d and %d epochs, want %d: %v", first, second, total, err)
			}
			sameFound(t, undisturbed, stopped)
		})
	}
}

// runNetworks runs a seed at scale smoke, and stops it when so many epochs of networks
// have ended, 0 for never. It returns how many have.
func runNetworks(t *testing.T, id, out string, stop int) (epochs int, err error) {
	t.Helper()
	e, err := All().Find(id)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	in := Setting{Seed: 3, Threads: 1, keepAll: true, Progress: func(stage string, _, _ int) {
		if !strings.Contains(stage, "training the network") {
			return
		}
		if epochs++; epochs == stop {
			cancel()
		}
	}}
	backend.SetBLASThreads(in.Threads)
	_, err = ExperimentRun{Experiment: e, Scale: Smoke, Seeds: 1, Setting: in, Out: out, Resume: true}.Run(ctx)
	return epochs, err
}

// Trainings of a seed on other examples, or with other settings, do not go on from one
// another's checkpoint.
func TestTrainingsAreToldApart(t *testing.T) {
	in := Setting{Seed: 1, Threads: 1, Kept: t.TempDir(), keepAll: true}
	spec := NetworkSpec{Width: 4, Rate: .1, Epochs: 2}
	train := func(spec NetworkSpec, images int) (steps int) {
		t.Helper()
		m, err := newMLP(in, spec, openGlyphs(t, ExamplesSpec{Train: images}))
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		err = m.trainFollowed(t.Context(), in, spec, func(_ context.Context, epoch int) error {
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
