package models

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/mat"
)

// meanOverOutputs returns the mean, over k outputs, of the kernels of each output with itself.
func meanOverOutputs(a mat.Matrix, k int) *mat.Dense {
	r, c := a.Dims()
	out := mat.NewDense(r/k, c/k, nil)
	for i := range r / k {
		for j := range c / k {
			for o := range k {
				out.Set(i, j, out.At(i, j)+a.At(i*k+o, j*k+o)/float64(k))
			}
		}
	}
	return out
}

// crossOptions are several ways to compute a kernel: batch sizes, threads, precisions and backends.
var crossOptions = []NTKOptions{
	{}, {Batch: 2, Threads: 1}, {Batch: 3, Precision: graph.Double}, {Precision: graph.Double, Backend: "go", Threads: 3},
}

// tolerance bounds the relative error of a kernel.
func (o NTKOptions) tolerance() float64 {
	if o.Precision == graph.Double {
		return 1e-13
	}
	return 1e-6
}

// formsOf returns the blocks of each form of a kernel, computed from the full kernel of k outputs.
func formsOf(full mat.Matrix, k int) map[kernels.Form][]*mat.Dense {
	all := map[kernels.Form][]*mat.Dense{kernels.Full: {mat.DenseCopyOf(full)}, kernels.Trace: {meanOverOutputs(full, k)}}
	r, c := full.Dims()
	for o := range k {
		own := mat.NewDense(r/k, c/k, nil)
		own.Apply(func(i, j int, _ float64) float64 { return full.At(i*k+o, j*k+o) }, own)
		all[kernels.Diagonal] = append(all[kernels.Diagonal], own)
	}
	return all
}

// TestNTKForms checks that the blocks of a diagonal kernel are the parts of JJᵀ of each output with itself, and that
// the trace kernel is their mean. The kernels by layer must be the trace kernels of each layer's parameters alone.
func TestNTKForms(t *testing.T) {
	for _, norm := range []bool{false, true} {
		n, px := linearizable(t, norm, 7)
		j := rowsOfJacobian(t, n, px)
		var whole mat.Dense
		whole.Mul(j, j.T())
		want := formsOf(&whole, n.Classes)
		layers := n.ParametersByLayer()
		for _, o := range crossOptions {
			for form, blocks := range want {
				o.Form, o.ByLayer = form, true
				k, err := n.NTK(t.Context(), px, o)
				if err != nil {
					t.Fatal(err)
				}
				if len(k.Gram) != len(blocks) || len(k.Layers) != len(layers) {
					t.Fatalf("%+v: %d blocks and %d layers", o, len(k.Gram), len(k.Layers))
				}
				for b, block := range blocks {
					if e := relative(k.Gram[b], block); e > o.tolerance() || math.IsNaN(e) {
						t.Errorf("%+v: block %d: relative error %.2g", o, b, e)
					}
				}
				cross, err := n.CrossNTK(t.Context(), px, px, o)
				if err != nil {
					t.Fatal(err)
				}
				for i := range layers {
					if e := relative(cross.Layers[i], k.Layers[i]); e > o.tolerance() || math.IsNaN(e) {
						t.Errorf("%+v: layer %s of images with themselves: relative error %.2g", o, layers[i].Layer, e)
					}
				}
				for i, l := range layers {
					alone := o
					alone.Form, alone.ByLayer, alone.Of = kernels.Trace, false, l.Names
					one, err := n.NTK(t.Context(), px, alone)
					if err != nil {
						t.Fatal(err)
					}
					if e := relative(k.Layers[i], one.Gram[0]); e > o.tolerance() || math.IsNaN(e) {
						t.Errorf("%+v: layer %s: relative error %.2g", o, l.Layer, e)
					}
				}
			}
		}
	}
}

// timesByEntry multiplies α, images × outputs, by the blocks of a kernel, entry by entry.
func timesByEntry(blocks []*mat.Dense, alpha *mat.Dense) *mat.Dense {
	images, k := alpha.Dims()
	rows, columns := blocks[0].Dims()
	side := columns / images
	out := mat.NewDense(rows/side, k, nil)
	out.Apply(func(x, c int, _ float64) (sum float64) {
		for z := range images {
			switch {
			case side > 1:
				for d := range k {
					sum += blocks[0].At(x*k+c, z*k+d) * alpha.At(z, d)
				}
			default:
				sum += blocks[c%len(blocks)].At(x, z) * alpha.At(z, c)
			}
		}
		return sum
	}, out)
	return out
}

// TestCrossNTK checks that the kernel of images x with others z is J(x)J(z)ᵀ in every form, and that Times multiplies α
// by it.
func TestCrossNTK(t *testing.T) {
	for _, norm := range []bool{false, true} {
		n, px := linearizable(t, norm, 12)
		j := rowsOfJacobian(t, n, px)
		outputs := outputsOf(t, n, px)
		const rows = 5
		size, k := n.Input.Size(), n.Classes
		var want mat.Dense
		_, p := j.Dims()
		want.Mul(j.Slice(0, rows*k, 0, p), j.Slice(rows*k, 12*k, 0, p).T())
		for _, o := range crossOptions {
			for form, blocks := range formsOf(&want, k) {
				o.Form = form
				c, err := n.CrossNTK(t.Context(), px[:rows*size], px[rows*size:], o)
				if err != nil {
					t.Fatal(err)
				}
				alphas := []*mat.Dense{outputs.Slice(rows, 12, 0, k).(*mat.Dense), mat.NewDense(12-rows, k, nil)}
				alphas[1].Apply(func(i, j int, _ float64) float64 { return float64(i - 2*j) }, alphas[1])
				products := c.Times(alphas...)
				for b, block := range blocks {
					if e := relative(c.Gram[b], block); e > o.tolerance() || math.IsNaN(e) {
						t.Errorf("%+v: block %d: relative error %.2g", o, b, e)
					}
				}
				for i, alpha := range alphas {
					if e := relative(products[i], timesByEntry(blocks, alpha)); e > 10*o.tolerance() || math.IsNaN(e) {
						t.Errorf("%+v: relative error %.2g of the product with α", o, e)
					}
				}
				if e := relative(c.Outputs, outputs.Slice(0, rows, 0, k)); e > o.tolerance() {
					t.Errorf("%+v: relative error %.2g of the outputs", o, e)
				}
				if e := relative(c.Others, outputs.Slice(rows, 12, 0, k)); e > o.tolerance() || c.Parameters != p {
					t.Errorf("%+v: relative error %.2g of the others' outputs, %d parameters", o, e, c.Parameters)
				}
			}
		}
	}
	n, px := linearizable(t, false, 3)
	for _, bad := range [][2][]float32{{px, nil}, {nil, px}, {px, px[:7]}} {
		if _, err := n.CrossNTK(t.Context(), bad[0], bad[1], NTKOptions{}); err == nil {
			t.Errorf("%d and %d numbers are accepted", len(bad[0]), len(bad[1]))
		}
	}
}

// TestCrossNTKTiles checks that the kernel is the same to the bit, with one worker or several, if memory does not hold
// all gradients. It also checks that the kernel of images with themselves is the symmetric kernel.
func TestCrossNTKTiles(t *testing.T) {
	n, px := linearizable(t, false, 20)
	half := 11 * n.Input.Size()
	whole, err := n.CrossNTK(t.Context(), px[:half], px[half:], NTKOptions{Batch: 2, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	o := NTKOptions{Batch: 2, Threads: 3, Progress: func(done, total int) {
		if most = max(most, done); done > total {
			t.Errorf("%d gradients of %d", done, total)
		}
	}}
	team, err := newNTKWorkers(n, 20, o)
	if err != nil {
		t.Fatal(err)
	}
	cells := 8 * int64(11*9*n.Classes*n.Classes)
	perBatch := 2 * team.workers[0].j.RowBytes()
	o.Memory = cells + int64(len(team.workers))*(team.workers[0].j.ValueBytes()+ntkBatchBytes/4) + 5*perBatch
	team.close()
	tiled, err := n.CrossNTK(t.Context(), px[:half], px[half:], o)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(whole.Gram[0], tiled.Gram[0]) || !mat.Equal(whole.Others, tiled.Others) {
		t.Error("tiles change the kernel")
	}
	if most <= 20 {
		t.Errorf("gradients of %d images were computed: want those of some again", most)
	}
	o.Memory -= 4 * perBatch
	if _, err := n.CrossNTK(t.Context(), px[:half], px[half:], o); err == nil {
		t.Error("a memory for a batch of gradients is accepted, where two are needed")
	}
	all, err := n.NTK(t.Context(), px, NTKOptions{Batch: 2, Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	itself, err := n.CrossNTK(t.Context(), px, px, NTKOptions{Batch: 2, Precision: graph.Double})
	if err != nil || relative(itself.Gram[0], all.Gram[0]) > 1e-13 {
		t.Errorf("the kernel of images with themselves is another (%v)", err)
	}
}

// TestNTKByLayer checks that the kernels of the layers add up to that of the network, with batch norms and without. The
// kernel of the last bias is I between the outputs of any two images. CrossNTK of images with themselves gives the same
// kernel for every layer.
func TestNTKByLayer(t *testing.T) {
	for _, norm := range []bool{false, true} {
		n, px := linearizable(t, norm, 5)
		o := NTKOptions{Precision: graph.Double}
		whole, err := n.NTK(t.Context(), px, o)
		if err != nil {
			t.Fatal(err)
		}
		rows := whole.Gram.Rows()
		sum, size := mat.NewDense(rows, rows, nil), 0
		layers := n.ParametersByLayer()
		for _, l := range layers {
			o.Of = l.Names
			k, err := n.NTK(t.Context(), px, o)
			if err != nil {
				t.Fatal(err)
			}
			cross, err := n.CrossNTK(t.Context(), px, px, o)
			if err != nil || relative(cross.Gram[0], k.Gram[0]) > 1e-13 {
				t.Errorf("%s: the kernel of images with themselves is another (%v)", l.Layer, err)
			}
			if k.Parameters != l.Size || mat.Trace(k.Gram[0]) <= 0 {
				t.Errorf("%s: %d parameters, want %d; trace %v", l.Layer, k.Parameters, l.Size, mat.Trace(k.Gram[0]))
			}
			sum.Add(sum, k.Gram[0])
			size += l.Size
		}
		if len(layers) < 3 || size != n.Size() || relative(sum, whole.Gram[0]) > 1e-13 {
			t.Errorf("%d layers of %d parameters do not add up to %d", len(layers), size, n.Size())
		}
		last := layers[len(layers)-1].Names
		o.Of = last[len(last)-1:]
		bias, err := n.NTK(t.Context(), px, o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			for j := range rows {
				want := 0.
				if i%n.Classes == j%n.Classes {
					want = 1
				}
				if bias.Gram[0].At(i, j) != want {
					t.Fatalf("%s: Θ(%d, %d) is %v, want %v", o.Of, i, j, bias.Gram[0].At(i, j), want)
				}
			}
		}
	}
	n, px := linearizable(t, false, 2)
	if _, err := n.NTK(t.Context(), px, NTKOptions{Of: []string{"conv9.weight"}}); err == nil {
		t.Error("the kernel of a parameter that is not there is accepted")
	}
}

// A parameter that belongs to no layer, such as a class token, counts as a layer of its own name.
func TestParametersByLayerNamesAll(t *testing.T) {
	n := &Network{params: []Parameter{{Name: "token", Shape: []int{3}, Trained: true}, {Name: "a.fc.weight", Shape: []int{2, 2}, Trained: true},
		{Name: "place", Shape: []int{2}, Trained: true}, {Name: "a.fc.bias", Shape: []int{2}, Trained: true}}}
	var got []string
	for _, l := range n.ParametersByLayer() {
		got = append(got, fmt.Sprint(l.Layer, l.Names, l.Size))
	}
	if want := []string{"token[token] 3", "a.fc[a.fc.weight a.fc.bias] 6", "place[place] 2"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
