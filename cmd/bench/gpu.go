package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/graph/backend/gpu"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/device"
)

// onGPU makes ansatz and PyTorch compute on the same GPU, both with products in float32, and returns its name.
func (b *bench) onGPU() (name string, err error) {
	found, err := gpu.Devices()
	if err != nil {
		return "", err
	}
	if len(found) == 0 || found[0].Kind != device.GPU || found[0].Err != nil {
		return "", fmt.Errorf("there is no GPU that passes its test: %v", found)
	}
	for name, value := range map[string]string{"ANSATZ_BACKEND": "gpu", "BENCH_DEVICE": "cuda"} {
		if err := os.Setenv(name, value); err != nil {
			return "", err
		}
	}
	return strings.TrimPrefix(found[0].Name, "NVIDIA "), nil
}

// gpu times training steps. It also times PyTorch's with TF32, its default for convolutions, which has 10 bits of
// mantissa.
func (b *bench) gpu(ctx context.Context) (rows []row, err error) {
	name, err := b.onGPU()
	if err != nil {
		return nil, err
	}
	for _, n := range []trained{
		{"lenet", "LeNet", 128}, {"simplenet", "SimpleNet", 128}, {"resnet20", "ResNet-20", 128}, {"vgg11", "VGG-11 (CIFAR)", 128},
	} {
		r, err := b.gpuStep(ctx, n)
		if err != nil {
			return rows, err
		}
		r.Work = fmt.Sprintf("%s: training step of %s, batch %d", name, n.name, n.batch)
		rows = append(rows, r)
	}
	return rows, nil
}

// gpuCommands times commands that compute AGOPs and kernels.
func (b *bench) gpuCommands(ctx context.Context) (rows []row, err error) {
	name, err := b.onGPU()
	if err != nil {
		return nil, err
	}
	small, large := filepath.Join(b.peers, "resnet20.safetensors"), filepath.Join(b.peers, "resnet50.safetensors")
	if err := errors.Join(saveFresh("resnet20", classes, small), saveFresh("resnet50", 1000, large)); err != nil {
		return nil, err
	}
	for _, w := range []struct{ name, command, program string }{
		{"AGOP of ResNet-20, 2000 images, with nulls and error bars",
			"verify --arch resnet20 --weights " + small + " --data streetdigits --images 2000", "agop.py 2000"},
		{"RFM, 4000 digits, 3 iterations, 10 000 test digits",
			"rfm --data glyphs --train 4000 --test 10000 --iters 3 --select last", "rfm.py 4000 10000 3"},
		{"AGOP of ResNet-50 at 224×224, 256 images, 1000 outputs by 16 probes, with 2 draws of the null",
			"verify --arch resnet50 --weights " + large + " --data streetdigits --size 224 --images 256 --outputs probes:16 " +
				"--null-draws 2", "agop.py 256 16"},
		{"RFM, 20 000 digits, 3 iterations, 10 000 test digits",
			"rfm --data glyphs --train 20000 --test 10000 --iters 3 --select last", "rfm.py 20000 10000 3"},
	} {
		t, err := b.inTurn(ctx, strings.Fields(w.command), strings.Fields(w.program), nil)
		if err != nil {
			return rows, err
		}
		rows = append(rows, row{Work: name + ": " + w.name, Unit: "s", Ours: t.ours, Peer: t.peer},
			row{Work: "the same, the whole command", Unit: "s", Ours: t.whole, Peer: t.peer})
	}
	return rows, nil
}

// gpuStep times training steps in turn.
func (b *bench) gpuStep(ctx context.Context, n trained) (r row, err error) {
	self, err := os.Executable()
	if err != nil {
		return r, err
	}
	batch, peer := fmt.Sprint(n.batch), filepath.Join(b.peers, "step.py")
	var all []*stepper
	defer func() {
		for _, s := range all {
			s.stop()
		}
	}()
	for _, command := range [][]string{
		{self, "-serve", n.arch, "-batch", batch, "-backend", "gpu"},
		{b.python, peer, n.arch, batch, "contiguous"}, {b.python, peer, n.arch, batch, "channels_last"},
		{"env", "BENCH_TF32=1", b.python, peer, n.arch, batch, "channels_last"},
	} {
		s, err := newStepper(ctx, command[0], command[1:]...)
		if err != nil {
			return r, err
		}
		all = append(all, s)
	}
	times := make([][]float64, len(all))
	for i := range b.runs + 2 {
		for k, s := range all {
			ms, err := s.step(20)
			if err != nil {
				return r, err
			}
			if i >= 2 { // the first steps prepare
				times[k] = append(times[k], ms)
			}
		}
	}
	better := make([]float64, b.runs)
	for i := range better {
		better[i] = min(times[1][i], times[2][i])
	}
	net, err := newNetwork(n.arch, 1)
	if err != nil {
		return r, err
	}
	return row{Unit: "ms", Ours: times[0], Peer: better,
		Note: fmt.Sprintf("%.1f TFLOP/s; PyTorch with TF32 takes %.2g ms", stepFlops(net, n.batch)/(median(times[0])*1e9),
			median(times[3]))}, nil
}
