package models

import (
	"slices"
	"strings"

	"github.com/ansatz-lab/ansatz/graph"
)

// vanillaCNN is the network that cnfa compares ConvRFM with (Fig. 6, Appendix
// B): 1 to 5 convolutions of 64 filters, without padding and biases, with ReLUs,
// then one linear layer without a bias on all features. The name is cnnDEPTH.
//
// Names are those of the published code: layers.N, where N counts ReLUs and the
// flattening too.
func vanillaCNN(name string, patch int) *Architecture {
	var layers []Layer
	for range name[len("cnn")] - '0' {
		layers = append(layers, Conv{Filters: 64, Kernel: [2]int{patch, patch}, NoBias: true}, ReLU{})
	}
	return &Architecture{
		Name: name, Input: Shape{3, 32, 32}, Normalise: "dataset",
		Root: Sequential{{"layers", numbered(append(layers, Flatten{}, Linear{NoBias: true})...)}},
	}
}

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

// linearCNN is the linear CNN of energy (section 4): one convolution of 64
// filters, without padding and bias, followed only by the mean over all
// positions and filters, f(x) = (1/(W·h′·w′)) Σ x ∗ wᵢ as in Lemma A.1.
// There is no second layer, and one output whatever the number of classes: the
// paper solves binary problems, whose target is the label 0 or 1.
func linearCNN(name string, patch int) *Architecture {
	return &Architecture{
		Name: name, Input: Shape{3, 32, 32}, Normalise: "dataset",
		Root: Sequential{
			{"conv", Conv{Filters: 64, Kernel: [2]int{patch, patch}, NoBias: true}},
			{"", AdaptiveAvgPool{1, 1}}, {"", ChannelMean{}},
		},
	}
}
