// Package onnx reads ONNX files: networks that PyTorch and others export.
//
// [Open] returns the nodes of a network in an order in which they can be computed, and its weights, which it reads from
// the file only when a caller asks for them. [Evaluate] computes nodes whose inputs are constants, such as the arithmetic
// with shapes that exporters write. Package fromonnx builds networks of the other nodes.
//
// A file may come from anyone: every number in it is checked before memory is allocated for it.
package onnx
