package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// serve is the process behind a [stepper] of ours. It takes training steps on random images.
func serve(ctx context.Context, arch string, batch int, o backend.Options) error {
	n, err := newNetwork(arch)
	if err != nil {
		return err
	}
	d, err := backend.Open(o)
	if err != nil {
		return err
	}
	defer d.Close()
	t, err := models.NewTrainer(n, d, models.TrainOptions{Batch: batch, Optimiser: models.SGD{LR: .01, Momentum: .9}})
	if err != nil {
		return err
	}
	px, labels := make([]float32, batch*n.Input.Channels*n.Input.Height*n.Input.Width), make([]int, batch)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range px {
		px[i] = float32(rng.NormFloat64())
	}
	for i := range labels {
		labels[i] = rng.IntN(classes)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		times := make([]float64, n)
		for i := range times {
			start := time.Now()
			if _, err := t.Step(ctx, px, labels); err != nil {
				return err
			}
			times[i] = time.Since(start).Seconds() * 1e3
		}
		fmt.Println(median(times))
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return err
	}
	fmt.Println(u.Maxrss * 1024)
	return nil
}

const classes = 10

// newNetwork returns an initialised network for digits or for CIFAR's images.
func newNetwork(arch string) (*models.Network, error) {
	a, err := models.Lookup(arch)
	if err != nil {
		return nil, err
	}
	in := models.Shape{Channels: 3, Height: 32, Width: 32}
	if a.Input.Channels == 1 {
		in = a.Input
	}
	return a.InitNetwork(in, classes, 1)
}

// flops returns the floating point operations of a step: three products for each layer, for its value and
// both gradients, but two for the first, whose input needs no gradient.
func (n trained) flops() float64 {
	net, err := newNetwork(n.arch)
	if err != nil {
		return 0
	}
	sum := 0.
	for i, l := range net.Layers() {
		products := 3.
		if i == 0 {
			products = 2
		}
		sum += products * 2 * float64(n.batch*l.Positions) * float64(l.PatchSize()*l.Filters)
	}
	return sum
}

// sgemmPeak returns the GFLOP/s of a matrix product of 2048³.
func sgemmPeak() (float64, error) {
	d, err := backend.Open(backend.Options{})
	if err != nil {
		return 0, err
	}
	defer d.Close()
	const n = 2048
	a, b, c := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	best := 0.
	for range 8 {
		err := d.Do(func() error {
			start := time.Now()
			d.Float32().Gemm(false, false, n, n, n, a, b, 0, c)
			best = max(best, 2*n*n*n/time.Since(start).Seconds()/1e9)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return best, nil
}
