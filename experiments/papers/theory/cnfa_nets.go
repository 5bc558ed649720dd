package theory

import (
	"math/rand/v2"

	"github.com/ansatz-lab/ansatz/models"
)

// layerSchemes is a scheme for each layer, the last for all further ones.
type layerSchemes []models.Scheme

// Draw implements models.Scheme.
func (s layerSchemes) Draw(rng *rand.Rand, dst []float32, at models.Place) {
	s[min(at.Layer, len(s)-1)].Draw(rng, dst, at)
}

func (s layerSchemes) String() string { return "a scheme for each layer" }

// pooledNet is a convolution from 0 and a random linear layer of the means over
// all positions, so that ∂g/∂z is the same at all of them.
func pooledNet(activation models.Layer, bias bool) *models.Architecture {
	a := convFromZero(activation)
	a.Root = append(a.Root.(models.Sequential),
		models.Named{Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
		models.Named{Name: "head", Layer: models.Linear{NoBias: !bias}})
	return a
}

// constantNet is the paper's example, with a second convolution: all layers but
// the first are constant.
func constantNet() *models.Architecture {
	a := convFromZero(models.Tanh{})
	a.Root = append(a.Root.(models.Sequential),
		models.Named{Name: "second", Layer: models.Conv{Filters: 3, Kernel: [2]int{2, 2}, NoBias: true}},
		models.Named{Layer: models.Tanh{}},
		models.Named{Layer: models.Flatten{}}, models.Named{Name: "head", Layer: models.Linear{NoBias: true}})
	a.Init = models.Init{Conv: layerSchemes{models.Constant(0), models.Constant(.3)}, Linear: models.Constant(.2)}
	return a
}

// unequalNet has a random linear layer of all positions in the place of the
// means: ∂g/∂z differs from position to position, against the assumption.
func unequalNet() *models.Architecture {
	a := convFromZero(models.Tanh{})
	a.Root = append(a.Root.(models.Sequential), models.Named{Layer: models.Flatten{}},
		models.Named{Name: "head", Layer: models.Linear{NoBias: true}})
	return a
}

func convFromZero(activation models.Layer) *models.Architecture {
	return &models.Architecture{
		Name: "one convolution from 0", Input: cnfaShape,
		Root: models.Sequential{{Name: "conv", Layer: models.Conv{Filters: 4, Kernel: [2]int{3, 3}, NoBias: true}},
			{Layer: activation}},
		Init: models.Init{Conv: models.Constant(0), Linear: models.Normal{1}, LinearBias: models.Constant(.7)},
	}
}
