package rfm

import (
	"context"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// teamOn opens a team for a test.
func teamOn(t testing.TB, name string, threads int, p graph.Precision) *team {
	t.Helper()
	team, err := newTeam(name, threads, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(team.Close)
	return team
}

// randomImages returns n images with random pixels from 0 to 1.
func randomImages(seed uint64, n, height, width, channels int) Images {
	x := Images{Height: height, Width: width, Channels: channels, Pixels: make([]float32, n*height*width*channels)}
	rng := random(seed)
	for i := range x.Pixels {
		x.Pixels[i] = rng.Float32()
	}
	return x
}

// oddImages returns five images. The second is twice the first, the third has a corner of zeros, the fourth is
// constant, and the fifth is all zeros.
func oddImages(seed uint64, height, width, channels int) Images {
	x := randomImages(seed, 5, height, width, channels)
	s := x.size()
	for i := range s {
		x.Pixels[s+i] = 2 * x.Pixels[i]
		x.Pixels[3*s+i] = .25
		x.Pixels[4*s+i] = 0
		if row, column := i/channels/width, i/channels%width; row < 3 && column < 3 {
			x.Pixels[2*s+i] = 0
		}
	}
	return x
}

// patchViewOf returns the patches that a kernel with a metric reads.
func patchViewOf(t testing.TB, x Images, patch int, pad bool, m *Metric, whole bool) patchView {
	t.Helper()
	l, err := m.lensOf(whole)
	if err != nil {
		t.Fatal(err)
	}
	return patchView{grid: gridOf(x, patch, pad), lens: l}
}

// naiveOf returns the naive machine with a metric, which is the identity if m is nil.
func naiveOf(t *testing.T, x Images, patch, depth int, pad bool, m *Metric, whole bool) naiveConv {
	a := naiveConv{height: x.Height, width: x.Width, channels: x.Channels, q: patch, depth: depth, pad: pad}
	for layer := 2; layer <= depth; layer++ {
		a.windows = append(a.windows, a.windowsOf(layer))
	}
	switch {
	case m == nil:
	case whole:
		a.root = mat.DenseCopyOf(m.Dense())
	default:
		a.root = symmetricRoot(t, m)
	}
	return a
}

// seeAll returns the patches of images, transformed by the metric.
func (a naiveConv) seeAll(x Images) []vectors {
	var out []vectors
	for i := range x.Len() {
		out = append(out, a.transform(a.patches(x.Image(i))))
	}
	return out
}

// value returns the value of a kernel for two images.
func (a naiveConv) value(k ConvKernel, u, v vectors) float64 {
	switch k := k.(type) {
	case PatchLaplace:
		return a.laplace(u, v, k.bandwidth())
	case CNNGP:
		return a.kernels(u, v).cnngp
	case CNTK:
		if k.Pooled {
			return a.kernels(u, v).pooled
		}
	}
	return a.kernels(u, v).cntk
}

// matrix returns the kernel matrix of two sets of images.
func (a naiveConv) matrix(k ConvKernel, x, z []vectors) *mat.Dense {
	out := mat.NewDense(len(x), len(z), nil)
	out.Apply(func(i, j int, _ float64) float64 { return a.value(k, x[i], z[j]) }, out)
	return out
}

// gramOn returns the kernel matrix of images, computed on a team.
func gramOn(t testing.TB, team *team, k ConvKernel, s patchView, x Images) *mat.SymDense {
	t.Helper()
	out, err := team.gram(context.Background(), k, s, x, nil, silent)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// agopOn returns a patch-AGOP, computed on a team.
func agopOn(t testing.TB, team *team, k ConvKernel, s patchView, x, z Images, alpha *mat.Dense) *mat.SymDense {
	t.Helper()
	out, err := team.patchAGOP(context.Background(), k, s, x, z, alpha, silent)
	if err != nil {
		t.Fatal(err)
	}
	return out.Dense()
}
