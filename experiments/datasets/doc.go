// Package datasets is the command data: which datasets there are, downloading them, and checking
// what is on the disk.
//
// Begin with [NewList], [Get] and [NewCheck].
package datasets
