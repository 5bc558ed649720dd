package models_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
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

// The linearization of a network at its initial weights fits any targets, as
// many as its tangent kernel has rank, without learning a feature.
func ExampleLinearized() {
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
	px := []float32{.9, .8, .9, 1, .1, 0, .2, .1, .7, .9, .8, .8, .3, .1, .2, 0}
	targets := mat.NewDense(4, 2, []float64{0, 1, 1, 0, 1, 0, 0, 1})
	ctx := context.Background()
	kernel, err := net.NTK(ctx, px, models.NTKOptions{Precision: graph.Double})
	if err != nil {
		log.Fatal(err)
	}
	lin, err := net.Linearize(device, 4, graph.Double)
	if err != nil {
		log.Fatal(err)
	}
	solution, err := lin.Dual(ctx, px, kernel, targets, 0)
	if err != nil {
		log.Fatal(err)
	}
	f, err := lin.Predict(ctx, px)
	if err != nil {
		log.Fatal(err)
	}
	f.Sub(f, targets)
	fmt.Println(kernel.Gram.SymmetricDim(), "rows by", solution.Method+", residual below 1e-6:", mat.Norm(f, 2) < 1e-6)
	// Output: 8 rows by cholesky, residual below 1e-6: true
}
