// Package models holds networks as graphs: architectures as trees of layers, in
// Go or in a small TOML file, their weights, and their training.
//
// A layer builds its part of an expression of package graph; nothing here
// differentiates. The names of parameters are those of PyTorch's state dicts,
// so that weights trained elsewhere can be read and weights trained here can be
// read elsewhere.
//
// # Where to begin
//
// [Lookup] finds an [Architecture] by its name, [Parse] and [ReadFile] read one
// from TOML. [Architecture.InitNetwork] gives it fresh weights and
// [Architecture.Load] those of a file of package weights: a [Network], whose
// [Network.Layers] and [Network.Filters] are what package cnfa compares with AGOPs.
//
// A [Layer] of another package, made of ops of package graph and of parameters that it declares
// with its [Builder], is used as those of this package are: see examples/layer in the repository.
//
// A [Trainer] takes steps. A [Loop] takes them over the [Batches] of all epochs, calls
// its caller between them, and saves the checkpoints that it goes on from; [Rows] are
// batches of examples in memory. [Network.NTK] is the empirical tangent kernel, of which [NewSpectrum]
// has the effective rank, and [Network.Linearize] the linearization of paper ntk;
// [TrainOptions] has it trained by stochastic gradients.
//
// Images are float32, in the order (image, row, column, channel), normalised as the
// network wants them; a file of weights does not say how.
package models
