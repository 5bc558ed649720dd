package ntkpaper

import (
	"context"
	"math"

	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/experiments/record"
	"github.com/ansatz-lab/ansatz/experiments/study"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// kernelFollower measures the kernel of a network that is being trained.
type kernelFollower struct {
	training *train.Training
	in       study.Setting
	px       []float32 // of the probes
	initial  *mat.SymDense
	path     *kernelPath
}

// begin reads the probes and computes the initial kernel, and that of other
// initial weights.
func (k *kernelFollower) begin(ctx context.Context, probes int) error {
	set, _, err := k.training.Images().Probes(probes)
	if err != nil {
		return err
	}
	k.px = make([]float32, set.Len()*set.Shape().Pixels())
	loader := &data.Loader{Dataset: set, Normalisation: k.training.Images().Normalisation}
	if err := loader.Load(ctx, 0, set.Len(), k.px, make([]int, set.Len())); err != nil {
		return err
	}
	if k.initial, err = k.kernel(ctx, k.training.Network()); err != nil {
		return err
	}
	return k.compareAnother(ctx)
}

// compareAnother takes note of the kernel of other initial weights.
func (k *kernelFollower) compareAnother(ctx context.Context) error {
	net := k.training.Network()
	another, err := net.Arch.InitNetwork(net.Input, net.Classes, models.Stream(k.in.Seed, "other initial weights").Uint64())
	if err != nil {
		return err
	}
	kernel, err := k.kernel(ctx, another)
	if err != nil {
		return err
	}
	c, err := models.CompareKernels(kernel, k.initial)
	if err == nil {
		k.path.Another = *c
	}
	return err
}

func (k *kernelFollower) kernel(ctx context.Context, n *models.Network) (*mat.SymDense, error) {
	ntk, err := n.NTK(ctx, k.px, models.NTKOptions{Threads: k.in.Threads, Memory: record.AvailableMemory()})
	if err != nil {
		return nil, err
	}
	return ntk.Gram, nil
}

// after measures how far the kernel is from the initial one after an epoch.
func (k *kernelFollower) after(ctx context.Context, _ int) error {
	now, err := k.kernel(ctx, k.training.Network())
	if err != nil {
		return err
	}
	c, err := models.CompareKernels(now, k.initial)
	if err != nil {
		return err
	}
	k.path.Changes = append(k.path.Changes, *c)
	return nil
}

// weightChange is ‖w − w₀‖/‖w₀‖ over all parameters.
func weightChange(now, before *models.Network) float64 {
	change, norm := 0., 0.
	for _, p := range now.Parameters() {
		a, b := now.Value(p.Name).Float32s(), before.Value(p.Name).Float32s()
		for i := range a {
			change += float64(a[i]-b[i]) * float64(a[i]-b[i])
			norm += float64(b[i]) * float64(b[i])
		}
	}
	return math.Sqrt(change / norm)
}
