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

// serve is the process behind a [stepper] of ansatz. It takes training steps on random images.
func serve(ctx context.Context, arch string, batch int, o backend.Options) error {
	n, err := newNetwork(arch, 1)
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
