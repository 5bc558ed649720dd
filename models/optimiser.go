package models

import "github.com/ansatz-lab/ansatz/graph"

type (
	// Optimiser is how a training step follows the gradient: [SGD], [Adam] or
	// [Adadelta], those of package graph.
	Optimiser = graph.Optimiser
	// SGD is that of package graph, with momentum and weight decay.
	SGD = graph.SGD
	// Adam is that of package graph.
	Adam = graph.Adam
	// Adadelta is that of package graph.
	Adadelta = graph.Adadelta
)
