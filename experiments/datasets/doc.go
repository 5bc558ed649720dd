// Package datasets implements the command data: it lists the datasets, downloads them, and checks what
// is on the disk.
//
// Begin with [NewList], [Get] and [NewInspection].
package datasets
