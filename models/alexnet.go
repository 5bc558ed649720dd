package models

import "github.com/ansatz-lab/ansatz/graph"

// alexnet is AlexNet as torchvision builds it.
func alexnet(name string) *Architecture {
	pool := MaxPool(SquarePool(3, 2, 0))
	conv := func(filters, kernel, stride, pad int) Conv {
		return Conv{Filters: filters, Kernel: [2]int{kernel, kernel}, Geometry: graph.Square(stride, pad)}
	}
	return &Architecture{
		Name: name, Input: Shape{3, 224, 224}, Normalise: "imagenet",
		Root: Sequential{
			{"features", numbered(
				conv(64, 11, 4, 2), ReLU{}, pool,
				conv(192, 5, 1, 2), ReLU{}, pool,
				conv(384, 3, 1, 1), ReLU{},
				conv(256, 3, 1, 1), ReLU{},
				conv(256, 3, 1, 1), ReLU{}, pool,
			)},
			{"", AdaptiveAvgPool{6, 6}},
			{"classifier", numbered(
				Dropout{.5}, Linear{Out: 4096}, ReLU{},
				Dropout{.5}, Linear{Out: 4096}, ReLU{}, Linear{})},
		},
	}
}
