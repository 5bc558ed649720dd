package models

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
)

// Loss is the function that training minimises, a mean over the images of a batch.
type Loss int

const (
	// CrossEntropy is the cross-entropy of the softmax of the logits. It is the zero value.
	CrossEntropy Loss = iota
	// MeanSquaredError is the mean over images and classes of the squared errors of the outputs, against one-hot
	// targets.
	MeanSquaredError
)

var lossNames = [...]string{CrossEntropy: "ce", MeanSquaredError: "mse"}

// ParseLoss reads ce or mse.
func ParseLoss(text string) (Loss, error) {
	for l, name := range lossNames {
		if text == name {
			return Loss(l), nil
		}
	}
	return 0, fmt.Errorf("loss %q: want ce (cross-entropy) or mse (mean squared error on one-hot targets)", text)
}

// String returns the name that [ParseLoss] reads.
func (l Loss) String() string { return lossNames[l] }

// build returns the loss of outputs against one-hot targets.
func (l Loss) build(g *graph.Graph, outputs, targets *graph.Node) *graph.Node {
	if l == MeanSquaredError {
		return g.MeanSquaredError(outputs, targets)
	}
	return g.CrossEntropy(outputs, targets)
}
