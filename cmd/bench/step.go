package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// trained is a network whose training step is timed.
type trained struct {
	arch, name string
	batch      int
}

var stepsOf = []trained{
	{"lenet", "LeNet", 32},
	{"simplenet", "SimpleNet", 128},
	{"resnet20", "ResNet-20", 128},
	{"vgg11", "VGG-11 (CIFAR)", 128},
}

// step times a training step of each network: forward, cross-entropy, backward,
// SGD with momentum, on images that lie in memory. PyTorch takes the better of
// its two layouts. Where the processor has bfloat16, ansatz takes steps in it too.
func (b *bench) step(ctx context.Context) ([]row, error) {
	var rows []row
	for _, n := range stepsOf {
		more, err := b.stepOf(ctx, n)
		if err != nil {
			return rows, fmt.Errorf("%s: %w", n.name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (b *bench) stepOf(ctx context.Context, n trained) ([]row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	batch, peer := fmt.Sprint(n.batch), filepath.Join(b.peers, "step.py")
	start := func(name string, args ...string) *stepper {
		var s *stepper
		if err == nil {
			s, err = newStepper(ctx, name, args...)
		}
		return s
	}
	ours := start(self, "-serve", n.arch, "-batch", batch)
	contiguous := start(b.python, peer, n.arch, batch, "contiguous")
	last := start(b.python, peer, n.arch, batch, "channels_last")
	pure := start(self, "-serve", n.arch, "-batch", batch, "-backend", "go")
	all := []*stepper{ours, contiguous, last, pure}
	if backend.HasBF16() {
		all = append(all, start(self, "-serve", n.arch, "-batch", batch, "-bf16"))
	}
	defer func() {
		for _, s := range all {
			if s != nil {
				s.stop()
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	// Short steps come many at a turn: the threads of a process whose turn has
	// just ended spin for some milliseconds.
	rounds, steps := 2*b.runs, 1
	if n.batch < 64 {
		steps = 50
	}
	times := make([][]float64, len(all))
	for i := range rounds + 2 {
		for k, s := range all {
			ms, err := s.step(steps)
			if err != nil {
				return nil, err
			}
			if i >= 2 { // the first steps prepare
				times[k] = append(times[k], ms)
			}
		}
	}
	better := make([]float64, rounds)
	for i := range better {
		better[i] = min(times[1][i], times[2][i])
	}
	memory := make([]float64, len(all))
	for k, s := range all {
		if memory[k], err = s.memory(); err != nil {
			return nil, err
		}
	}
	name := fmt.Sprintf("training step of %s, batch %d", n.name, n.batch)
	net, err := newNetwork(n.arch, 1)
	if err != nil {
		return nil, err
	}
	flops := stepFlops(net, n.batch)
	rows := []row{
		{Work: name, Unit: "ms", Ours: times[0], Peer: better, Flops: flops},
		{Work: name + ", pure Go", Unit: "ms", Ours: times[3], Peer: better, Flops: flops},
		{Work: name + ", peak memory", Unit: "MB", Ours: []float64{memory[0] / 1e6},
			Peer: []float64{slices.Min(memory[1:3]) / 1e6}},
	}
	if len(all) > 4 {
		rows = append(rows, row{Work: name + ", in bfloat16", Unit: "ms", Ours: times[4], Peer: better, Flops: flops,
			Note: fmt.Sprintf("%.2f of our time in float32, peak memory %.0f MB, %.2f", median(times[4])/median(times[0]),
				memory[4]/1e6, memory[4]/memory[0])})
	}
	return rows, nil
}
