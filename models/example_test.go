package models_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// Lookup returns an architecture by its name. Its parameters have the names and shapes of PyTorch's state dict, and so
// the same number. Fresh draws none of the weights.
func ExampleLookup() {
	a, err := models.Lookup("resnet20")
	if err != nil {
		log.Fatal(err)
	}
	for _, width := range []float64{1, .5} {
		a.Width = width
		fresh, err := a.Fresh(a.Input, 10, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(a.Name, a.Input, "width", width, fresh.Size(), "weights")
	}
	// Output:
	// resnet20 3×32×32 width 1 269722 weights
	// resnet20 3×32×32 width 0.5 68050 weights
}

// A network learns to tell bright images from dark ones.
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
	t, err := models.NewTrainer(net, device, models.TrainOptions{Batch: 4, Optimiser: models.Adam{LR: .01}})
	if err != nil {
		log.Fatal(err)
	}
	px, labels := []float32{.9, .8, .9, 1, .1, 0, .2, .1, .7, .9, .8, .8, .3, .1, .2, 0}, []int{1, 0, 1, 0}
	ctx := context.Background()
	for step := range 51 {
		score, err := t.Step(ctx, px, labels) // the score before the step
		if err != nil {
			log.Fatal(err)
		}
		if step%25 == 0 {
			fmt.Printf("step %d: %d of %d right, loss %.2f\n", step, score.Correct, score.Images, score.MeanLoss())
		}
	}
	// Output:
	// step 0: 2 of 4 right, loss 0.70
	// step 25: 4 of 4 right, loss 0.26
	// step 50: 4 of 4 right, loss 0.06
}

// A training is stopped after its second epoch. A second call of train, which could be in another process, resumes it.
func ExampleLoop() {
	dir, err := os.MkdirTemp("", "ansatz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	device, err := backend.Open(backend.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	rows := &models.Rows{Pixels: []float32{.9, .1, .8, .2, .7, .3, .6, .4}, Size: 1,
		Labels: []int{1, 0, 1, 0, 1, 0, 1, 0}, Batch: 4, Seed: 1}
	train := func(ctx context.Context, stop func()) error {
		a, err := models.Lookup("mlp:16")
		if err != nil {
			return err
		}
		net, err := a.InitNetwork(models.Shape{Channels: 1, Height: 1, Width: 1}, 2, 1)
		if err != nil {
			return err
		}
		t, err := models.NewTrainer(net, device, models.TrainOptions{Batch: 4, Optimiser: models.Adam{LR: .05}})
		if err != nil {
			return err
		}
		l := &models.Loop{Trainer: t, Batches: rows, Epochs: 4, Path: filepath.Join(dir, "run.checkpoint")}
		l.EndEpoch = func(context.Context) error {
			fmt.Printf("epoch %d: loss %.2f\n", l.Epoch()+1, l.Position().Running.MeanLoss())
			if l.Epoch() == 1 {
				stop()
			}
			return nil
		}
		if _, err := l.Resume(); err != nil {
			return err
		}
		if err := l.Run(ctx); ctx.Err() == nil {
			return err
		}
		return l.Save()
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for _, ctx := range []context.Context{ctx, context.Background()} {
		if err := train(ctx, stop); err != nil {
			log.Fatal(err)
		}
		fmt.Println("stopped:", ctx.Err() != nil)
	}
	// Output:
	// epoch 1: loss 0.72
	// epoch 2: loss 0.62
	// stopped: true
	// epoch 3: loss 0.54
	// epoch 4: loss 0.47
	// stopped: false
}

// A checkpoint holds everything that a training needs to resume: the next step is the same, bit for bit.
func ExampleSaveCheckpoint() {
	dir, err := os.MkdirTemp("", "ansatz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
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
	options := models.TrainOptions{Batch: 2, Optimiser: models.SGD{LR: .1, Momentum: .9}}
	t, err := models.NewTrainer(net.Clone(), device, options)
	if err != nil {
		log.Fatal(err)
	}
	ctx, px, labels := context.Background(), []float32{.9, .8, .9, 1, .1, 0, .2, .1}, []int{1, 0}
	for range 10 {
		if _, err := t.Step(ctx, px, labels); err != nil {
			log.Fatal(err)
		}
	}
	path := filepath.Join(dir, "checkpoint.safetensors")
	if err := models.SaveCheckpoint(path, t.State(), map[string]string{"data": "bright and dark"}); err != nil {
		log.Fatal(err)
	}

	state, notes, err := models.OpenCheckpoint(path)
	if err != nil {
		log.Fatal(err)
	}
	again, err := models.NewTrainer(net.Clone(), device, options)
	if err != nil {
		log.Fatal(err)
	}
	if err := again.Restore(state); err != nil {
		log.Fatal(err)
	}
	one, err := t.Step(ctx, px, labels)
	if err != nil {
		log.Fatal(err)
	}
	other, err := again.Step(ctx, px, labels)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(notes["data"], again.Steps(), one == other)
	// Output:
	// bright and dark 11 true
}

// NTK computes the tangent kernel of a network at four images. Two of the images are nearly the same, and so are their
// rows of the Jacobian.
func ExampleNetwork_NTK() {
	a, err := models.Lookup("mlp:64")
	if err != nil {
		log.Fatal(err)
	}
	net, err := a.InitNetwork(models.Shape{Channels: 1, Height: 2, Width: 2}, 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	px := []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, .1}
	kernel, err := net.NTK(context.Background(), px, models.NTKOptions{Precision: graph.Double})
	if err != nil {
		log.Fatal(err)
	}
	s, err := kernels.NewSpectrum(kernel.Gram, graph.Double)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("J has %d rows and %d columns, its singular values are %.2f\n",
		kernel.Gram.Rows(), kernel.Parameters, s.Singular)
	fmt.Printf("rank %d, effective rank %.1f, condition %.0f\n", s.Rank, s.EffectiveRank, s.Condition)
	// Output:
	// J has 4 rows and 385 columns, its singular values are [4.80 2.03 1.64 0.14]
	// rank 4, effective rank 2.9, condition 34
}

// The linearization of a network at its initial weights fits any targets if the tangent kernel has full rank. It learns
// no features.
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
	fmt.Println(kernel.Gram.Rows(), "rows by", solution.Method+", residual below 1e-6:", mat.Norm(f, 2) < 1e-6)
	// Output: 8 rows by cholesky, residual below 1e-6: true
}
