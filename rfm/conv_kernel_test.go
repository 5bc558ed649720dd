package rfm

import (
	"fmt"
	"math"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// convCase is a set of images and the options with which kernels read them.
type convCase struct {
	x        Images
	q, depth int
	pad      bool
	metric   *Metric // nil is the identity
	whole    bool
}

func (c convCase) String() string {
	return fmt.Sprintf("%s, q %d, depth %d, pad %v, metric %v, whole %v", c.x.shape(), c.q, c.depth, c.pad,
		c.metric != nil, c.whole)
}

// convCases are all depths with both sizes of patches, on images that are just large enough, on wider ones, and on
// images with zeros around them.
func convCases() []convCase {
	var cases []convCase
	for _, q := range []int{3, 5} {
		for depth := 1; depth <= 5; depth++ {
			least := depth*(q-1) + 1
			for k, size := range [][2]int{{least, least}, {least, least + 2}, {5, 6}} {
				if q == 5 && depth > 3 && k == 1 {
					continue // these have 300 positions and more, and would test nothing else
				}
				channels := []int{1, 3}[(k+depth)%2]
				c := convCase{x: oddImages(uint64(depth), size[0], size[1], channels), q: q, depth: depth, pad: k == 2}
				if way := (k + depth) % 3; way > 0 {
					c.metric, c.whole = FullMetric(covariance(random(9), channels*q*q)), way == 2
				}
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// convKernels returns the kernels that the case is for. The pooled kernel sums over all pairs of positions, and is left
// out where there are many positions.
func (c convCase) convKernels() []ConvKernel {
	out := []ConvKernel{CNTK{Layers: c.depth}, CNNGP{Layers: c.depth}}
	if gridOf(c.x, c.q, c.pad).Positions() <= 100 {
		out = append(out, CNTK{Layers: c.depth, Pooled: true})
	}
	if c.depth == 1 {
		out = append(out, PatchLaplace{Bandwidth: 2})
	}
	return out
}

// TestConvKernels compares kernel matrices with the naive ones, on every backend and in both precisions.
func TestConvKernels(t *testing.T) {
	for _, c := range convCases() {
		a := naiveOf(t, c.x, c.q, c.depth, c.pad, c.metric, c.whole)
		wants := c.naive(a)
		metric := c.metric
		if metric == nil {
			metric = Identity(a.channels * a.q * a.q)
		}
		s := patchViewOf(t, c.x, c.q, c.pad, metric, c.whole)
		for _, name := range gputest.Backends(t) {
			for p, tolerance := range map[graph.Precision]float64{graph.Single: 1e-5, graph.Double: 1e-11} {
				team := teamOn(t, name, 2, p)
				for i, k := range c.convKernels() {
					if e := worst(gramOn(t, team, k, s, c.x), wants[i]); !(e < tolerance) {
						t.Errorf("%v of %v, %s, %d bits: off by %v", k, c, name, 32+32*int(p), e)
					}
				}
			}
		}
	}
}

// naive returns the naive kernel matrices of all convKernels.
func (c convCase) naive(a naiveConv) []*mat.Dense {
	u, kernels := a.seeAll(c.x), c.convKernels()
	out := make([]*mat.Dense, len(kernels))
	for i := range out {
		out[i] = mat.NewDense(len(u), len(u), nil)
	}
	for i := range u {
		for j := i; j < len(u); j++ {
			all := a.kernels(u[i], u[j])
			for k, kernel := range kernels {
				v := all.cntk
				switch kernel := kernel.(type) {
				case CNNGP:
					v = all.cnngp
				case PatchLaplace:
					v = a.laplace(u[i], u[j], kernel.bandwidth())
				case CNTK:
					if kernel.Pooled {
						v = all.pooled
					}
				}
				out[k].Set(i, j, v)
				out[k].Set(j, i, v)
			}
		}
	}
	return out
}

// worst returns the largest relative difference between the elements of two matrices.
func worst(got mat.Matrix, want mat.Matrix) float64 {
	e := 0.
	n, m := want.Dims()
	for i := range n {
		for j := range m {
			d := math.Abs(got.At(i, j)-want.At(i, j)) / math.Max(math.Abs(want.At(i, j)), 1e-300)
			if got.At(i, j) == want.At(i, j) {
				d = 0
			}
			e = math.Max(e, d)
			if math.IsNaN(d) {
				return d
			}
		}
	}
	return e
}

func TestParseConvKernel(t *testing.T) {
	for _, k := range []ConvKernel{CNTK{Layers: 1}, CNTK{Layers: 4}, CNTK{Layers: 2, Pooled: true}, CNNGP{Layers: 3},
		PatchLaplace{Bandwidth: 2}} {
		got, err := ParseConvKernel(k.String(), k.Depth(), k.bandwidth())
		if err != nil || got != k {
			t.Errorf("%v parses as %v, %v", k, got, err)
		}
	}
	for _, bad := range []struct {
		name      string
		depth     int
		bandwidth float64
	}{{"", 1, 0}, {"cnt", 1, 0}, {"cntk", 21, 0}, {"cntk", 1, 3}, {"cnngp", 1, 3}, {"laplace", 2, 0},
		{"laplace", 1, -1}, {"laplace", 1, math.NaN()}} {
		if k, err := ParseConvKernel(bad.name, bad.depth, bad.bandwidth); err == nil {
			t.Errorf("%+v is taken for %v", bad, k)
		}
	}
	for k, depth := ConvKernel(CNTK{Layers: 3, Pooled: true}), 3; k != nil; k, depth = k.Shallower(), depth-1 {
		if k.Depth() != depth || k.String() != "cntk-gap" {
			t.Errorf("%v has the depth %d, want %d", k, k.Depth(), depth)
		}
	}
}
