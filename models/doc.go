// Package models describes, initialises and trains networks. An architecture is a
// tree of layers.
//
// # Where to begin
//
// [Lookup] returns the [Architecture] of a name; package archfile reads one from
// TOML, package fromonnx one from ONNX. [Architecture.InitNetwork] gives it fresh weights, and
// [Architecture.Load] those of a file that package weights reads. Both return a
// [Network]. Package cnfa compares its filters, [Network.Filters], with AGOPs.
//
// A [Trainer] takes training steps. A [Loop] trains over the [Batches] of all
// epochs: it calls functions of its caller between steps and epochs, and saves
// checkpoints and resumes from them. [Rows] are batches of examples in memory.
//
// For paper ntk, [Network.NTK] computes the empirical tangent kernel, package kernels
// its effective rank, and [Network.Linearize] the linearization of a network, which
// [Linearized.Dual] solves and [Linearized.Follow] follows in closed form; a Trainer
// trains it too, see [TrainOptions].
//
// # Layers and weights
//
// A layer builds its part of an expression of package graph; no derivative is
// written here. A user's package can define a [Layer] too, from the ops of package
// graph and from parameters that it declares with its [Builder]: see
// examples/layer in the repository.
//
// Parameters have the names of PyTorch's state dicts, so that weights from PyTorch
// can be read, and PyTorch can read those that are saved here. Images are float32,
// in the order (image, row, column, channel), and normalised for the network; a
// file of weights does not say how.
package models
