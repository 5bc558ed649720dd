package cnfa

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"github.com/ansatz-lab/ansatz/models"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// tokens is a layer that reads the positions of images as tokens. It consists of a linear layer on the features that is
// used twice, a fused projection to queries, keys and values with two heads, and a projection that reads the heads.
type tokens struct{}

const tokenFeatures = 6

// Build implements [models.Layer].
func (tokens) Build(b *models.Builder, name string, x *graph.Node) *graph.Node {
	s := x.Shape()
	x = b.Reshape(x, s[0], s[1]*s[2], s[3])
	weight := func(layer string, shape ...int) *graph.Node {
		return b.Param(name+"."+layer, "weight", models.Normal{.4}, shape...)
	}
	mix := weight("mix", tokenFeatures, tokenFeatures)
	bias := b.Param(name+".mix", "bias", models.Normal{.1}, tokenFeatures)
	for range 2 {
		x = b.Tanh(b.LinearLayer(name+".mix", x, mix, bias))
	}
	x = b.Tanh(b.LinearLayer(name+".in", x, weight("in", 3*tokenFeatures, tokenFeatures), nil))
	b.Parts(name+".in", graph.QueryKeyValue(tokenFeatures, 2)...)
	x = b.LinearLayer(name+".out", x, weight("out", tokenFeatures, 3*tokenFeatures), nil)
	b.Parts(name+".out", graph.Part{Heads: 2, HeadColumns: true})
	return b.Reshape(b.Tanh(x), s[0], s[1], s[2], tokenFeatures)
}

func tokenNetwork(t *testing.T) *models.Network {
	t.Helper()
	a := &models.Architecture{
		Name: "tokens", Input: models.Shape{Channels: 2, Height: 6, Width: 4},
		Root: models.Sequential{
			{Name: "patch", Layer: models.Conv{
				Filters: tokenFeatures, Kernel: [2]int{2, 2}, Geometry: graph.Square(2, 0)}},
			{Name: "block", Layer: tokens{}}, {Name: "head", Layer: models.Linear{}},
		},
	}
	n, err := a.InitNetwork(a.Input, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// momentsAt returns Σδδᵀ at the pre-activation of a layer, summed over all its uses. It computes the gradients δ one by
// one.
func momentsAt(t *testing.T, net *models.Network, layer string, images int) *mat.SymDense {
	t.Helper()
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, err := net.Function(d, 1, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	set := noise{net.Input.Size()}
	var sum *mat.SymDense
	for i := range images {
		px, labels := make([]float32, set.size), make([]int, 1)
		if err := set.Load(context.Background(), i, i+1, px, labels); err != nil {
			t.Fatal(err)
		}
		for k, v := range px {
			f.Data(f.Inputs()[0]).Float64s()[k] = float64(v)
		}
		for _, l := range f.Layers {
			if l.Name != layer {
				continue
			}
			for _, u := range l.Uses() {
				diff, err := f.Differential(u.Pre)
				if err != nil {
					t.Fatal(err)
				}
				c := l.Filters()
				if sum == nil {
					sum = mat.NewSymDense(c, nil)
				}
				for k := range net.Classes {
					row := make([]float64, diff.Columns())
					if err := diff.Row(context.Background(), k, row, false); err != nil {
						t.Fatal(err)
					}
					sum.SymRankK(sum, 1, mat.NewDense(len(row)/c, c, row).T())
				}
			}
		}
	}
	return sum
}

// The measures of queries, keys, values and their heads, of the heads of an output projection and of a layer that is
// used twice agree with those from gradients that are computed one by one.
func TestVerifyTokens(t *testing.T) {
	const images = 5
	net := tokenNetwork(t)
	v, err := Verify(context.Background(), net, noise{net.Input.Size()}, Options{
		Images: images, Groups: 3, NullDraws: 4, Precision: graph.Double, Initial: tokenNetwork(t)})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range v.Layers {
		names = append(names, l.Name)
	}
	want := []string{"patch", "block.mix", "block.in/query", "block.in/key", "block.in/value", "block.out", "head"}
	if !reflect.DeepEqual(names, want) {
		t.Fatalf("layers %v, want %v", names, want)
	}
	pearson := func(w *mat.Dense, s *mat.SymDense) float64 {
		a := mat.DenseCopyOf(moment.Of(s).Sandwich(w))
		return stat.Correlation(gram(w).RawMatrix().Data, a.RawMatrix().Data, nil)
	}
	const d = tokenFeatures
	mix := momentsAt(t, net, "block.mix", images)
	check(t, "the shared layer", v.Layers[1].Pearson, pearson(net.Filters("block.mix"), mix))
	if n := v.Layers[1].Positions; n != 12 {
		t.Errorf("the shared layer has %d positions, want 6 tokens twice", n)
	}
	in := momentsAt(t, net, "block.in", images)
	for k, l := range v.Layers[2:5] {
		w := net.Filters(l.Name)
		if r, c := w.Dims(); r != d || c != d {
			t.Fatalf("%s has filters %d×%d, want %d×%d", l.Name, r, c, d, d)
		}
		s := moment.Of(in).Part(k*d, (k+1)*d)
		check(t, l.Name, l.Pearson, pearson(w, s.Sym()))
		if len(l.Heads) != 2 {
			t.Fatalf("%s has %d heads", l.Name, len(l.Heads))
		}
		for h, head := range l.Heads {
			rows := mat.DenseCopyOf(w.Slice(h*d/2, (h+1)*d/2, 0, d))
			check(t, l.Name+", a head", head.Pearson, pearson(rows, s.Part(h*d/2, (h+1)*d/2).Sym()))
			check(t, l.Name+", a head and itself", *head.PearsonInit, 1)
			if head.NullDraws != 4 || !(head.PearsonNullSD > 0) {
				t.Errorf("%s, head %d: %d draws of the null, deviation %v", l.Name, h, head.NullDraws,
					head.PearsonNullSD)
			}
		}
	}
	out, s := v.Layers[5], momentsAt(t, net, "block.out", images)
	w := net.Filters(out.Name)
	check(t, out.Name, out.Pearson, pearson(w, s))
	if len(out.Heads) != 2 {
		t.Fatalf("%s has %d heads", out.Name, len(out.Heads))
	}
	for h, head := range out.Heads {
		columns := mat.DenseCopyOf(w.Slice(0, d, h*3*d/2, (h+1)*3*d/2))
		check(t, out.Name+", a head", head.Pearson, pearson(columns, s))
	}
}

// Results for tokens do not depend on the number of threads and are the same from parts. A layer has the same result if
// it alone is chosen.
func TestVerifyTokensIsSteady(t *testing.T) {
	net := tokenNetwork(t)
	o := Options{Images: 7, Groups: 4, NullDraws: 3, Threads: 1}
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
	o.Layers = regexp.MustCompile("key$")
	if key := verifyWith(t, net, o); len(key) != 1 || key[0].Pearson != one[3].Pearson {
		t.Errorf("the keys alone: %+v, want %v", key, one[3].Pearson)
	}
}

func verifyWith(t *testing.T, net *models.Network, o Options) []LayerResult {
	t.Helper()
	v, err := Verify(context.Background(), net, noise{net.Input.Size()}, o)
	if err != nil {
		t.Fatal(err)
	}
	return v.Layers
}

// A tracker measures the parts of a layer. Only the part whose filters changed has a similarity of its change.
func TestTrackTokens(t *testing.T) {
	net := tokenNetwork(t)
	start := net.Clone()
	w := net.Value("block.in.weight").Float32s()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := tokenFeatures * tokenFeatures; i < 2*tokenFeatures*tokenFeatures; i++ {
		w[i] += float32(rng.NormFloat64())
	}
	tr, err := NewTracker(context.Background(), net, noise{net.Input.Size()}, Options{Images: 3, Initial: start})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	m, err := tr.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, changed := range map[int]bool{2: false, 3: true, 4: false} {
		if l := m.Layers[i]; (l.Change.Err == nil) != changed || l.Ansatz.Err != nil {
			t.Errorf("%s: %v, of the change %v", l.Name, l.Ansatz.Err, l.Change.Err)
		}
	}
}

// The kernel of a network with tokens and shared weights is JJᵀ.
func TestTokenKernel(t *testing.T) {
	net := tokenNetwork(t)
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
	n := k.Gram[0].SymmetricDim()
	for i := range n {
		for j := range n {
			if math.Abs(k.Gram[0].At(i, j)-want.At(i, j)) > 1e-10*want.At(i, i) {
				t.Fatalf("entry %d, %d is %v, want %v", i, j, k.Gram[0].At(i, j), want.At(i, j))
			}
		}
	}
}

// denseKernel returns JJᵀ, from rows of J that are computed one by one.
func denseKernel(t *testing.T, net *models.Network, px []float32, images int) *mat.Dense {
	t.Helper()
	d, err := backend.Open(backend.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, err := net.Function(d, 1, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	var wrt []*graph.Node
	for _, p := range net.Parameters() {
		if p.Trained {
			wrt = append(wrt, f.Named(p.Name))
		}
	}
	diff, err := f.Differential(wrt...)
	if err != nil {
		t.Fatal(err)
	}
	j := mat.NewDense(images*net.Classes, diff.Columns(), nil)
	size := net.Input.Size()
	for i := range images {
		for k, v := range px[i*size : (i+1)*size] {
			f.Data(f.Inputs()[0]).Data().([]float64)[k] = float64(v)
		}
		for k := range net.Classes {
			if err := diff.Row(context.Background(), k, j.RawRowView(i*net.Classes+k), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out mat.Dense
	out.Mul(j, j.T())
	return &out
}
