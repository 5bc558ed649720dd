package crew

import (
	"context"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func crewOf(t *testing.T, threads int) *Crew {
	t.Helper()
	c, err := New("go", threads, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// The tiles on and above the diagonal are numbered row by row, and each is computed once. Together they are the matrix,
// also where the last ones are cut off.
func TestTiles(t *testing.T) {
	for _, n := range []int{1, 2, tileRows, tileRows + 1, 2*tileRows + 301} {
		x := mat.NewDense(n, 2, nil)
		for i := range n {
			x.SetRow(i, []float64{float64(i%17) - 3, float64(i % 5)})
		}
		var want mat.Dense
		want.Mul(x, x.T())
		dots := func(g *graph.Graph, u, v *graph.Node) *graph.Node { return g.MatMul(u, v, false, true) }
		for _, threads := range []int{1, 3} {
			got, last := mat.NewSymDense(n, nil), 0
			taken := make([]int, tilingOf(n).above())
			err := crewOf(t, threads).Tiles(context.Background(), x, dots, func(done, total int) {
				if last++; done != last || total != len(taken) {
					t.Errorf("n = %d: %d of %d tiles done after %d", n, done, total, last)
				}
			}, func(i, j int, tile *tensor.Dense) {
				taken[tilingOf(n).number(i, j)]++
				PutTile(got, i, j, tile)
			})
			if err != nil {
				t.Fatal(err)
			}
			if last != len(taken) || slices.Min(taken) != 1 || slices.Max(taken) != 1 {
				t.Errorf("n = %d: %d tiles, taken %v times", n, last, taken)
			}
			if !mat.Equal(got, &want) {
				t.Errorf("n = %d, %d threads: not the matrix", n, threads)
			}
		}
	}
}

// Tiles returns the first error of a tile's expression.
func TestTilesOfAMistake(t *testing.T) {
	wrong := func(g *graph.Graph, u, v *graph.Node) *graph.Node { return g.MatMul(u, v, false, false) }
	err := crewOf(t, 2).Tiles(context.Background(), mat.NewDense(3, 2, nil), wrong, nil, func(int, int, *tensor.Dense) {
		t.Error("a tile of an expression that is wrong")
	})
	if err == nil {
		t.Error("no error")
	}
}

// Moment returns the sum of its definition, also for weights that do not come from a kernel.
func TestMoment(t *testing.T) {
	weights := func(g *graph.Graph, u, v *graph.Node) *graph.Node {
		return g.Shift(2, g.MatMul(u, v, false, true)) // symmetric, and not 0 for a point with itself
	}
	for _, n := range []int{1, 2, 7, tileRows + 3} {
		const r, outputs = 3, 2
		p, alpha := mat.NewDense(n, r, nil), mat.NewDense(n, outputs, nil)
		for i := range n {
			p.SetRow(i, []float64{float64(i*7%13) / 13, float64(i*5%11) / 11, float64(i%3) - 1})
			alpha.SetRow(i, []float64{float64(i*3%7)/7 - .4, float64(i*11%17) / 17})
		}
		want := mat.NewSymDense(r, nil)
		for i := range n {
			for c := range outputs {
				delta := mat.NewVecDense(r, nil)
				for j := range n {
					var difference mat.VecDense
					difference.SubVec(p.RowView(i), p.RowView(j))
					delta.AddScaledVec(delta, (2+mat.Dot(p.RowView(i), p.RowView(j)))*alpha.At(j, c), &difference)
				}
				want.SymRankOne(want, 1, delta)
			}
		}
		c := crewOf(t, 2)
		got, kept, err := c.Moment(context.Background(), c.Devices[0], p, alpha, weights, nil)
		if err != nil {
			t.Fatal(err)
		}
		var off mat.Dense
		off.Sub(got, want)
		if e := mat.Norm(&off, 2); e > 1e-11*(1+mat.Norm(want, 2)) {
			t.Errorf("n = %d: %.1e off", n, e)
		}
		if n > 2 && !(kept > 1e-3 && kept < 2) || n == 1 && kept != 0 {
			t.Errorf("n = %d: a share of %v is kept", n, kept)
		}
	}
}
