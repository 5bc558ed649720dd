package rfm_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// draw returns n points of ten features, of whose first two the target is the
// product.
func draw(rng *rand.Rand, n int) (x, y *mat.Dense) {
	x, y = mat.NewDense(n, 10, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range 10 {
			x.Set(i, j, rng.NormFloat64())
		}
		y.Set(i, 0, x.At(i, 0)*x.At(i, 1))
	}
	return x, y
}

// A kernel machine finds out which features matter.
func Example() {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := draw(rng, 500)
	testX, testY := draw(rng, 500)

	machine := rfm.Machine{Kernel: rfm.Laplace{Bandwidth: 10}, Ridge: 1e-3, Iterations: 5}
	machine.Each = func(it *rfm.Iteration) error {
		s, err := it.Model().Score(ctx, testX, testY)
		if it.Index <= 1 {
			fmt.Printf("iteration %d: test R² %.2f\n", it.Index, s.R2)
		}
		return err
	}
	model, err := machine.Fit(ctx, x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := model.Score(ctx, testX, testY)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the one that is best on held-out examples: test R² %.2f\n", s.R2)

	m := model.Metric()
	d := m.Diagonal()
	fmt.Printf("the first two of ten features have %.0f %% of the trace of M\n", 100*(d[0]+d[1])/m.Trace())
	// Output:
	// iteration 0: test R² 0.79
	// iteration 1: test R² 0.95
	// the one that is best on held-out examples: test R² 0.96
	// the first two of ten features have 100 % of the trace of M
}

// A convolutional kernel machine tells lying from standing stripes, and learns a
// metric of their patches.
func ExampleConvMachine() {
	const n, side = 8, 6
	e := rfm.ImageExamples{
		X: rfm.Images{Height: side, Width: side, Channels: 1, Pixels: make([]float32, n*side*side)},
		Y: rfm.OneHot([]int{0, 1, 0, 1, 0, 1, 0, 1}, 2),
	}
	for i := range n {
		for p := range side * side {
			along := []int{p / side, p % side}[i%2]
			e.X.Image(i)[p] = float32(i/2+1) * float32((along+i/4)%2)
		}
	}
	machine := rfm.ConvMachine{Kernel: rfm.CNTK{Layers: 2}, Ridges: []float64{1e-3}, Iterations: 1, Task: rfm.Classification}
	model, err := machine.Fit(context.Background(), e)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores, err := model.Score(context.Background(), e.X, e.Y)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("accuracy %.2f, a metric of patches of %d pixels\n", scores.Accuracy, model.Layers()[0].Metric.Dim())
	// Output: accuracy 1.00, a metric of patches of 9 pixels
}
