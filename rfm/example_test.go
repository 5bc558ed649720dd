package rfm_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/optim"
	"github.com/ansatz-lab/ansatz/rfm"
	"gonum.org/v1/gonum/mat"
)

// draw returns n points of ten features. The target is the product of the first two.
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
		log.Fatal(err)
	}
	s, err := model.Score(ctx, testX, testY)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the one that is best on held-out examples: test R² %.2f\n", s.R2)

	m := model.Metric()
	d := m.Diagonal()
	fmt.Printf("the first two of ten features have %.0f %% of the trace of M\n", 100*(d[0]+d[1])/m.Trace())
	var e mat.EigenSym
	if !e.Factorize(m.Dense(), true) {
		log.Fatal("M has no eigenvectors")
	}
	var v mat.Dense
	e.VectorsTo(&v) // by columns, the largest eigenvalue last
	fmt.Printf("and %.0f %% of the length of its top eigenvector\n", 100*math.Hypot(v.At(0, 9), v.At(1, 9)))
	// Output:
	// iteration 0: test R² 0.79
	// iteration 1: test R² 0.95
	// the one that is best on held-out examples: test R² 0.96
	// the first two of ten features have 100 % of the trace of M
	// and 100 % of the length of its top eigenvector
}

// A model is saved as safetensors and JSON, with metadata. When it is loaded again, it predicts the same.
func ExampleModel_Save() {
	ctx := context.Background()
	x, y := draw(rand.New(rand.NewPCG(1, 2)), 200)
	machine := rfm.Machine{Ridge: 1e-3, Iterations: 1, Select: rfm.Last, Precision: graph.Double}
	model, err := machine.Fit(ctx, x, y)
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "ansatz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := model.Save(dir, map[string]string{"target": "x₁x₂"}); err != nil {
		log.Fatal(err)
	}

	again, remembered, err := rfm.LoadModel(dir)
	if err != nil {
		log.Fatal(err)
	}
	f, err := model.Predict(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	g, err := again.Predict(ctx, x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Kernel(), "of", remembered["target"]+", the same predictions:", mat.EqualApprox(f, g, 1e-9))
	// Output:
	// laplace of x₁x₂, the same predictions: true
}

// A hyper basis function network is a kernel machine that learns its metric M = WᵀW, by the AGOP or by gradient descent
// on W.
func ExampleHyperBF() {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := draw(rng, 300)
	testX, testY := draw(rng, 300)
	for _, how := range []struct {
		update     rfm.Update
		iterations int
	}{{rfm.ByAGOP, 0}, {rfm.ByAGOP, 10}, {rfm.ByDescent, 10}} {
		net := rfm.HyperBF{
			Machine: rfm.Machine{
				Kernel: rfm.Gaussian{Bandwidth: 5}, Ridge: 1, Iterations: how.iterations,
				Select: rfm.Last, Scale: rfm.ScaleTrace, Precision: graph.Double,
			},
			Update: how.update, Steps: 10, Optimiser: optim.Adam{LR: .03},
		}
		model, err := net.Fit(ctx, x, y)
		if err != nil {
			log.Fatal(err)
		}
		s, err := model.Score(ctx, testX, testY)
		if err != nil {
			log.Fatal(err)
		}
		d := model.Metric().Diagonal()
		fmt.Printf("%d times %v: test R² %.2f, %.0f %% of the trace of M on the first two features\n",
			how.iterations, how.update, s.R2, 100*(d[0]+d[1])/model.Metric().Trace())
	}
	// Output:
	// 0 times agop: test R² 0.28, 20 % of the trace of M on the first two features
	// 10 times agop: test R² 0.82, 97 % of the trace of M on the first two features
	// 10 times gd: test R² 0.86, 81 % of the trace of M on the first two features
}

// A convolutional kernel machine distinguishes horizontal from vertical stripes, and learns a metric of their patches.
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
	machine := rfm.ConvMachine{Kernel: rfm.CNTK{Layers: 2}, Ridges: []float64{1e-3}, Iterations: 1,
		Task: rfm.Classification}
	model, err := machine.Fit(context.Background(), e)
	if err != nil {
		log.Fatal(err)
	}
	scores, err := model.Score(context.Background(), e.X, e.Y)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("accuracy %.2f, a metric of patches of %d pixels\n", scores.Accuracy, model.Layers()[0].Metric.Dim())
	// Output: accuracy 1.00, a metric of patches of 9 pixels
}
