package infinite

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/models"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"github.com/ansatz-lab/ansatz/models/layers"
	"gonum.org/v1/gonum/mat"
)

func conv(filters, size, stride, pad int) models.Conv {
	return models.Conv{Filters: filters, Kernel: [2]int{size, size}, Geometry: graph.Square(stride, pad)}
}

// nets returns architectures that together have most kinds of layers with a closed form.
func nets(t testing.TB) map[string]*models.Architecture {
	t.Helper()
	relu, erf := models.ReLU{}, layers.Erf
	all := map[string]models.Sequential{
		"perceptron": {{Name: "a", Layer: models.Linear{Out: 8}}, {Layer: relu}, {Name: "b", Layer: models.Linear{Out: 8}},
			{Layer: relu}, {Name: "c", Layer: models.Linear{}}},
		"erf": {{Name: "a", Layer: models.Linear{Out: 8}}, {Layer: erf}, {Name: "b", Layer: models.Linear{Out: 8, NoBias: true}},
			{Layer: erf}, {Name: "c", Layer: models.Linear{}}},
		"convolutions": {{Name: "a", Layer: conv(8, 3, 1, 1)}, {Layer: relu}, {Name: "b", Layer: conv(8, 3, 2, 1)}, {Layer: relu},
			{Layer: models.Flatten{}}, {Name: "c", Layer: models.Linear{}}},
		"pools": {{Name: "a", Layer: conv(8, 3, 1, 1)}, {Layer: relu}, {Layer: models.AvgPool(models.SquarePool(2, 2, 0))},
			{Name: "b", Layer: conv(8, 3, 1, 1)}, {Layer: relu}, {Layer: models.AdaptiveAvgPool{H: 1, W: 1}},
			{Name: "c", Layer: models.Linear{}}},
		"residual": {{Name: "a", Layer: conv(8, 3, 1, 1)},
			{Name: "block", Layer: models.Residual{Linear: true, Main: models.Sequential{{Layer: relu},
				{Name: "m", Layer: conv(8, 3, 2, 1)}}, Shortcut: models.Sequential{{Name: "s", Layer: conv(8, 1, 2, 0)}}}},
			{Name: "same", Layer: models.Residual{Linear: true, Main: models.Sequential{{Layer: relu},
				{Name: "m", Layer: conv(8, 3, 1, 1)}}}},
			{Layer: relu}, {Layer: models.AvgPool(graph.Pool2D{SizeH: 2, SizeW: 2, StrideH: 1, StrideW: 1, PadH: 1, PadW: 1})},
			{Layer: models.Flatten{}}, {Name: "c", Layer: models.Linear{}}},
	}
	archs := map[string]*models.Architecture{}
	for name, root := range all {
		a := &models.Architecture{Name: name, Input: models.Shape{Channels: 2, Height: 6, Width: 5}, Root: root}
		if err := a.SetParameterisation("ntk:1.6:0.4"); err != nil {
			t.Fatal(err)
		}
		archs[name] = a
	}
	return archs
}

func pixels(a *models.Architecture, n int) []float32 {
	rng := rand.New(rand.NewPCG(3, 4))
	px := make([]float32, n*a.Input.Size())
	for i := range px {
		px[i] = float32(rng.NormFloat64())
	}
	return px
}

func distance(got, want mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(got, want)
	return mat.Norm(&d, 2) / mat.Norm(want, 2)
}

// TestWideNetworks checks that the kernels are close to those of wide finite networks: to the mean of the tangent
// kernels and to the covariance of the outputs, over many initialisations.
func TestWideNetworks(t *testing.T) {
	const images, seeds, outputs = 3, 24, 16
	for name, a := range nets(t) {
		t.Run(name, func(t *testing.T) {
			px := pixels(a, images)
			want, err := OfAll(t.Context(), a, a.Input, px, Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			a.Width = 16
			tangent, covariance := mat.NewDense(images, images, nil), mat.NewDense(images, images, nil)
			for seed := range uint64(seeds) {
				n, err := a.InitNetwork(a.Input, outputs, seed)
				if err != nil {
					t.Fatal(err)
				}
				k, err := n.NTK(t.Context(), px, models.NTKOptions{Form: kernels.Trace})
				if err != nil {
					t.Fatal(err)
				}
				tangent.Add(tangent, k.Gram[0])
				var outer mat.Dense
				outer.Mul(k.Outputs, k.Outputs.T())
				covariance.Add(covariance, &outer)
			}
			tangent.Scale(1./seeds, tangent)
			covariance.Scale(1./(seeds*outputs), covariance)
			if e := distance(tangent, want.Tangent); !(e < .05) {
				t.Errorf("the tangent kernel is off by %.3f:\n%.4g\n%.4g", e, mat.Formatted(tangent), mat.Formatted(want.Tangent))
			}
			if e := distance(covariance, want.Covariance); !(e < .2) {
				t.Errorf("the covariance is off by %.3f:\n%.4g\n%.4g", e, mat.Formatted(covariance),
					mat.Formatted(want.Covariance))
			}
		})
	}
}

// TestPerceptrons compares the kernels of perceptrons with the recursion over layers for each pair of images, in which
// the covariances are single numbers.
func TestPerceptrons(t *testing.T) {
	w, b := 1.6*1.6, .4*.4
	relu := func(k, p, q float64) (float64, float64) {
		t := math.Max(-1, math.Min(1, k/math.Sqrt(p*q)))
		angle := math.Acos(t)
		return math.Sqrt(p*q) / (2 * math.Pi) * (math.Sin(angle) + (math.Pi-angle)*t), (math.Pi - angle) / (2 * math.Pi)
	}
	erf := func(k, p, q float64) (float64, float64) {
		s := (1 + 2*p) * (1 + 2*q)
		return 2 / math.Pi * math.Asin(2*k/math.Sqrt(s)), 4 / math.Pi / math.Sqrt(s-4*k*k)
	}
	for name, c := range map[string]struct {
		phi    func(k, p, q float64) (float64, float64)
		biases []float64 // of the three layers
	}{"perceptron": {relu, []float64{b, b, b}}, "erf": {erf, []float64{b, 0, b}}} {
		a := nets(t)[name]
		px := pixels(a, 4)
		got, err := Of(t.Context(), a, a.Input, px[:3*a.Input.Size()], px, Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			for j := range 4 {
				dot := func(i, j int) (s float64) {
					n := a.Input.Size()
					for k := range n {
						s += float64(px[i*n+k]) * float64(px[j*n+k])
					}
					return s / float64(n)
				}
				k, p, q, theta := dot(i, j), dot(i, i), dot(j, j), 0.
				for l, bias := range c.biases {
					if l > 0 {
						var slopes float64
						value, slopes := c.phi(k, p, q)
						theta *= slopes
						k, p, q = value, first(c.phi(p, p, p)), first(c.phi(q, q, q))
					}
					k, p, q = w*k+bias, w*p+bias, w*q+bias
					theta = w*theta + k
				}
				if x, y := got.Covariance.At(i, j), got.Tangent.At(i, j); math.Abs(x-k) > 1e-7*math.Abs(k) || math.Abs(y-theta) > 1e-7*math.Abs(theta) {
					t.Errorf("%s, images %d and %d: %v and %v, want %v and %v", name, i, j, x, y, k, theta)
				}
			}
		}
	}
}

func first(x, _ float64) float64 { return x }

// TestTiles checks that kernels do not depend on how they are divided into tiles and among threads, and that the kernel
// of some images with others is a block of the kernel of all images.
func TestTiles(t *testing.T) {
	a := nets(t)["residual"]
	const images = 7
	px, size := pixels(a, images), a.Input.Size()
	want, err := OfAll(t.Context(), a, a.Input, px, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Of(t.Context(), a, a.Input, px[:2*size], px[2*size:], Options{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	if e := distance(got.Tangent, want.Tangent.Slice(0, 2, 2, images)); e > 1e-12 {
		t.Errorf("the block of a kernel is off by %.2g", e)
	}
	alone, err := openTeam(a, a.Input, 1, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.close()
	limit := 3 * alone.tiles[0].program.Bytes()
	small, err := openTeam(a, a.Input, images, Options{Threads: 1, Memory: limit})
	if err != nil {
		t.Fatal(err)
	}
	defer small.close()
	if used := small.tiles[0].program.Bytes(); used > limit {
		t.Errorf("a tile takes %d bytes, and the limit is %d", used, limit)
	}
	one, err := OfAll(t.Context(), a, a.Input, px[:size], Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := one.Tangent.At(0, 0), want.Tangent.At(0, 0); math.Abs(x-y) > 1e-12*y {
		t.Errorf("one image alone has %v, with others %v", x, y)
	}
}

// TestRefuses checks that networks without a closed form are refused with an error that names the layer and the reason.
// A network in the standard parameterisation and a memory limit that is too low are refused too.
func TestRefuses(t *testing.T) {
	linear, relu := models.Named{Name: "fc", Layer: models.Linear{}}, models.Named{Layer: models.ReLU{}}
	first := models.Named{Name: "conv", Layer: conv(4, 3, 1, 1)}
	for want, root := range map[string]models.Sequential{
		"layer 2: a layer of type MaxPool":     {first, {Layer: models.MaxPool(models.SquarePool(2, 2, 0))}, linear},
		"bn: a layer of type BatchNorm":        {first, {Name: "bn", Layer: models.BatchNorm{}}, linear},
		"layer 1: the input of a nonlinearity": {relu, linear},
		"layer 3: the input of a nonlinearity": {first, relu, relu, linear},
		"its last layer is no convolution":     {first, relu},
		"its outputs are images of 6×5":        {first},
		"block: the input of a nonlinearity": {first, relu,
			{Name: "block", Layer: models.Residual{Main: models.Sequential{first}}}, linear},
		"block: the sum of branches": {first, {Name: "block", Layer: models.Residual{Linear: true,
			Main: models.Sequential{first, relu}}}, linear},
		"act: a layer of type Activation": {first, {Name: "act", Layer: layers.GELU}, linear},
		"conv: a convolution with groups": {{Name: "conv", Layer: models.Conv{Filters: 4, Kernel: [2]int{3, 3}, Depthwise: true}}, linear},
	} {
		a := &models.Architecture{Name: "net", Input: models.Shape{Channels: 2, Height: 6, Width: 5}, Root: root}
		if err := a.SetParameterisation("ntk"); err != nil {
			t.Fatal(err)
		}
		if err := Check(a, a.Input, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	a := nets(t)["pools"]
	a.Parameterisation = models.Parameterisation{}
	if err := Check(a, a.Input, 0); err == nil || !strings.Contains(err.Error(), "--parameterisation ntk") {
		t.Errorf("the standard parameterisation: %v", err)
	}
	a = nets(t)["pools"]
	_, err := OfAll(t.Context(), a, a.Input, pixels(a, 2), Options{Memory: 1000})
	if _, ok := err.(*MemoryError); !ok {
		t.Errorf("too little memory: %v", err)
	}
	// The pairs of positions of these images would take 100 GB.
	large := models.Shape{Channels: 2, Height: 224, Width: 224}
	if err := Check(a, large, 1<<30); !errors.As(err, new(*MemoryError)) {
		t.Errorf("the check of large images: %v", err)
	}
	_, err = OfAll(t.Context(), a, large, make([]float32, large.Size()), Options{Memory: 1 << 30})
	if !errors.As(err, new(*MemoryError)) {
		t.Errorf("large images: %v", err)
	}
}
