package setups

import (
	"fmt"
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
)

// NetworkSpec is a fully connected ReLU network, and how it is trained for the
// mean squared error.
type NetworkSpec struct {
	Width int  `json:"width" toml:"width"` // units of each hidden layer
	Bias  bool `json:"bias" toml:"bias"`   // the code of the authors of paper rfm has none
	// FirstStd is the standard deviation of the first layer's initial weights; 0 is PyTorch's initialisation.
	FirstStd float64 `json:"first_std" toml:"first_std"`
	Adam     bool    `json:"adam" toml:"adam"` // in place of SGD
	Rate     float64 `json:"rate" toml:"rate"`
	Batch    int     `json:"batch" toml:"batch"` // 0 is all examples
	// Epochs is the number of passes over the examples. The weights after the one
	// with the least validation error are kept.
	Epochs int `json:"epochs" toml:"epochs"`
}

// check refuses what cannot be trained.
func (s NetworkSpec) check() error {
	if s.Width < 1 || s.Epochs < 1 || s.Batch < 0 {
		return input.Errorf("a network of width %d, %d epochs and batches of %d: want at least 1, 1 and 0", s.Width,
			s.Epochs, s.Batch)
	}
	return nil
}

// firstLayer is the name of the networks' first layer.
const firstLayer = "first"

// Architecture is the network of so many hidden layers.
func (s NetworkSpec) Architecture(depth int) *models.Architecture {
	layers := models.Sequential{{Name: firstLayer, Layer: models.Linear{Out: s.Width, NoBias: !s.Bias}},
		{Layer: models.ReLU{}}}
	for k := 1; k < depth; k++ {
		layers = append(layers, models.Named{Name: fmt.Sprintf("hidden%d", k),
			Layer: models.Linear{Out: s.Width, NoBias: !s.Bias}}, models.Named{Layer: models.ReLU{}})
	}
	layers = append(layers, models.Named{Name: "last", Layer: models.Linear{NoBias: !s.Bias}})
	a := &models.Architecture{Name: fmt.Sprintf("%d hidden layers of %d ReLUs", depth, s.Width), Root: layers,
		Normalise: "none"}
	if s.FirstStd > 0 {
		a.Init.Linear = firstLayerNormal(s.FirstStd)
	}
	return a
}

// optimiser is the one that is asked for.
func (s NetworkSpec) optimiser() models.Optimiser {
	if s.Adam {
		return models.Adam{LR: s.Rate}
	}
	return models.SGD{LR: s.Rate}
}

// firstLayerNormal draws the first layer from a normal distribution of that
// standard deviation, and the others as PyTorch does.
type firstLayerNormal float64

func (std firstLayerNormal) Draw(rng *rand.Rand, dst []float32, at models.Place) {
	if at.Layer == 0 {
		models.Normal{float64(std)}.Draw(rng, dst, at)
		return
	}
	models.Default{}.Draw(rng, dst, at)
}

func (std firstLayerNormal) String() string {
	return fmt.Sprintf("normal with standard deviation %g in the first layer, PyTorch's in the others", float64(std))
}

// flattenRows returns the elements of a matrix, by rows.
func flattenRows(x *mat.Dense) []float32 {
	n, d := x.Dims()
	px := make([]float32, 0, n*d)
	for i := range n {
		for _, v := range x.RawRowView(i) {
			px = append(px, float32(v))
		}
	}
	return px
}
