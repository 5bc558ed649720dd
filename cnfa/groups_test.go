package cnfa

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// grouped is a convolution with groups, computed as one product with a matrix that is zero outside the groups' blocks.
type grouped struct {
	filters, kernel, groups int
}

// Build implements [models.Layer].
func (l grouped) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	s := backend.ConvShape{N: x.Shape()[0], H: x.Shape()[1], W: x.Shape()[2], C: x.Shape()[3], Filters: l.filters,
		KH: l.kernel, KW: l.kernel, PadH: 1, PadW: 1}.Normal()
	patch := s.C * l.kernel * l.kernel
	w := b.Param(name, "weight", models.Normal{.5}, l.filters, s.C/l.groups, l.kernel, l.kernel)
	bias := b.Param(name, "bias", models.Normal{.1}, l.filters)
	tiles := b.Param(name, "tiles", pattern(func(i int) bool { return i/patch == i%patch%(patch/l.groups) }),
		patch/l.groups, patch)
	block := b.Param(name, "block", pattern(func(i int) bool {
		return i/patch/(l.filters/l.groups) == i%patch/(patch/l.groups)
	}), l.filters, patch)
	all := b.Mul(b.MatMul(b.Reshape(w, l.filters, patch/l.groups), tiles, false, false), block)
	pre := b.RowAdd(b.Linear(b.Patches(x, l.kernel, l.kernel, graph.Square(1, 1)), all), bias)
	pre = b.Reshape(pre, s.N, s.OutH(), s.OutW(), l.filters)
	b.Layer(graph.Layer{Use: graph.Use{Name: name, In: x, Pre: pre, Bias: bias, Conv: &s}, Weight: w})
	return pre
}

// pattern is a scheme of weights: 1 where it returns true for the index of an element, else 0.
type pattern func(i int) bool

// Draw implements [models.Scheme].
func (p pattern) Draw(_ *rand.Rand, v []float32, _ models.Place) {
	for i := range v {
		if p(i) {
			v[i] = 1
		}
	}
}

// String implements [models.Scheme].
func (p pattern) String() string { return "a pattern of 0 and 1" }

// groupedNetwork returns a network of convolutions with groups: 3 groups of three filters, 9 groups of one and 9 groups
// of two.
func groupedNetwork(t *testing.T, seed uint64) *models.Network {
	t.Helper()
	a := &models.Architecture{
		Name: "grouped", Input: models.Shape{Channels: 2, Height: 6, Width: 5},
		Root: models.Sequential{
			{Name: "stem", Layer: models.Conv3(6, 1, true)}, {Layer: models.Tanh{}},
			{Name: "groups", Layer: grouped{9, 3, 3}}, {Layer: models.Tanh{}},
			{Name: "depthwise", Layer: grouped{9, 3, 9}}, {Layer: models.Tanh{}},
			{Name: "twice", Layer: grouped{18, 1, 9}}, {Layer: models.Tanh{}},
			{Name: "head", Layer: models.Linear{}},
		},
	}
	n, err := a.InitNetwork(a.Input, 3, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The measures of layers with groups agree with those computed from the blocks themselves, with gradients that are
// computed one by one.
func TestVerifyGroups(t *testing.T) {
	const images = 5
	net, initial := groupedNetwork(t, 4), groupedNetwork(t, 9)
	for _, minus := range []bool{false, true} {
		v, err := Verify(context.Background(), net, noise{net.Input.Size()}, Options{
			Images: images, Groups: 3, NullDraws: 4, Precision: graph.Double, Initial: initial, FromInitial: minus})
		if err != nil {
			t.Fatal(err)
		}
		for i, groups := range map[int]int{1: 3, 2: 9, 3: 9} {
			l := v.Layers[i]
			if l.Groups != groups {
				t.Fatalf("%s has %d groups, want %d", l.Name, l.Groups, groups)
			}
			w, w0, s := net.Filters(l.Name), initial.Filters(l.Name), momentsAt(t, net, l.Name, images)
			change := mat.DenseCopyOf(w)
			if minus {
				change.Sub(w, w0)
			}
			n := l.Filters / groups
			var m, a, m0, mw []float64
			for g, block := range rowBlocks(w, groups) {
				sg := moment.Of(s).Part(g*n, (g+1)*n)
				agop := mat.DenseCopyOf(sg.Sandwich(block))
				a = append(a, agop.RawMatrix().Data...)
				m = append(m, gram(mat.DenseCopyOf(rowBlocks(change, groups)[g])).RawMatrix().Data...)
				m0 = append(m0, gram(mat.DenseCopyOf(rowBlocks(w0, groups)[g])).RawMatrix().Data...)
				mw = append(mw, gram(mat.DenseCopyOf(block)).RawMatrix().Data...)
				agop.Scale(1./images, agop)
				if !mat.EqualApprox(l.AGOPBlocks(w)[g], agop, 1e-9*mat.Norm(agop, 2)) {
					t.Errorf("%s: the AGOP of group %d differs", l.Name, g)
				}
			}
			check(t, l.Name, l.Pearson, stat.Correlation(m, a, nil))
			check(t, l.Name+", cosine", l.Cosine, cosine(m, a))
			check(t, l.Name+", initial", *l.PearsonInit, stat.Correlation(mw, m0, nil))
			if !(l.PearsonNullSD > 0) || (l.Null == Permutation) != (n == 1) {
				t.Errorf("%s: null %v, deviation %v", l.Name, l.Null, l.PearsonNullSD)
			}
		}
	}
}

// Results for layers with groups do not depend on the number of threads and are the same from parts, with probes too.
// Such layers can be tracked.
func TestVerifyGroupsIsSteady(t *testing.T) {
	net := groupedNetwork(t, 4)
	for _, probes := range []int{0, 2} {
		o := Options{Images: 7, Groups: 4, NullDraws: 3, Threads: 1, Probes: probes, Powers: []float64{.25}}
		one := verifyWith(t, net, o)
		o.Threads = 3
		if many := verifyWith(t, net, o); !reflect.DeepEqual(one, many) {
			t.Error("with 3 threads the result differs")
		}
		parts := map[int]*Part{}
		err := Gather(context.Background(), net, noise{net.Input.Size()}, o, 0, 4,
			func(k int, p *Part) error { parts[k] = p; return nil })
		if err != nil {
			t.Fatal(err)
		}
		v, err := VerifyParts(context.Background(), net, o, func(k int) (*Part, error) { return parts[k], nil })
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(one, v.Layers) {
			t.Error("from parts the result differs")
		}
	}
	tr, err := NewTracker(context.Background(), net, noise{net.Input.Size()},
		Options{Images: 3, Initial: groupedNetwork(t, 9)})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	m, err := tr.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range m.Layers {
		if l.Ansatz.Err != nil || l.Change.Err != nil {
			t.Errorf("%s: %v, of the change %v", l.Name, l.Ansatz.Err, l.Change.Err)
		}
	}
}

// The kernel of a network with groups is JJᵀ.
func TestGroupedKernel(t *testing.T) {
	net := groupedNetwork(t, 4)
	const images = 3
	px, labels := make([]float32, images*net.Input.Size()), make([]int, images)
	if err := (noise{net.Input.Size()}).Load(context.Background(), 0, images, px, labels); err != nil {
		t.Fatal(err)
	}
	k, err := net.NTK(context.Background(), px, models.NTKOptions{Precision: graph.Double})
	if err != nil {
		t.Fatal(err)
	}
	want := denseKernel(t, net, px, images)
	if n := k.Gram[0].SymmetricDim(); !mat.EqualApprox(k.Gram[0], want, 1e-10*mat.Norm(want, 2)) {
		t.Errorf("the kernel of %d rows is not JJᵀ", n)
	}
}
