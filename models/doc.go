// Package models holds networks as graphs: architectures as trees of layers, in
// Go or in a small TOML file, their weights, and their training.
//
// A layer builds its part of an expression of package graph; nothing here
// differentiates. The names of parameters are those of PyTorch's state dicts,
// so that weights trained elsewhere can be read and weights trained here can be
// read elsewhere.
package models
