package cnfa

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/archfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// noise is a set of random images. An image depends only on its index.
type noise struct{ size int }

func (n noise) Load(_ context.Context, lo, hi int, px []float32, labels []int) error {
	for i := lo; i < hi; i++ {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		for k := range n.size {
			px[(i-lo)*n.size+k] = float32(rng.NormFloat64())
		}
		labels[i-lo] = i%4 - 1 // -1 is unlabelled
	}
	return nil
}

const smallNet = `
input = [2, 9, 8]
[[layer]]
type = "conv"
name = "conv1"
filters = 6
kernel = 3
pad = 1
[[layer]]
type = "batchnorm"
name = "bn1"
[[layer]]
type = "relu"
[[layer]]
type = "maxpool"
size = 2
[[layer]]
type = "residual"
name = "block"
  [[layer.main]]
  type = "conv"
  name = "a"
  filters = 10
  kernel = 1
  [[layer.shortcut]]
  type = "conv"
  name = "b"
  filters = 10
  kernel = 3
  pad = 1
[[layer]]
type = "linear"
name = "fc1"
out = 40
[[layer]]
type = "tanh"
[[layer]]
type = "linear"
name = "fc2"
`

func network(t *testing.T, seed uint64) *models.Network {
	t.Helper()
	a, err := archfile.Parse([]byte(smallNet))
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 3, seed)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func verify(t *testing.T, n *models.Network, o Options) *Verification {
	t.Helper()
	v, err := Verify(context.Background(), n, noise{2 * 9 * 8}, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestVerifyAgainstAGOP compares every layer of a verification with the AGOP of that layer alone, a dense matrix from
// package graph. In the residual block two layers have the same cotangent.
func TestVerifyAgainstAGOP(t *testing.T) {
	const images = 11
	n := network(t, 1)
	v := verify(t, n, Options{Images: images, Groups: 4, Precision: graph.Double, NullDraws: 2})
	d, err := backend.Open(backend.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	f, err := n.Function(d, images, graph.Double)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"conv1", "block.a", "block.b", "fc1", "fc2"}
	if len(v.Layers) != len(names) {
		t.Fatalf("%d layers, want %v", len(v.Layers), names)
	}
	for i, l := range v.Layers {
		if l.Name != names[i] {
			t.Errorf("layer %d is %s, want %s", i, l.Name, names[i])
		}
		a, err := f.AGOP(context.Background(), l.Name+"/in", batch(images), graph.Outputs{})
		if err != nil {
			t.Fatal(err)
		}
		dense, m := mat.DenseCopyOf(a), gram(n.Filters(l.Name))
		check(t, l.Name+": Pearson", l.Pearson, similarity(m, dense, true))
		check(t, l.Name+": cosine", l.Cosine, similarity(m, dense, false))
		check(t, l.Name+": trace", l.AGOPTrace, mat.Trace(a))
		if e := mat.Norm(diff(l.S.Sandwich(n.Filters(l.Name)), a), 2); e > 1e-12*mat.Norm(a, 2) {
			t.Errorf("%s: WᵀSW is off by %.2g", l.Name, e)
		}
	}
	if v.Labelled != 8 || v.Images != images {
		t.Errorf("%d labelled of %d images, want 8 of %d", v.Labelled, v.Images, images)
	}
}

func batch(n int) func(func(*tensor.Dense, error) bool) {
	x, labels := make([]float32, n*2*9*8), make([]int, n)
	_ = noise{2 * 9 * 8}.Load(context.Background(), 0, n, x, labels)
	v := tensor.New(tensor.Of(tensor.Float64), tensor.WithShape(n, 9, 8, 2))
	for i, p := range x {
		v.Float64s()[i] = float64(p)
	}
	return func(yield func(*tensor.Dense, error) bool) { yield(v, nil) }
}

func diff(a, b mat.Matrix) *mat.Dense {
	var d mat.Dense
	d.Sub(a, b)
	return &d
}

// The result is the same to the bit for any number of workers.
func TestVerifyDoesNotDependOnWorkers(t *testing.T) {
	n := network(t, 2)
	var first []LayerResult
	for _, threads := range []int{1, 2, 3} {
		for _, probes := range []int{0, 5} {
			v := verify(t, n, Options{Images: 9, Groups: 5, Threads: threads, Probes: probes, NullDraws: 4, Seed: 3})
			if threads == 1 {
				first = append(first, v.Layers...)
				continue
			}
			for i, l := range v.Layers {
				want := first[i+probes/5*len(v.Layers)]
				if !reflect.DeepEqual(l.Similarity, want.Similarity) {
					t.Errorf("%d workers, %d probes, %s: %+v, with one worker %+v",
						threads, probes, l.Name, l.Similarity, want.Similarity)
				}
			}
		}
	}
}

// With probes the result differs from the exact one by at most a few standard errors.
func TestVerifyByProbes(t *testing.T) {
	n := network(t, 4)
	exact := verify(t, n, Options{Images: 40, NullDraws: 2})
	probed := verify(t, n, Options{Images: 40, NullDraws: 2, Probes: 16, Seed: 1})
	for i, l := range exact.Layers {
		p := probed.Layers[i]
		if l.Name != "fc2" &&
			(p.Pearson == l.Pearson || math.Abs(p.Pearson-l.Pearson) > 6*(p.PearsonStdErr+l.PearsonStdErr)) {
			t.Errorf("%s: %.4f ± %.4f by probes, %.4f ± %.4f exactly", l.Name, p.Pearson, p.PearsonStdErr, l.Pearson,
				l.PearsonStdErr)
		}
	}
}

// The batch size changes results only by rounding errors, with probes too, because the probes of an image do not depend
// on its batch.
func TestVerifyBatchSize(t *testing.T) {
	n := network(t, 4)
	for _, probes := range []int{0, 3} {
		whole := verify(t, n, Options{Images: 12, Groups: 3, NullDraws: 2, Probes: probes, Batch: 4})
		single := verify(t, n, Options{Images: 12, Groups: 3, NullDraws: 2, Probes: probes, Batch: 1})
		for i, l := range whole.Layers {
			if d := math.Abs(l.Pearson - single.Layers[i].Pearson); d > 1e-5 {
				t.Errorf("%d probes, %s: %g apart in batches of 4 and of 1", probes, l.Name, d)
			}
		}
	}
}

func TestVerifyWithInitial(t *testing.T) {
	n, n0 := network(t, 1), network(t, 2)
	v := verify(t, n, Options{Images: 4, Initial: n0, NullDraws: 2})
	from := verify(t, n, Options{Images: 4, Initial: n0, FromInitial: true, NullDraws: 2})
	for i, l := range v.Layers {
		if l.PearsonInit == nil {
			t.Fatalf("%s: no similarity with the initial filters", l.Name)
		}
		check(t, l.Name, *l.PearsonInit, similarity(gram(n.Filters(l.Name)), gram(n0.Filters(l.Name)), true))
		if l.Pearson == from.Layers[i].Pearson {
			t.Errorf("%s: the same similarity with W and with W − W₀", l.Name)
		}
	}
}

func TestVerifyChoosesLayers(t *testing.T) {
	v := verify(t, network(t, 1), Options{Images: 2, Layers: regexp.MustCompile(`^block`), NullDraws: 2})
	if len(v.Layers) != 2 || v.Layers[0].Name != "block.a" || v.Layers[1].Name != "block.b" {
		t.Errorf("layers %v", v.Layers)
	}
}

// A layer whose similarity is not defined has an error. The other layers are measured.
func TestVerifyDeadLayer(t *testing.T) {
	n := network(t, 1)
	n.Value("conv1.weight").Zero()
	v := verify(t, n, Options{Images: 3, NullDraws: 2})
	if !errors.Is(v.Layers[0].Err, ErrZero) {
		t.Errorf("conv1 with zero filters: %v", v.Layers[0].Err)
	}
	if v.Layers[4].Err != nil {
		t.Errorf("fc2: %v", v.Layers[4].Err)
	}
}

type broken struct{ noise }

func (b broken) Load(ctx context.Context, lo, hi int, px []float32, labels []int) error {
	if hi > 3 {
		return errors.New("image 3 does not decode")
	}
	return b.noise.Load(ctx, lo, hi, px, labels)
}

func TestVerifyMistakes(t *testing.T) {
	n := network(t, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		want string
		ctx  context.Context
		set  Images
		o    Options
	}{
		{"want at least 1", context.Background(), noise{144}, Options{}},
		{"must be at least 0", context.Background(), noise{144}, Options{Images: 1, Probes: -1}},
		{"needs the initial weights", context.Background(), noise{144}, Options{Images: 1, FromInitial: true}},
		{"no layer of", context.Background(), noise{144}, Options{Images: 1, Layers: regexp.MustCompile("nothere")}},
		{"does not decode", context.Background(), broken{noise{144}}, Options{Images: 9}},
		{"canceled", ctx, noise{144}, Options{Images: 9}},
		{"unknown backend", context.Background(), noise{144}, Options{Images: 1, Backend: "abacus"}},
	} {
		if _, err := Verify(c.ctx, n, c.set, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
}

func TestVerifyTellsProgress(t *testing.T) {
	var last map[string]Progress
	verify(t, network(t, 1), Options{Images: 5, Threads: 2, NullDraws: 2, Progress: func(p Progress) {
		if last == nil {
			last = map[string]Progress{}
		}
		if p.Done < last[p.Stage].Done {
			t.Errorf("%s went back from %d to %d", p.Stage, last[p.Stage].Done, p.Done)
		}
		last[p.Stage] = p
	}})
	want := map[string]Progress{"gradients": {"gradients", 15, 15}, "comparing": {"comparing", 5, 5}}
	if !reflect.DeepEqual(last, want) {
		t.Errorf("ended at %v, want %v", last, want)
	}
}

// Outputs that overflow are an error that names the image.
func TestVerifyOverflow(t *testing.T) {
	n := network(t, 1)
	for i := range n.Value("fc2.weight").Float32s() {
		n.Value("fc2.weight").Float32s()[i] = 3e38
	}
	_, err := Verify(context.Background(), n, noise{144}, Options{Images: 3, Threads: 1})
	if err == nil || !strings.Contains(err.Error(), "image 0 are not finite") {
		t.Errorf("outputs that overflow: %v", err)
	}
}

// A verification that does not fit in memory is refused before any image is read.
func TestVerifyMemory(t *testing.T) {
	var refused *MemoryError
	_, err := Verify(context.Background(), network(t, 1), broken{noise{144}}, Options{Images: 9, Memory: 1000})
	if !errors.As(err, &refused) || refused.Need <= 1000 || !strings.Contains(err.Error(), "--threads 1") {
		t.Errorf("a run in 1000 bytes: %v", err)
	}
	verify(t, network(t, 1), Options{Images: 9, Memory: 1 << 30})
}

// Moments of 40 000 outputs are refused before memory is allocated for them. The error recommends probes.
func TestVerifyMemoryOfOutputs(t *testing.T) {
	a, err := archfile.Parse([]byte("input = [1, 12, 12]\n[[layer]]\ntype = \"flatten\"\n[[layer]]\ntype = \"linear\"\n" +
		"name = \"fc\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := a.InitNetwork(a.Input, 40_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	var refused *MemoryError
	_, err = Verify(t.Context(), n, noise{144}, Options{Images: 9, Memory: 8 << 30})
	if !errors.As(err, &refused) || refused.Need < 19e9 || !strings.Contains(err.Error(), "probes") {
		t.Errorf("%v", err)
	}
}
