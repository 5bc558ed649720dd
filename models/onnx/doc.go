// Package onnx reads ONNX files: networks that PyTorch and others export.
//
// [Open] returns the nodes of a network in an order in which they can be computed, with its weights, which stay in the
// file until they are asked for. [Evaluate] computes nodes of constants: what exporters leave of a program's arithmetic
// with shapes. Package fromonnx builds networks of the rest.
//
// The files are of anybody's making: every number in them is checked before memory is allocated by it.
package onnx
