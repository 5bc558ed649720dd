// Package weights reads the parameters of trained networks from files of unknown
// origin, and writes them in one safe format.
//
// # Where to begin
//
// [Open] reads a file and returns a [StateDict], [Save] writes one. Open recognises
// three formats by their content:
//
//   - safetensors;
//   - the zip archives that torch.save writes since PyTorch 1.6;
//   - the older files of torch.save, a row of pickles followed by raw storages.
//
// A StateDict holds named tensors in the order of the file, each a
// row-major [tensor.Dense] of PyTorch's shape. [Save] writes safetensors.
//
// # Values
//
// Float32, float64 and the integers keep their type. Float16 and bfloat16 are
// widened to float32, which is exact, and a bool becomes a uint8 of 0 or 1. A
// tensor of no dimension (BatchNorm's num_batches_tracked) is a scalar: its
// Shape is empty and its Data is the value itself rather than a slice of one. A
// tensor with a dimension of zero has no elements; [tensor.Dense] can carry it
// but panics when asked for its Data, so ask for its Shape first.
//
// # Trust
//
// A PyTorch file is a program for Python's pickle machine, and unpickling it in
// Python can run any code. This package runs none of it: see package
// internal/pickle. Every class and function, except the few that rebuild tensors,
// is an inert placeholder. A placeholder is an error only where the state dict
// needs it, so that an optimiser, a NumPy scalar or an argparse.Namespace beside
// the state dict does no harm.
//
// Every length in a file is compared with the file's size, which bounds all memory:
// see [ReadPyTorch]. A file that is truncated, altered or hostile gives a
// [*FormatError] with the byte at fault, never a part of a state dict.
package weights
