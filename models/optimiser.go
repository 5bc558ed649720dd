package models

import "github.com/ansatz-lab/ansatz/graph"

// Optimiser is how a training step follows the gradient: [SGD], [Adam] or
// [Adadelta], those of package graph.
type (
	Optimiser = graph.Optimiser
	SGD       = graph.SGD
	Adam      = graph.Adam
	Adadelta  = graph.Adadelta
)
