// Package pickle reads Python pickles of unknown origin, without running anything in
// them.
//
// A pickle is a program for Python's pickle machine, and unpickling it in Python can
// run any code. This package reads it in two steps:
//
//   - [Scan] checks its instructions one by one: that each is known, that it fits the
//     file, that there are not too many. It writes an equivalent [Program] that looks
//     up no class, calls nothing, and takes no more time or memory than its length
//     justifies.
//   - [Program.Run] runs the program. A [World] of the caller gives the pickle's
//     classes and functions a meaning. One that the World does not know is an inert
//     placeholder, a [Global], which keeps its name and drops its arguments.
//
// # Values
//
// Run returns a value of nil, bool, int, *big.Int, float64 and string; of lists and
// tuples, see [Sequence]; of dicts, see [Entries]; of bytes and of texts of more than
// [MaxText] bytes, see [Bytes]; of [*Global] and [*Object]; and of values that the
// World returned. A value may contain itself, or another value a million times, so
// that whoever walks or copies it must bound the walk or the copy.
//
// A str of Python 2 is a string of its bytes; a text of Python 3 is a string in UTF-8.
package pickle
