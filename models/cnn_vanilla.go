package models

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
