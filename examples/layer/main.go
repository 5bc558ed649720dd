// Command layer adds a layer to a network. It defines a layer that the library does not
// have, puts it into an architecture in Go and into one in TOML, trains the first on
// generated digits, and verifies the ansatz in it, layer by layer.
//
//	go run .
//	go run . -steps 200
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/ansatz-lab/ansatz/cnfa"
	"github.com/ansatz-lab/ansatz/data"
	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
)

// Gated is a fully connected layer of Units units. Each unit gates its own value a = wx + b
// by σ(sa), with a slope s that is learned: s = 0 makes it linear, a large s a ReLU.
type Gated struct {
	Units int `toml:"units" doc:"number of units" default:"required"`
}

// Layer implements [archfile.Settings].
func (l *Gated) Layer() (models.Layer, error) {
	if l.Units < 1 {
		return nil, fmt.Errorf("units = %d: want at least 1", l.Units)
	}
	return *l, nil
}

// Build implements [models.Layer].
func (l Gated) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	x = models.Flatten{}.Build(b, "", x)
	if b.Err() != nil {
		return nil
	}
	units := b.Wide(l.Units)
	weight := b.Param(name, "weight", models.Kaiming{}, units, x.Shape()[1])
	bias := b.Param(name, "bias", models.Constant(0), units)
	slope := b.Param(name, "slope", models.Constant(1), units)
	// LinearLayer records the layer, so that Verify compares WᵀW with the AGOP of its input.
	a := b.LinearLayer(name, x, weight, bias)
	// σ(z) = (1 + tanh(z/2))/2
	half := b.Scale(.5, a)
	return b.Add(half, b.Mul(half, b.Tanh(b.RowMul(half, slope))))
}

// network is a convolution, the gated layer and a linear layer.
func network() *models.Architecture {
	return &models.Architecture{
		Name:  "gated",
		Input: models.Shape{Channels: 1, Height: 28, Width: 28},
		Root: models.Sequential{
			{Name: "conv", Layer: models.Conv{Filters: 8, Kernel: [2]int{5, 5}, Geometry: graph.Square(2, 0)}},
			{Layer: models.ReLU{}},
			{Name: "gate", Layer: Gated{Units: 32}},
			{Name: "fc", Layer: models.Linear{}}, // one output a class
		},
	}
}

// networkTOML is the same network as text.
const networkTOML = `
name = "gated"
input = [1, 28, 28]
layer = [
	{type = "conv", name = "conv", filters = 8, kernel = 5, stride = 2},
	{type = "relu"},
	{type = "gated", name = "gate", units = 32},
	{type = "linear", name = "fc"},
]
`

func main() {
	steps := flag.Int("steps", 40, "steps of training")
	flag.Parse()
	if err := run(context.Background(), *steps); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, steps int) error {
	gated := archfile.Type{Name: "gated", Params: true, New: func() archfile.Settings { return new(Gated) }}
	parsed, err := archfile.Parse([]byte(networkTOML), gated)
	if err != nil {
		return err
	}
	const classes, seed, batch = 10, 1, 32
	same, err := parsed.InitNetwork(parsed.Input, classes, seed)
	if err != nil {
		return err
	}
	a := network()
	net, err := a.InitNetwork(a.Input, classes, seed)
	if err != nil {
		return err
	}
	fmt.Printf("%d weights, %d from TOML\n", net.Size(), same.Size())

	digits, err := data.Open("glyphs", data.Options{})
	if err != nil {
		return err
	}
	images := &data.Loader{Dataset: digits}
	if err := train(ctx, net, images, steps, batch); err != nil {
		return err
	}
	v, err := cnfa.Verify(ctx, net, images, cnfa.Options{Images: 100})
	if err != nil {
		return err
	}
	fmt.Printf("%-5s %-6s %7s %8s %14s\n", "layer", "kind", "filters", "pearson", "null")
	for _, l := range v.Layers {
		fmt.Printf("%-5s %-6s %7d %8.3f %6.3f ± %.3f\n",
			l.Name, l.Kind, l.Filters, l.Pearson, l.PearsonNull, l.PearsonNullSD)
	}
	return nil
}

// train takes steps of Adam, a batch of new images each.
func train(ctx context.Context, net *models.Network, images *data.Loader, steps, batch int) error {
	device, err := backend.Open(backend.Options{})
	if err != nil {
		return err
	}
	defer device.Close()
	t, err := models.NewTrainer(net, device, models.TrainOptions{Batch: batch, Optimiser: models.Adam{LR: .003}})
	if err != nil {
		return err
	}
	pixels, labels := make([]float32, batch*net.Input.Size()), make([]int, batch)
	for step := range steps {
		if err := images.Load(ctx, step*batch, (step+1)*batch, pixels, labels); err != nil {
			return err
		}
		score, err := t.Step(ctx, pixels, labels)
		if err != nil {
			return err
		}
		if step%10 == 0 || step == steps-1 {
			fmt.Printf("step %d: loss %.3f\n", step, score.MeanLoss())
		}
	}
	return nil
}
