package models

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/values"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// linearizable returns a small network with all kinds of trained weights, except those of a batch norm if norm is
// false, and random images.
func linearizable(t *testing.T, norm bool, images int) (*Network, []float32) {
	t.Helper()
	layers := Sequential{{"conv1", Conv{Filters: 3, Kernel: [2]int{3, 3}}}}
	if norm {
		layers = append(layers, Sequential{{"bn", BatchNorm{}}}...)
	}
	layers = append(layers, Sequential{
		{"", Tanh{}}, {"conv2", Conv{Filters: 4, Kernel: [2]int{3, 3}, NoBias: true}}, {"", ReLU{}},
		{"fc1", Linear{Out: 6}}, {"", Tanh{}}, {"fc2", Linear{}},
	}...)
	a := &Architecture{Name: "linearizable", Input: Shape{2, 6, 6}, Root: layers}
	n, err := a.InitNetwork(a.Input, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(6, 7))
	px := make([]float32, images*a.Input.Size())
	for i := range px {
		px[i] = float32(rng.NormFloat64())
	}
	return n, px
}

// rowsOfJacobian returns J of all images in double precision, computed row by row.
func rowsOfJacobian(t *testing.T, n *Network, px []float32) *mat.Dense {
	t.Helper()
	d := device(t)
	f, err := n.Function(d, 1, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	diff, err := f.Differential(n.trained(f)...)
	if err != nil {
		t.Fatal(err)
	}
	size := n.Input.Size()
	j := mat.NewDense(len(px)/size*n.Classes, diff.Columns(), nil)
	for i := range len(px) / size {
		values.CopyFrom(f.Data(f.Inputs()[0]), px[i*size:(i+1)*size])
		for k := range n.Classes {
			if err := diff.Row(context.Background(), k, j.RawRowView(i*n.Classes+k), k > 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	return j
}

func relative(got, want mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(got, want)
	return mat.Norm(&d, 2) / mat.Norm(want, 2)
}

// TestNTK checks that the kernel is JJᵀ, with J computed row by row. It varies the batch size and the number of
// threads, and uses both backends and both precisions.
func TestNTK(t *testing.T) {
	for _, norm := range []bool{false, true} {
		n, px := linearizable(t, norm, 7)
		j := rowsOfJacobian(t, n, px)
		var want mat.Dense
		want.Mul(j, j.T())
		f := outputsOf(t, n, px)
		for _, o := range []NTKOptions{
			{}, {Batch: 3, Threads: 1}, {Batch: 3, Precision: graph.Double},
			{Precision: graph.Double, Backend: "go", Threads: 3}, {Batch: 3, Backend: "go"},
		} {
			k, err := n.NTK(context.Background(), px, o)
			if err != nil {
				t.Fatal(err)
			}
			tolerance := 1e-6
			if o.Precision == graph.Double {
				tolerance = 1e-13
			}
			if e := relative(k.Gram[0], &want); e > tolerance || math.IsNaN(e) {
				t.Errorf("%+v: relative error %.2g of the kernel", o, e)
			}
			if e := relative(k.Outputs, f); e > tolerance {
				t.Errorf("%+v: relative error %.2g of the outputs", o, e)
			}
			if _, p := j.Dims(); k.Parameters != p || p != n.Size() {
				t.Errorf("%d parameters, want %d", k.Parameters, p)
			}
		}
	}
}

// outputsOf returns f(w₀, x) in double precision.
func outputsOf(t *testing.T, n *Network, px []float32) *mat.Dense {
	t.Helper()
	l, err := n.Linearize(device(t), 3, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	f, err := l.Predict(context.Background(), px)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestNTKTiles checks that the kernel is the same to the bit, with one worker or several, if gradients are computed
// again because memory does not hold them all.
func TestNTKTiles(t *testing.T) {
	n, px := linearizable(t, false, 20)
	whole, err := n.NTK(context.Background(), px, NTKOptions{Batch: 2, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	team, err := newNTKTeam(n, 20, NTKOptions{Batch: 2, Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer team.close()
	team.tiles = split(len(team.batches), 3)
	made := 0
	team.o.Progress = func(done, total int) {
		if made = done; done > total {
			t.Errorf("%d gradients of %d", done, total)
		}
	}
	tiled, err := team.run(context.Background(), px)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(whole.Gram[0], tiled.Gram[0]) {
		t.Error("a kernel in tiles is another")
	}
	if len(team.tiles) < 3 || made <= 20 || made != team.total {
		t.Errorf("%d tiles, %d gradients of images, said to be %d", len(team.tiles), made, team.total)
	}
}

// TestNTKMemory checks that a memory limit divides the images into tiles, and that a limit with room for less than two
// batches is refused.
func TestNTKMemory(t *testing.T) {
	n, px := linearizable(t, false, 40)
	team, err := newNTKTeam(n, 40, NTKOptions{Batch: 4, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer team.close()
	if len(team.tiles) != 1 {
		t.Errorf("%d tiles without a limit", len(team.tiles))
	}
	base := 8*int64(120*120) + team.workers[0].j.ValueBytes() + ntkBatchBytes/4
	rows := team.workers[0].j.RowBytes()
	team.o.Memory = base + 4*rows*4
	if team.tiles, err = team.tile([2]int{0, len(team.batches)}, 8*120*120); err != nil || len(team.tiles) != 5 {
		t.Errorf("room for four batches of ten: %d tiles, %v", len(team.tiles), err)
	}
	var refused *NTKMemoryError
	if _, err := n.NTK(context.Background(), px, NTKOptions{Batch: 4, Threads: 1, Memory: base + rows}); !errors.As(err,
		&refused) || refused.Rows != 120 {
		t.Errorf("room for less than two batches: %v", err)
	}
}

func TestNTKMistakes(t *testing.T) {
	n, px := linearizable(t, false, 2)
	for _, bad := range [][]float32{nil, px[1:]} {
		if _, err := n.NTK(context.Background(), bad, NTKOptions{}); err == nil {
			t.Errorf("%d numbers for images: no error", len(bad))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := n.NTK(ctx, px, NTKOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
	n.Value("fc2.bias").Float32s()[0] = float32(math.NaN())
	if _, err := n.NTK(context.Background(), px, NTKOptions{}); err == nil {
		t.Error("a weight that is NaN: no error")
	}
}

// TestNTKParts checks that a kernel that is put together from any number of blocks is the kernel that one process
// computes, to the bit, in every form and by layer.
func TestNTKParts(t *testing.T) {
	for _, norm := range []bool{false, true} {
		n, px := linearizable(t, norm, 20)
		size := n.Input.Size()
		for _, o := range []NTKOptions{
			{}, {ByLayer: true}, {Form: kernels.Trace}, {Form: kernels.Diagonal}, {Form: kernels.Diagonal, ByLayer: true},
		} {
			o.Batch, o.Threads = 3, 2
			whole, err := n.NTK(context.Background(), px, o)
			if err != nil {
				t.Fatal(err)
			}
			p, err := n.NTKParts(20, o)
			if err != nil {
				t.Fatal(err)
			}
			load := func(first, last int) ([]float32, error) { return px[first*size : last*size], nil }
			for _, blocks := range []int{1, 2, 3, p.Batches()} {
				k := p.Empty()
				sides := split(p.Batches(), (p.Batches()+blocks-1)/blocks)
				for i, row := range sides {
					for _, column := range sides[i:] {
						rows, columns := BatchRange{row[0], row[1]}, BatchRange{column[0], column[1]}
						part, err := p.Compute(context.Background(), rows, columns, load)
						if err == nil {
							err = p.Set(k, rows, columns, part)
						}
						if err != nil {
							t.Fatal(err)
						}
					}
				}
				same := func(a, b *mat.SymDense) bool { return mat.Equal(a, b) }
				if !slices.EqualFunc(k.Gram, whole.Gram, same) || !slices.EqualFunc(k.Layers, whole.Layers, same) {
					t.Errorf("%+v in %d blocks, batch norm %v: another kernel", o, blocks, norm)
				}
			}
		}
	}
}

// TestNTKPartsMistakes checks that invalid blocks, a wrong number of pixels, and blocks that are too large for the
// memory limit are refused.
func TestNTKPartsMistakes(t *testing.T) {
	n, px := linearizable(t, false, 6)
	if _, err := n.NTKParts(0, NTKOptions{}); err == nil {
		t.Error("the kernel of no image")
	}
	p, err := n.NTKParts(6, NTKOptions{Batch: 2})
	if err != nil {
		t.Fatal(err)
	}
	load := func(first, last int) ([]float32, error) {
		size := n.Input.Size()
		return px[first*size : last*size], nil
	}
	few := func(_, _ int) ([]float32, error) { return px[1:], nil }
	if _, err := p.Compute(context.Background(), BatchRange{0, 1}, BatchRange{1, 2}, load); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]BatchRange{
		{{-1, 1}, {1, 2}}, {{1, 1}, {1, 2}}, {{0, 1}, {2, 4}}, {{1, 2}, {0, 1}}, {{0, 2}, {1, 3}},
	} {
		if _, err := p.Compute(context.Background(), c[0], c[1], load); err == nil {
			t.Errorf("block %v is computed", c)
		}
	}
	if _, err := p.Compute(context.Background(), BatchRange{0, 1}, BatchRange{1, 2}, few); err == nil {
		t.Error("other pixels are taken")
	}
	p.o.Memory = 1
	var memory *NTKMemoryError
	if _, err := p.Compute(context.Background(), BatchRange{0, 1}, BatchRange{1, 2}, load); !errors.As(err, &memory) ||
		p.Bytes(BatchRange{0, 1}, BatchRange{0, 1}) >= p.Bytes(BatchRange{0, 1}, BatchRange{1, 2}) {
		t.Errorf("%v", err)
	}
	part := &kernels.Block{Gram: []*mat.Dense{mat.NewDense(6, 3, nil)}}
	if p.Set(p.Empty(), BatchRange{0, 1}, BatchRange{1, 2}, part) == nil {
		t.Error("a part of another size is taken")
	}
	if p.Set(p.Empty(), BatchRange{0, 1}, BatchRange{1, 2}, &kernels.Block{}) == nil {
		t.Error("a part without blocks is taken")
	}
}
