package rfm

import "github.com/ansatz-lab/ansatz/graph"

// Grid is the places of patches in images, and of what later convolutions read:
// patches of Patch×Patch pixels of images of Height×Width, surrounded by zeros if
// Pad is set.
type Grid struct {
	Height, Width, Patch int
	Pad                  bool
}

// Patches are patches of images at all positions of a grid, seen through a
// metric: a row for every position, of Images vectors of length R one after
// another.
type Patches struct {
	Node      *graph.Node
	Images, R int
}
