package rfm

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
)

// Grid says where the patches of an image are, and the windows of later convolutions: patches of
// Patch×Patch pixels in images of Height×Width with Channels, surrounded by zeros if Pad is set.
type Grid struct {
	Height, Width, Channels int
	Patch                   int
	Pad                     bool
}

// Patches holds the transformed patches Wh of some images, at all positions of a grid: a row for every
// position, with the vectors of length R of all Images one after another.
type Patches struct {
	Node      *graph.Node
	Images, R int
}

// Features returns the number of elements of a patch.
func (g Grid) Features() int { return g.Channels * g.Patch * g.Patch }

// Positions returns the number of patches of an image.
func (g Grid) Positions() int { return g.first().size() }

// first returns the places of the patches.
func (g Grid) first() places { return g.after(places{g.Height, g.Width}) }

// after returns the places of the layer after p, each of which reads a window of Patch×Patch places of p.
func (g Grid) after(p places) places {
	if g.Pad {
		return p
	}
	return places{p.height - g.Patch + 1, p.width - g.Patch + 1}
}

// geometry returns the padding of the convolution that reads the patches.
func (g Grid) geometry() graph.Conv2D {
	if g.Pad {
		return graph.Square(1, g.Patch/2)
	}
	return graph.Square(1, 0)
}

// check returns an error if images are too small for the patches or for the depth.
func (g Grid) check(depth int) error {
	if g.Patch < 1 {
		return badInput("patches of %d×%d: want at least 1", g.Patch, g.Patch)
	}
	if g.Pad {
		if g.Patch%2 == 0 {
			return badInput(
				"patches of %d×%d with zeros around the images: want an odd size, so that there is a patch around "+
					"every pixel", g.Patch, g.Patch)
		}
		if most := 2*max(g.Height, g.Width) - 1; g.Patch > most {
			return badInput(
				"patches of %d×%d of images of %d×%d with zeros around them: want at most %d×%d, which cover the "+
					"whole image around any pixel", g.Patch, g.Patch, g.Height, g.Width, most, most)
		}
		return nil
	}
	if g.Patch > min(g.Height, g.Width) {
		return badInput("patches of %d×%d are larger than the images, which are of %d×%d",
			g.Patch, g.Patch, g.Height, g.Width)
	}
	if least := depth*(g.Patch-1) + 1; g.Height < least || g.Width < least {
		return badInput(
			"images of %d×%d are too small for a depth of %d with %d×%d patches: they must be at least %d×%d; take "+
				"a smaller depth or patch, or surround the images by zeros",
			g.Height, g.Width, depth, g.Patch, g.Patch, least, least)
	}
	return nil
}

// places are the positions of a layer, row by row.
type places struct{ height, width int }

func (p places) size() int { return p.height * p.width }

func (p places) String() string { return fmt.Sprintf("%d×%d", p.height, p.width) }

// windows lists, for every place of the layer after p, the places of p in its window, in the same order for all; -1 stands
// for padding.
func (g Grid) windows(p places) [][]int {
	next, pad := g.after(p), 0
	if g.Pad {
		pad = g.Patch / 2
	}
	out := make([][]int, next.size())
	for i := range out {
		for k := range g.Patch * g.Patch {
			y, x := i/next.width+k/g.Patch-pad, i%next.width+k%g.Patch-pad
			at := -1
			if y >= 0 && y < p.height && x >= 0 && x < p.width {
				at = y*p.width + x
			}
			out[i] = append(out[i], at)
		}
	}
	return out
}

// sums returns the sets of places of p that the layer after p sums over. With pairs, they are sets of pairs of places, one in
// each image, at the same position in both windows.
func (g Grid) sums(p places, pairs bool) (*backend.Sets, error) {
	windows := g.windows(p)
	if !pairs {
		sets := make([][]int, len(windows))
		for i, w := range windows {
			for _, at := range w {
				if at >= 0 {
					sets[i] = append(sets[i], at)
				}
			}
		}
		return backend.NewSets(p.size(), sets)
	}
	sets := make([][]int, 0, len(windows)*len(windows))
	for _, w := range windows {
		for _, z := range windows {
			set := make([]int, 0, len(w))
			for k := range w {
				if w[k] >= 0 && z[k] >= 0 {
					set = append(set, w[k]*p.size()+z[k])
				}
			}
			sets = append(sets, set)
		}
	}
	return backend.NewSets(p.size()*p.size(), sets)
}

// spread repeats the places of either image for all pairs of places.
func (g Grid) spread(p places) (first, second *backend.Sets, err error) {
	n := p.size()
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	a, b := make([][]int, n*n), make([][]int, n*n)
	for i := range n * n {
		a[i], b[i] = all[i/n:i/n+1], all[i%n:i%n+1]
	}
	if first, err = backend.NewSets(n, a); err != nil {
		return nil, nil, err
	}
	second, err = backend.NewSets(n, b)
	return first, second, err
}
