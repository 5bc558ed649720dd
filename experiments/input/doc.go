// Package input opens what the flags of a command name: datasets, architectures, weights and
// folders for output.
//
// Begin with [Open], which opens a dataset as a [Source], and [OpenWeights]. A mistake that is
// the user's is an [*Error], which [Errorf] makes; [IsError] tells such errors from all others.
package input
