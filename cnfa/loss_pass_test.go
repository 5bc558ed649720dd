package cnfa

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/fromonnx"
	"gonum.org/v1/gonum/mat"
)

// The gradients that a verification adds up agree with finite differences of the cross-entropy, and the moments of the
// inputs with the patches themselves. A verification from parts is the same to the bit.
func TestLossPass(t *testing.T) {
	const images = 9
	n := network(t, 1)
	o := Options{Images: images, Groups: 3, Precision: graph.Double, NullDraws: 2, Threads: 2,
		Alignments: statementsWithOracle(), Initial: network(t, 2)}
	if err := o.check(); err != nil {
		t.Fatal(err)
	}
	sums := map[string]*LossMoments{}
	parts := map[int]*Part{}
	err := Gather(context.Background(), n, noise{2 * 9 * 8}, o, 0, 3, func(k int, p *Part) error {
		parts[k] = p
		for i, l := range n.Layers() {
			x := p.Loss[i]
			if sums[l.Name] == nil {
				sums[l.Name] = &x
				continue
			}
			sum := sums[l.Name]
			sum.Loss = moment.Sum([]moment.Moment{sum.Loss, x.Loss}, 1)
			sum.Inputs = moment.Sum([]moment.Moment{sum.Inputs, x.Inputs}, 1)
			var g mat.Dense
			g.Add(sum.Gradient, x.Gradient)
			sum.Gradient = &g
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	px, labels := make([]float32, images*2*9*8), make([]int, images)
	if err := (noise{2 * 9 * 8}).Load(context.Background(), 0, images, px, labels); err != nil {
		t.Fatal(err)
	}
	for _, l := range n.Layers() {
		s := sums[l.Name]
		v := n.Value(l.Weight()).Float32s()
		for _, at := range []int{0, len(v) / 2, len(v) - 1} {
			const h = 1. / 4096
			was := v[at]
			v[at] = was + h
			up := crossEntropy(t, n, px, labels)
			v[at] = was - h
			down := crossEntropy(t, n, px, labels)
			v[at] = was
			want := (up - down) / (2 * h)
			if got := s.Gradient.RawMatrix().Data[at]; math.Abs(got-want) > 1e-3*(1+math.Abs(want)) {
				t.Errorf("%s: gradient %d is %v, by differences %v", l.Name, at, got, want)
			}
		}
		if l.Kind == "linear" {
			continue
		}
		h := patchesOf(t, n, l, px)
		if got, want := s.Inputs.Sym(), outer(mat.DenseCopyOf(h.T())); !mat.EqualApprox(got, want, 1e-3) {
			t.Errorf("%s: the moment of the input differs from that of the patches", l.Name)
		}
	}
	whole := verify(t, n, o)
	again, err := VerifyParts(context.Background(), n, o, func(k int) (*Part, error) { return parts[k], nil })
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range whole.Layers {
		for k, a := range l.Alignments {
			b := again.Layers[i].Alignments[k]
			if a.Value != b.Value || a.Null != b.Null || !errors.Is(a.Err, b.Err) {
				t.Errorf("%s: %s: %v from the whole, %v from parts", l.Name, a.Name, a.Value, b.Value)
			}
		}
	}
}

// crossEntropy returns the sum of the cross-entropies of the labelled images.
func crossEntropy(t *testing.T, n *models.Network, px []float32, labels []int) (sum float64) {
	t.Helper()
	z := outputs(t, n, px)
	for i, label := range labels {
		if label < 0 {
			continue
		}
		total := 0.
		for _, v := range z.RawRowView(i) {
			total += math.Exp(v)
		}
		sum += math.Log(total) - z.At(i, label)
	}
	return sum
}

// patchesOf returns the patches of a convolution with stride 1, one a row, in the order (channel, row, column).
func patchesOf(t *testing.T, n *models.Network, l models.LayerInfo, px []float32) *mat.Dense {
	t.Helper()
	in, s, err := Inputs(context.Background(), n, l.Name, px)
	if err != nil {
		t.Fatal(err)
	}
	images, k := len(in)/s.Size(), l.Patch[1]
	pad := (k - 1) / 2
	out := mat.NewDense(images*s.Height*s.Width, l.PatchSize(), nil)
	for r := range images * s.Height * s.Width {
		image, y, x := r/(s.Height*s.Width), r/s.Width%s.Height, r%s.Width
		for at := range l.PatchSize() {
			channel, row, column := at/(k*k), y+at/k%k-pad, x+at%k-pad
			if row >= 0 && row < s.Height && column >= 0 && column < s.Width {
				out.Set(r, at, float64(in[((image*s.Height+row)*s.Width+column)*s.Channels+channel]))
			}
		}
	}
	return out
}

// outputs returns the outputs of a network for images.
func outputs(t *testing.T, n *models.Network, px []float32) *mat.Dense {
	t.Helper()
	images := len(px) / n.Input.Size()
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, err := n.Function(d, images, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	x := f.Data(f.Inputs()[0]).Float64s()
	for i, v := range px {
		x[i] = float64(v)
	}
	for _, p := range f.Params() {
		for i, v := range n.Value(p.Name()).Float32s() {
			f.Data(p).Float64s()[i] = float64(v)
		}
	}
	p, err := f.Compile(graph.Plan{Outputs: []*graph.Node{f.Output}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return mat.NewDense(images, n.Classes, p.Value(f.Output).Float64s())
}

// A batch that is not full gives the same sums where a layer reads rows token by token, as PyTorch's attention does.
func TestTokensFirst(t *testing.T) {
	arch, err := fromonnx.Open("../models/fromonnx/testdata/attention-17-any.onnx")
	if err != nil {
		t.Fatal(err)
	}
	n, err := arch.Load(arch.Weights, arch.Input)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Images: 7, Groups: 2, Precision: graph.Double, NullDraws: 2, Threads: 2,
		Alignments: []string{ForwardRGA, InputCov}}
	var all []*Verification
	for _, o.Batch = range []int{1, 2, 3, 4} {
		v, err := Verify(t.Context(), n, noise{n.Input.Size()}, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for at, v := range all[1:] {
		for i, l := range v.Layers {
			for k, a := range l.Alignments {
				if want := all[0].Layers[i].Alignments[k]; math.Abs(a.Value-want.Value) > 1e-9 {
					t.Errorf("%s, %s: %v in batches of %d, %v image by image", l.Name, a.Name, a.Value, at+2, want.Value)
				}
			}
		}
	}
}

// The memory that is estimated for the sums of statements is at least that of the matrices that are kept, however many
// groups of images there are, and not many times as much.
func TestStatementSumsMemory(t *testing.T) {
	for _, c := range []struct{ filters, patch, groups int }{{64, 64, 20}, {64, 64, 100}, {64, 24, 100}, {24, 64, 100}} {
		l := models.LayerInfo{Name: "x", Kind: "linear", Filters: c.filters, Patch: []int{c.patch}, Positions: 100}
		o := Options{Images: c.groups, Groups: c.groups, Alignments: []string{LossAGOP, FACT, InputCov, CentredNFA}}
		if err := o.check(); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		w, w0 := random(rng, c.filters, c.patch), random(rng, c.filters, c.patch)
		m := newMeasuredLayer(l, false, graph.Double, func() *mat.Dense { return w })
		m.others = newStatementSums(l, o.needs(), o, m.whole, w, w0)
		square := func(n int) moment.Moment { return moment.Of(outer(random(rng, n, n))) }
		for range c.groups {
			m.add(m.fold(Group{1, square(c.filters)}, LossMoments{square(c.filters), square(c.patch), random(rng, c.filters, c.patch)}),
				sharedInputs{})
		}
		of := map[*mat.SymDense]bool{}
		for _, b := range m.whole {
			for _, g := range b.groups {
				of[g.core] = true
			}
			of[b.total] = true
		}
		own := int64(0)
		count := func(all ...*mat.SymDense) {
			for _, x := range all {
				if x != nil && !of[x] {
					of[x] = true
					own += 8 * int64(x.SymmetricDim()) * int64(x.SymmetricDim())
				}
			}
		}
		for _, b := range slices.Concat(m.others.loss, m.others.change) {
			count(b.total)
			for _, g := range b.groups {
				count(g.core)
			}
		}
		for _, x := range m.others.sets[0] {
			count(x.loss, x.inputs, x.outputs)
			own += 8 * int64(c.filters) * int64(c.patch)
		}
		if got := o.needs().bytes(l, o); got < own || got > 2*own {
			t.Errorf("%+v: %d bytes estimated, %d kept", c, got, own)
		}
	}
}
