package models

import (
	"fmt"
	"strconv"
	"strings"
)

// mlp is the fully connected network of paper rfm: two hidden layers of 1024
// ReLUs.
func mlp(name string) *Architecture { return mlpWith(name, []int{1024, 1024}) }

// maxHidden bounds the number of hidden layers; describing a network with many more takes seconds.
const maxHidden = 1000

// mlpOf parses the hidden widths W1,W2,….
func mlpOf(name, widths string) (*Architecture, error) {
	var hidden []int
	for _, w := range strings.Split(widths, ",") {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 {
			return nil, fmt.Errorf(
				"architecture %q: %q is not a hidden width: want mlp:W1,W2,… with whole numbers of at least 1; a "+
					"network without hidden layers is called linear", name, w)
		}
		hidden = append(hidden, n)
	}
	if len(hidden) > maxHidden {
		return nil, fmt.Errorf("architecture mlp with %d hidden layers: want at most %d", len(hidden), maxHidden)
	}
	return mlpWith(name, hidden), nil
}

// linear is multinomial logistic regression, the baseline of ntk (section 4.1): a
// network of no hidden layer.
func linear(name string) *Architecture { return mlpWith(name, nil) }

func mlpWith(name string, hidden []int) *Architecture {
	var layers []Layer
	for _, n := range hidden {
		layers = append(layers, Linear{Out: n}, ReLU{})
	}
	return &Architecture{
		Name: name, Root: numbered(append(layers, Linear{})...),
		Input: Shape{1, 28, 28}, Normalise: "dataset",
	}
}
