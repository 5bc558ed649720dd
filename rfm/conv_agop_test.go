package rfm

import (
	"fmt"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// agopCase is a predictor whose patch-AGOP is computed.
type agopCase struct {
	name   string
	kernel ConvKernel
	x, z   Images // z are the centres
	q      int
	pad    bool
	full   bool // M is a full matrix, not the identity
	step   float64
	tolerance,
	single float64 // of float32 against float64; 0 to leave that out
}

func (c agopCase) String() string {
	return fmt.Sprintf("%s: %v of depth %d, %s, q %d, pad %v, M %v", c.name, c.kernel, c.kernel.Depth(), c.x.shape(),
		c.q, c.pad, c.full)
}

// agopCases are predictors at other images and at their own centres, also where patches are nearly parallel or
// constant.
func agopCases() []agopCase {
	var cases []agopCase
	add := func(name string, k ConvKernel, x, z Images, pad, full bool) {
		cases = append(cases, agopCase{name: name, kernel: k, x: x, z: z, q: 3, pad: pad, full: full, step: 2e-4,
			tolerance: 1e-5, single: 1e-3})
	}
	for depth := 1; depth <= 3; depth++ {
		least := 2*depth + 1
		x, small := randomImages(uint64(depth), 2, least, least, 1), randomImages(5, 2, 3, 4, 2)
		for _, k := range []ConvKernel{CNTK{Layers: depth}, CNNGP{Layers: depth}} {
			add("training images", k, x.Slice(0, 1), x, false, depth != 2)
			add("training images", k, small, small, true, depth == 2)
			add("other images", k, randomImages(6, 1, 3, 4, 2), small, true, true)
		}
	}
	x := randomImages(7, 3, 4, 5, 2)
	add("training images", PatchLaplace{Bandwidth: 2}, x, x, false, true)
	add("training images", PatchLaplace{}, x, x, true, false)
	add("training images", CNTK{Layers: 2, Pooled: true}, x.Slice(0, 1), x.Slice(0, 2), true, true)
	add("training images", CNTK{Layers: 1, Pooled: true}, x, x, false, false)
	odd := oddImages(8, 5, 5, 1)
	add("twice, with zeros, constant, all zeros", CNTK{Layers: 2}, odd, odd.Slice(0, 3), false, true)
	add("twice, with zeros, constant, all zeros", CNNGP{Layers: 2}, odd.Slice(1, 4), odd.Slice(0, 2), true, false)
	add("twice, with zeros, constant, all zeros", PatchLaplace{Bandwidth: 1}, odd, odd, false, true)
	constant := Images{Height: 3, Width: 4, Channels: 1, Pixels: make([]float32, 36)}
	for i := range constant.Pixels {
		constant.Pixels[i] = []float32{.3, .7, 1}[i/12]
	}
	add("constant images", CNTK{Layers: 2}, constant, constant, true, true)
	return append(cases, nearCases()...)
}

// nearCases are images whose patches are nearly parallel to those of a centre. The angles are about as large as the
// noise, and the step of the differences is small beside them. With a noise of 1e-6, float64 has the derivative only to
// a few 1e-4, and the naive machine has exact angles only between patches, so that the depth is 1. float32 does not
// tell such patches from equal ones, and is not compared.
func nearCases() []agopCase {
	var cases []agopCase
	for depth := 1; depth <= 3; depth++ {
		x := randomImages(uint64(20+depth), 2, 2*depth+1, 2*depth+1, 1)
		for _, k := range []ConvKernel{CNTK{Layers: depth}, CNNGP{Layers: depth}} {
			cases = append(cases, agopCase{name: "nearly parallel", kernel: k, x: x.Slice(0, 1), z: near(x, 1e-2), q: 3,
				full: depth == 2, step: 2e-5, tolerance: 1e-5})
		}
	}
	x := randomImages(30, 3, 3, 4, 1)
	return append(cases, agopCase{name: "almost parallel", kernel: CNTK{Layers: 1}, x: x, z: near(x, 1e-6), q: 3,
		step: 1e-9, tolerance: 2e-3})
}

// near returns the images times 1+1e-3, with noise.
func near(x Images, noise float64) Images {
	rng, out := random(40), x
	out.Pixels = append([]float32(nil), x.Pixels...)
	for i, v := range x.Pixels {
		out.Pixels[i] = float32(float64(v)*(1+1e-3) + noise*rng.NormFloat64())
	}
	return out
}

// TestPatchAGOP compares patch-AGOPs with central differences on every backend, and float32 with float64.
func TestPatchAGOP(t *testing.T) {
	for _, c := range agopCases() {
		d := c.x.Channels * c.q * c.q
		alpha, metric, root := normal(random(50), c.z.Len(), 3), Identity(d), (*Metric)(nil)
		if c.full {
			metric = FullMetric(covariance(random(51), d))
			root = metric
		}
		want := naiveOf(t, c.x, c.q, c.kernel.Depth(), c.pad, root, false).agop(c.kernel, c.x, c.z, alpha, c.step)
		s := patchViewOf(t, c.x, c.q, c.pad, metric, false)
		for _, name := range gputest.Backends(t) {
			double := agopOn(t, teamOn(t, name, 2, graph.Double), c.kernel, s, c.x, c.z, alpha)
			if e := far(double, want); !(e < c.tolerance) {
				t.Errorf("%v, %s: off by %v", c, name, e)
			}
			if c.single == 0 {
				continue
			}
			if e := far(agopOn(t, teamOn(t, name, 2, graph.Single), c.kernel, s, c.x, c.z, alpha),
				double); !(e < c.single) {
				t.Errorf("%v, %s: float32 is off by %v from float64", c, name, e)
			}
		}
	}
}

// TestPatchAGOPOfZeros checks that the patch-AGOP is 0 at an image of zeros, and for a predictor whose only centre is
// an image of zeros. With an image of zeros among other images and centres it has no NaN.
func TestPatchAGOPOfZeros(t *testing.T) {
	zeros := Images{Height: 5, Width: 5, Channels: 2, Pixels: make([]float32, 50)}
	z := randomImages(1, 4, 5, 5, 2)
	copy(z.Pixels, zeros.Pixels)
	alpha := normal(random(2), 4, 2)
	for _, k := range []ConvKernel{CNTK{Layers: 1}, CNTK{Layers: 2}, CNTK{Layers: 2, Pooled: true}, CNNGP{Layers: 1},
		CNNGP{Layers: 2}} {
		for _, p := range []graph.Precision{graph.Single, graph.Double} {
			for _, name := range gputest.Backends(t) {
				s, team := patchViewOf(t, z, 3, false, Identity(18), false), teamOn(t, name, 1, p)
				if m := agopOn(t, team, k, s, zeros, z, alpha); !finite(m) || mat.Norm(m, 2) > 0 {
					t.Errorf("%v of depth %d, %s: the patch-AGOP at an image of zeros has the norm %v, want 0",
						k, k.Depth(), name, mat.Norm(m, 2))
				}
				if m := agopOn(t, team, k, s, z, zeros, alpha.Slice(0, 1, 0, 2).(*mat.Dense)); mat.Norm(m, 2) > 0 ||
					!finite(m) {
					t.Errorf("%v of depth %d, %s: a predictor from an image of zeros has the patch-AGOP %v, want 0",
						k, k.Depth(), name, mat.Norm(m, 2))
				}
				if m := agopOn(t, team, k, s, z, z, alpha); !finite(m) || mat.Norm(m, 2) == 0 {
					t.Errorf("%v of depth %d, %s: the patch-AGOP has the norm %v", k, k.Depth(), name, mat.Norm(m, 2))
				}
			}
		}
	}
}
