package models

// linearCNN is the linear CNN of energy (section 4): one convolution of 64
// filters, without padding and bias, and nothing after it but the mean over all
// positions and filters, f(x) = (1/(W·h′·w′)) Σ x ∗ wᵢ as Lemma A.1 writes it.
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
