package models

import "github.com/ansatz-lab/ansatz/graph"

// simpleNetPlan are the numbers of filters of SimpleNet's convolutions, by
// stage: a max pooling ends each but the last.
var simpleNetPlan = [][]int{{64, 128, 128, 128}, {128, 128, 256}, {256, 256}, {512}, {2048, 256}, {256}}

// simpleNet is SimpleNet (Hasanpour et al. 2016), which cnfa trains on small
// images (section 2.1, Fig. 8): 13 convolutions, 3×3 but for the two of the fifth
// stage, which are 1×1, each with a bias, batch norm and ReLU; global max
// pooling and a linear layer. 5 498 378 parameters on 3×32×32 images of 10
// classes. cnfa starts the filters small (normal:1e-4).
//
// Names are those of the authors' first code in PyTorch, which cnfa uses and
// which, unlike the paper, pools after the 512 filters: features.0,
// features.1, features.3, … and classifier. Its dropout after every pooling is
// off unless [Architecture.Dropout] sets a probability; it then drops elements, not
// whole channels. The last window of a pooling may reach beyond the image, so that
// images of 28×28 fit too.
func simpleNet(name string) *Architecture {
	pool := SquarePool(2, 2, 0)
	pool.Ceil = true
	var features []Layer
	for i, stage := range simpleNetPlan {
		if i > 0 {
			features = append(features, MaxPool(pool), Dropout{})
		}
		kernel := 3
		if i == 4 {
			kernel = 1
		}
		for _, filters := range stage {
			conv := Conv{Filters: filters, Kernel: [2]int{kernel, kernel}, Geometry: graph.Square(1, kernel/2)}
			features = append(features, conv, BatchNorm{Momentum: .05}, ReLU{})
		}
	}
	return &Architecture{
		Name: name, Input: Shape{3, 32, 32}, Normalise: "dataset",
		Root: Sequential{{"features", numbered(features...)}, {"", GlobalMaxPool{}}, {"classifier", Linear{}}},
	}
}
