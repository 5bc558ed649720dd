// Package input opens what the flags of a command name: datasets, architectures, weights and
// folders for output.
//
// Begin with [Open], which opens a dataset as a [Source], and [OpenWeights]. A user's mistake is an [*Error], made by
// [Errorf]; [IsError] distinguishes such errors from all others.
package input
