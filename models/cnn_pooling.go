package models

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
)

// poolingCNN is a network of cnfa's study of pooling and patch sizes (Fig. 9):
// four convolutions of 64 filters without biases, padded with zeros to keep the
// size, with ReLUs, and a linear layer without a bias. cnn-max and cnn-avg pool
// 2×2 after the second and the third convolution and globally after the fourth;
// cnn-vec does not pool. The paper starts from normal:5e-3,1e-2 (Appendix B).
//
// Names are those of the published code: layers.N, where N counts ReLUs,
// poolings and the flattening too.
func poolingCNN(name string, patch int) *Architecture {
	var pool, global []Layer
	switch base, _, _ := strings.Cut(name, ":"); base {
	case "cnn-max":
		pool, global = []Layer{MaxPool(SquarePool(2, 2, 0))}, []Layer{GlobalMaxPool{}}
	case "cnn-avg":
		pool, global = []Layer{AvgPool(SquarePool(2, 2, 0))}, []Layer{AdaptiveAvgPool{1, 1}}
	}
	conv := []Layer{
		Conv{Filters: 64, Kernel: [2]int{patch, patch}, Geometry: graph.Square(1, patch/2), NoBias: true},
		ReLU{},
	}
	layers := slices.Concat(conv, conv, pool, conv, pool, conv, global, []Layer{Flatten{}, Linear{NoBias: true}})
	return &Architecture{
		Name: name, Input: Shape{3, 32, 32}, Normalise: "dataset",
		Root: Sequential{{"layers", numbered(layers...)}},
	}
}
