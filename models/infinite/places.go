package infinite

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// places are the positions of a layer, row by row.
type places struct{ height, width int }

func (p places) size() int { return p.height * p.width }

// rows returns the number of rows of a map: of positions, or of their pairs.
func (p places) rows(pairs bool) int {
	if pairs {
		return p.size() * p.size()
	}
	return p.size()
}

// spread lists, for every pair of positions, its first (side 0) or its second.
func (p places) spread(side int) [][]int {
	n := p.size()
	all, out := make([]int, n), make([][]int, n*n)
	for i := range all {
		all[i] = i
	}
	for i := range out {
		at := i / n
		if side == 1 {
			at = i % n
		}
		out[i] = all[at : at+1]
	}
	return out
}

// diagonal lists the pairs of a position with itself.
func (p places) diagonal() [][]int {
	n := p.size()
	out := make([][]int, n)
	for i := range out {
		out[i] = []int{i*n + i}
	}
	return out
}

// windows lists, for every position of the next layer, the positions that it reads; −1 stands for those beyond the image.
// All lists of a convolution have the same order. A pool multiplies the sum over each window by the window's element of shares.
type windows struct {
	at     [][]int
	shares []float64
}

// windowsOf returns the windows of a convolution.
func windowsOf(s backend.ConvShape) (w windows) {
	for i := range s.OutH() * s.OutW() {
		var at []int
		for k := range s.KH * s.KW {
			y := i/s.OutW()*s.StrideH + k/s.KW*s.DilateH - s.PadH
			x := i%s.OutW()*s.StrideW + k%s.KW*s.DilateW - s.PadW
			if y < 0 || y >= s.H || x < 0 || x >= s.W {
				at = append(at, -1)
				continue
			}
			at = append(at, y*s.W+x)
		}
		w.at = append(w.at, at)
	}
	return w
}

// pooled returns the windows of a pool over rows and columns of p.
func pooled(p places, rows, columns []backend.Span) (w windows) {
	for _, r := range rows {
		for _, c := range columns {
			var at []int
			for y := r.Lo; y < r.Hi; y++ {
				for x := c.Lo; x < c.Hi; x++ {
					at = append(at, y*p.width+x)
				}
			}
			w.at, w.shares = append(w.at, at), append(w.shares, 1/float64(r.Divisor*c.Divisor))
		}
	}
	return w
}

// sets lists, for every position, the rows of a map of p over which a convolution sums. With pairs, it lists for every pair
// of positions the pairs at the same place in both windows.
func (w windows) sets(p places, pairs bool) [][]int {
	var out [][]int
	for _, first := range w.at {
		if !pairs {
			var set []int
			for _, at := range first {
				if at >= 0 {
					set = append(set, at)
				}
			}
			out = append(out, set)
			continue
		}
		for _, second := range w.at {
			var set []int
			for k := range first {
				if first[k] >= 0 && second[k] >= 0 {
					set = append(set, first[k]*p.size()+second[k])
				}
			}
			out = append(out, set)
		}
	}
	return out
}

// meetings lists, for every pair of windows, all pairs of positions in them.
func (w windows) meetings(p places) [][]int {
	var out [][]int
	for _, first := range w.at {
		for _, second := range w.at {
			set := make([]int, 0, len(first)*len(second))
			for _, i := range first {
				for _, j := range second {
					set = append(set, i*p.size()+j)
				}
			}
			out = append(out, set)
		}
	}
	return out
}

// shares returns the products of the shares of all pairs of windows, as a vector.
func (b *builder) shares(w windows) *graph.Node {
	if b.Err() != nil {
		return nil
	}
	n := len(w.shares)
	v := make([]float64, n*n)
	for i := range v {
		v[i] = w.shares[i/n] * w.shares[i%n]
	}
	b.constants++
	node := b.Param(fmt.Sprint("shares ", b.constants), n*n)
	if err := b.Let(node, tensor.New(tensor.WithShape(n*n), tensor.WithBacking(v))); err != nil {
		return b.Fail("%w", err)
	}
	return node
}

func onesTensor(rows, columns int) *tensor.Dense {
	v := make([]float64, rows*columns)
	for i := range v {
		v[i] = 1
	}
	return tensor.New(tensor.WithShape(rows, columns), tensor.WithBacking(v))
}

// cache holds the sets of rows that several expressions share. It is not safe for concurrent use.
type cache struct {
	known map[string]*backend.Sets
	limit int64 // of the memory in bytes that sets may take while they are made; 0 for none
}

// sets returns the named sets: so many, with about so many elements in all. If they are not in the cache, list makes them, and
// returns the number of rows of the map too.
func (c *cache) sets(g *graph.Graph, name string, count, elements int, list func() (rows int, sets [][]int)) *backend.Sets {
	if s := c.known[name]; s != nil || g.Err() != nil {
		return s
	}
	// The lists have 24 bytes for each set and 8 for each element, the sets and their adjoint 8 for either.
	if need := 32*float64(count) + 16*float64(elements); c.limit > 0 && need > float64(c.limit) {
		g.Fail("%w", &MemoryError{int64(min(need, 1<<62)), c.limit})
		return nil
	}
	s, err := backend.NewSets(list())
	if err != nil {
		g.Fail("%w", err)
		return nil
	}
	if c.known == nil {
		c.known = map[string]*backend.Sets{}
	}
	c.known[name] = s
	return s
}
