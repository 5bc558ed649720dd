package models

import "github.com/ansatz-lab/ansatz/graph"

// lenet is LeNet-5 as paper ntk uses it: two convolutions with ReLU and max
// pooling, three linear layers; 61 706 parameters on 28×28 digits.
func lenet(name string) *Architecture {
	pool := MaxPool(SquarePool(2, 2, 0))
	return &Architecture{
		Name: name, Input: Shape{1, 28, 28}, Normalise: "dataset",
		Root: Sequential{
			{"conv1", Conv{Filters: 6, Kernel: [2]int{5, 5}, Geometry: graph.Square(1, 2)}}, {"", ReLU{}}, {"", pool},
			{"conv2", Conv{Filters: 16, Kernel: [2]int{5, 5}}}, {"", ReLU{}}, {"", pool},
			{"fc1", Linear{Out: 120}}, {"", ReLU{}},
			{"fc2", Linear{Out: 84}}, {"", ReLU{}},
			{"fc3", Linear{}},
		},
	}
}
