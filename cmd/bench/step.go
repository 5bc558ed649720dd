package main

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"time"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// The network of the training step, and the same in PyTorch.
var (
	//go:embed step.toml
	stepArchitecture []byte
	//go:embed step.py
	stepPeer string
)

const stepBatch = 64

// step is a training step: forward, cross-entropy, backward, SGD. PyTorch takes
// the better of its two layouts.
func (b *bench) step(ctx context.Context) ([]row, error) {
	ours, err := newOurStep()
	if err != nil {
		return nil, err
	}
	defer ours.device.Close()
	plain, err := b.newPeerStep(ctx, "contiguous")
	if err != nil {
		return nil, err
	}
	defer plain.stop()
	last, err := b.newPeerStep(ctx, "channels_last")
	if err != nil {
		return nil, err
	}
	defer last.stop()
	var us, them []float64
	for i := range 5 * b.runs {
		mine, err := ours.time(ctx)
		if err != nil {
			return nil, err
		}
		p, err := plain.time()
		if err != nil {
			return nil, err
		}
		q, err := last.time()
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first step prepares
			us, them = append(us, mine), append(them, min(p, q))
		}
	}
	return []row{compare("a training step, 3 convolutions, batch 64 of 32×32", us, them, "%.0f ms")}, nil
}

// ourStep takes steps with random images.
type ourStep struct {
	device  *backend.Device
	trainer *models.Trainer
	px      []float32
	labels  []int
}

func newOurStep() (*ourStep, error) {
	a, err := models.Parse(stepArchitecture)
	if err != nil {
		return nil, err
	}
	n, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		return nil, err
	}
	d, err := backend.Open(backend.Options{})
	if err != nil {
		return nil, err
	}
	s := &ourStep{device: d, px: make([]float32, stepBatch*3*32*32), labels: make([]int, stepBatch)}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range s.px {
		s.px[i] = float32(rng.NormFloat64())
	}
	for i := range s.labels {
		s.labels[i] = rng.IntN(10)
	}
	s.trainer, err = models.NewTrainer(n, d, stepBatch, models.SGD{LR: .01}, 0)
	return s, err
}

func (s *ourStep) time(ctx context.Context) (ms float64, err error) {
	start := time.Now()
	_, _, err = s.trainer.Step(ctx, s.px, s.labels)
	return time.Since(start).Seconds() * 1e3, err
}

// peerStep is a Python process that takes a step whenever it reads a line.
type peerStep struct {
	cmd *exec.Cmd
	in  interface{ Write([]byte) (int, error) }
	out *bufio.Reader
}

func (b *bench) newPeerStep(ctx context.Context, layout string) (*peerStep, error) {
	c := exec.CommandContext(ctx, b.python, "-c", stepPeer, layout)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peerStep{cmd: c, in: in, out: bufio.NewReader(out)}, c.Start()
}

func (p *peerStep) time() (ms float64, err error) {
	if _, err := fmt.Fprintln(p.in, "step"); err != nil {
		return 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the PyTorch peer: %w", err)
	}
	_, err = fmt.Sscan(line, &ms)
	return ms, err
}

func (p *peerStep) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
