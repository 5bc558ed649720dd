package rfm

import (
	"context"
	"fmt"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"gonum.org/v1/gonum/mat"
)

// TestConvTiles compares kernel matrices with the naive ones, for numbers of images that do not fill tiles, and for two
// sets of images. The number of threads and the number of patches that are kept do not change a bit of the matrix of
// one set.
func TestConvTiles(t *testing.T) {
	all := randomImages(1, 83, 4, 3, 1)
	metric := FullMetric(covariance(random(2), 9))
	s := patchViewOf(t, all, 3, false, metric, false)
	a := naiveOf(t, all, 3, 1, false, metric, false)
	k, u := CNTK{Layers: 1}, a.seeAll(all)
	want := a.matrix(k, u, u)
	for _, name := range gputest.Backends(t) {
		for _, n := range []int{1, 2, 17, 37, 83} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				x, alpha := all.Slice(0, n), mat.NewDense(n, n, nil)
				for i := range n {
					alpha.Set(i, i, 1) // with these coefficients the predictions are the kernel
				}
				one, two := teamOn(t, name, 1, graph.Single), teamOn(t, name, 2, graph.Single)
				gram := gramOn(t, one, k, s, x)
				if e := worst(gram, want.Slice(0, n, 0, n)); !(e < 1e-5) {
					t.Errorf("the kernel matrix is off by %v", e)
				}
				few := teamOn(t, name, 2, graph.Single)
				few.kept = 1
				third := teamOn(t, name, 2, graph.Single)
				third.kept = int64(n/3) * 4 * int64(s.size())
				for _, team := range []*team{two, few, third} {
					if !mat.Equal(gramOn(t, team, k, s, x), gram) {
						t.Error("the kernel matrix has other bits")
					}
				}
				for _, team := range []*team{one, two, few, third} {
					across, err := team.across(context.Background(), k, s, all, x, alpha, silent)
					if err != nil {
						t.Fatal(err)
					}
					if e := worst(across, want.Slice(0, 83, 0, n)); !(e < 1e-5) {
						t.Errorf("predictions are off by %v", e)
					}
				}
			})
		}
	}
}

// TestPatchAGOPTiles checks that the patch-AGOP of several images is the mean of their patch-AGOPs, and has the same
// bits for any number of threads and of patches that are kept. With several tiles of centres it agrees with the naive
// patch-AGOP.
func TestPatchAGOPTiles(t *testing.T) {
	all := randomImages(3, 83, 3, 4, 1)
	s, k, alpha := patchViewOf(t, all, 3, false, Identity(9), false), CNTK{Layers: 1}, normal(random(4), 83, 2)
	want := naiveOf(t, all, 3, 1, false, nil, false).agop(k, all.Slice(5, 7), all, alpha, 2e-4)
	for _, name := range gputest.Backends(t) {
		double := teamOn(t, name, 2, graph.Double)
		if e := far(agopOn(t, double, k, s, all.Slice(5, 7), all, alpha), want); !(e < 1e-5) {
			t.Errorf("%s: the patch-AGOP of a predictor of 83 centres is off by %v", name, e)
		}
		mean := mat.NewSymDense(9, nil)
		for i := range 37 {
			mean.AddSym(mean, agopOn(t, double, k, s, all.Slice(i, i+1), all, alpha))
		}
		mean.ScaleSym(1./37, mean)
		if e := far(agopOn(t, double, k, s, all.Slice(0, 37), all, alpha), mean); e > 1e-12 {
			t.Errorf("%s: the patch-AGOP of 37 images is off by %v from the mean of theirs", name, e)
		}
		for _, n := range []int{1, 2, 17, 83} {
			x := all.Slice(0, n)
			one, few := teamOn(t, name, 1, graph.Single), teamOn(t, name, 2, graph.Single)
			few.kept = 1
			got := agopOn(t, one, k, s, x, all, alpha)
			for _, team := range []*team{few, teamOn(t, name, 2, graph.Single)} {
				if !mat.Equal(agopOn(t, team, k, s, x, all, alpha), got) {
					t.Errorf("%s: the patch-AGOP of %d images has other bits on two threads", name, n)
				}
			}
		}
	}
}

// Every tile has at least one image on either side, also for a grid without positions, which is refused later.
func TestTileSides(t *testing.T) {
	for _, k := range []ConvKernel{CNTK{Layers: 2}, CNTK{Layers: 2, Pooled: true}, PatchLaplace{}} {
		for _, g := range []Grid{{Height: 3, Width: 3, Channels: 1, Patch: 4},
			{Height: 32, Width: 32, Channels: 3, Patch: 3}, {Height: 224, Width: 224, Channels: 3, Patch: 3}} {
			if rows, columns := TileSides(k, g); rows < 1 || columns < 1 || rows > 16 || columns > 64 {
				t.Errorf("%v, %+v: tiles of %d×%d", k, g, rows, columns)
			}
		}
	}
}
