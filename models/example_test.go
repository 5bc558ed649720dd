package models_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
)

// A network in a few lines of TOML.
func ExampleParse() {
	a, err := models.Parse([]byte(`
input = [1, 28, 28]

[[layer]]
type = "conv"
name = "conv1"
filters = 8
kernel = 5

[[layer]]
type = "relu"

[[layer]]
type = "maxpool"
size = 2

[[layer]]
type = "linear"
name = "fc"
`))
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(a.Input, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range net.Layers() {
		fmt.Println(l.Name, l.Kind, l.Filters, l.Patch, l.Positions)
	}
	fmt.Println(net.Size(), "weights")
	// Output:
	// conv1 conv 8 [1 5 5] 576
	// fc linear 10 [1152] 1
	// 11738 weights
}

// A network that learns to tell bright images from dark ones, and goes on from
// where it stood.
func ExampleTrainer() {
	a, err := models.Lookup("mlp:16")
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(models.Shape{Channels: 1, Height: 2, Width: 2}, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	device, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	options := models.TrainOptions{Batch: 4, Optimiser: models.Adam{LR: .05}}
	t, err := models.NewTrainer(net, device, options)
	if err != nil {
		log.Fatal(err)
	}
	px, labels := []float32{.9, .8, .9, 1, .1, 0, .2, .1, .7, .9, .8, .8, .3, .1, .2, 0}, []int{1, 0, 1, 0}
	ctx := context.Background()
	for range 50 {
		if _, err := t.Step(ctx, px, labels); err != nil {
			log.Fatal(err)
		}
	}
	again, err := models.NewTrainer(net.Clone(), device, options)
	if err != nil {
		log.Fatal(err)
	}
	if err := again.Restore(t.State()); err != nil {
		log.Fatal(err)
	}
	score, err := again.Evaluate(ctx, px, labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Steps(), "steps,", score.Correct, "of", score.Images, "right, loss below .01:", score.MeanLoss() < .01)
	// Output: 50 steps, 4 of 4 right, loss below .01: true
}
