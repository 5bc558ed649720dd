package tangent

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/experiments/input"
	"github.com/ansatz-lab/ansatz/experiments/train"
	"github.com/ansatz-lab/ansatz/models/kernels"
	"gonum.org/v1/gonum/floats"
)

const torchNTK = "testdata/ntk"

// smallKernel returns the spec of a kernel that is computed quickly.
func smallKernel() NTKSpec {
	return NTKSpec{DataSpec: input.DataSpec{Data: "glyphs", Seed: 3}, Arch: "lenet", Width: .2, Images: 4}
}

func newKernel(t *testing.T, s NTKSpec) *NTKMeasurement {
	t.Helper()
	m, err := NewNTK(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func runKernel(t *testing.T, s NTKSpec) *NTKRecord {
	t.Helper()
	r, err := newKernel(t, s).Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readNPY(t *testing.T, path string) []float64 {
	t.Helper()
	a, err := array.ReadNPY(path)
	if err != nil {
		t.Fatal(err)
	}
	return a.Float64s()
}

// From files of weights and images, the kernel is the one that PyTorch computes from one gradient for each output
// (testdata/ntk/make_ntk.py).
func TestNTKIsPyTorchs(t *testing.T) {
	want, singular := readNPY(t, filepath.Join(torchNTK, "gram.npy")),
		readNPY(t, filepath.Join(torchNTK, "singular.npy"))
	for _, c := range []struct {
		bits      int
		tolerance float64
	}{{32, 1e-6}, {64, 1e-13}} {
		s := NTKSpec{
			DataSpec: input.DataSpec{Data: filepath.Join(torchNTK, "images"), Normalise: "none", Fit: "stretch"},
			Arch:     "lenet", Width: .2, Weights: filepath.Join(torchNTK, "lenet.pth"), Images: 3, Precision: c.bits,
		}
		m := newKernel(t, s)
		r, err := m.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "gram.npy")
		if err := m.SaveGram(path); err != nil {
			t.Fatal(err)
		}
		got := readNPY(t, path)
		if off := floats.Distance(got, want, math.Inf(1)) / floats.Norm(want, math.Inf(1)); off > c.tolerance {
			t.Errorf("%d bits: Θ is off by %.2g of its largest element", c.bits, off)
		}
		// Eigenvalues have the rounding error of the largest one, and the error of their roots is its square root.
		if off := floats.Distance(r.Singular, singular, math.Inf(1)) / singular[0]; off > math.Sqrt(c.tolerance) ||
			r.Rows != 30 || r.Rank != 30 || r.Parameters != 2583 {
			t.Errorf("%d bits: singular values off by %.2g, %d rows of rank %d, %d weights", c.bits, off, r.Rows,
				r.Rank, r.Parameters)
		}
		if rank := effectiveRankBy(singular); math.Abs(r.EffectiveRank/rank-1) > 1e-4 {
			t.Errorf("%d bits: effective rank %v, want %v", c.bits, r.EffectiveRank, rank)
		}
	}
}

// effectiveRankBy computes the effective rank from its definition.
func effectiveRankBy(singular []float64) float64 {
	entropy := 0.
	for _, s := range singular {
		p := s / floats.Sum(singular)
		entropy -= p * math.Log(p)
	}
	return math.Exp(entropy)
}

func TestNTKRecord(t *testing.T) {
	r := runKernel(t, smallKernel())
	d := r.Diagonal
	if r.Rows != 40 || r.Outputs != 10 || len(r.Singular) != 40 ||
		!(d.Least > 0 && d.Least <= d.Mean && d.Mean <= d.Largest && d.SD > 0) || r.Initial != nil {
		t.Errorf("%+v", r)
	}
	trace := 0.
	for _, s := range r.Singular {
		trace += s * s
	}
	if math.Abs(trace/40-d.Mean) > 1e-6*d.Mean {
		t.Errorf("Σσ²/n = %v, the mean of the diagonal is %v", trace/40, d.Mean)
	}
	if c := r.Conventions; !strings.Contains(c.Normalise, "dataset") ||
		!strings.Contains(c.Images, "first 4 of the test split") || !strings.Contains(c.Weights, "uniform") {
		t.Errorf("%+v", c)
	}
	one := smallKernel()
	one.Outputs, one.Shift = 1, 3
	if s := runKernel(t, one); s.Rows != 4 || s.Outputs != 1 || s.Parameters != r.Parameters-9*17-9 ||
		!strings.Contains(s.Conventions.Images, "shifted by up to 3") {
		t.Errorf("one output: %+v", s.KernelRecord)
	}
	dir := t.TempDir()
	if path, err := r.Save(dir); err != nil || path != filepath.Join(dir, "report.html") {
		t.Errorf("%s, %v", path, err)
	}
}

// The diagonal kernel has the blocks of the full one that belong to the same output, in its record, its file and its
// change by training. The trace kernel is the mean of these blocks.
func TestNTKForms(t *testing.T) {
	s := trainedKernel(t)
	s.Images, s.Precision = 4, 64
	grams, records := map[kernels.Form][]float64{}, map[kernels.Form]*NTKRecord{}
	for _, form := range []kernels.Form{kernels.Full, kernels.Trace, kernels.Diagonal} {
		s.Kernel = form.String()
		m := newKernel(t, s)
		r, err := m.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "gram.npy")
		if err := m.SaveGram(path); err != nil {
			t.Fatal(err)
		}
		grams[form], records[form] = readNPY(t, path), r
		a, err := array.ReadNPY(path)
		want := map[kernels.Form][]int{kernels.Full: {40, 40}, kernels.Trace: {4, 4}, kernels.Diagonal: {10, 4, 4}}[form]
		if err != nil || !slices.Equal(a.Shape, want) || r.Kernel != form.String() {
			t.Errorf("%v: shape %v, kernel %s (%v)", form, a.Shape, r.Kernel, err)
		}
		if _, err := r.Save(t.TempDir()); err != nil {
			t.Error(err)
		}
	}
	for i := range 4 {
		for j := range 4 {
			mean := 0.
			for c := range 10 {
				want, got := grams[kernels.Full][(i*10+c)*40+j*10+c], grams[kernels.Diagonal][(c*4+i)*4+j]
				if mean += got / 10; math.Abs(got-want) > 1e-12*math.Abs(grams[kernels.Full][0]) {
					t.Fatalf("Θ(%d, %d) of output %d is %v, of the full kernel %v", i, j, c, got, want)
				}
			}
			if got := grams[kernels.Trace][i*4+j]; math.Abs(got-mean) > 1e-12*math.Abs(grams[kernels.Full][0]) {
				t.Fatalf("the trace kernel's Θ(%d, %d) is %v, the mean of the diagonal kernel's %v", i, j, got, mean)
			}
		}
	}
	full, diagonal := records[kernels.Full], records[kernels.Diagonal]
	if diagonal.Rows != 40 || len(diagonal.Singular) != 40 || math.Abs(diagonal.Diagonal.Mean-full.Diagonal.Mean) > 1e-9 ||
		math.Abs(diagonal.Diagonal.SD-full.Diagonal.SD) > 1e-9 || !(diagonal.Singular[0] < full.Singular[0]) {
		t.Errorf("the diagonal kernel has %d rows and a diagonal of mean %v ± %v, the full one %v ± %v", diagonal.Rows,
			diagonal.Diagonal.Mean, diagonal.Diagonal.SD, full.Diagonal.Mean, full.Diagonal.SD)
	}
	if c := diagonal.Change; c == nil || !(c.Relative > 0 && c.Cosine < 1) || !(*c.CosineNull < c.Cosine) {
		t.Errorf("change %+v", c)
	}
	if text := diagonal.Summary(); !strings.Contains(text, "a block for each of 10 outputs") ||
		!strings.Contains(diagonal.Conventions.Kernel, "without Θ_cd of different outputs") {
		t.Errorf("%s\n%s", text, diagonal.Conventions.Kernel)
	}
}

// Images are normalised as the trained weights' file says. The kernel is compared with the one before training, and
// with equal weights there is no change.
func TestNTKOfTrainedWeights(t *testing.T) {
	spec := train.Spec{Arch: "lenet", Width: .2, Data: "glyphs", Train: 60, Test: 20, Epochs: 2, Batch: 10, LR: .05,
		Momentum: .9, Loss: "mse", Seed: 3}
	r, err := beginTraining(t, spec).Run(t.Context(), train.Run{Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := smallKernel()
	s.Weights, s.InitWeights = r.LastWeights, r.InitialWeights
	k := runKernel(t, s)
	_, constants, _ := strings.Cut(r.Conventions.Normalise, "(")
	if !strings.Contains(k.Conventions.Normalise, constants) {
		t.Errorf("normalised by %s, trained with %s", k.Conventions.Normalise, r.Conventions.Normalise)
	}
	if c := k.Change; c == nil || !(c.Relative > .01) || !(c.Cosine > 0 && c.Cosine < 1) || !(c.Centred < 1) ||
		!(*c.CosineNull > 0 && *c.CosineNull < c.Cosine) || k.Initial.Rows != k.Rows {
		t.Errorf("%+v", c)
	}
	if _, err := k.Save(t.TempDir()); err != nil {
		t.Error(err)
	}
	s.Weights = r.InitialWeights
	if c := runKernel(t, s).Change; c.Relative != 0 || math.Abs(c.Cosine-1) > 1e-12 {
		t.Errorf("of the initial weights themselves: %+v", c)
	}
	fresh := smallKernel()
	if a, b := runKernel(t, fresh), runKernel(t, s); math.Abs(a.EffectiveRank-b.EffectiveRank) > 1e-3 {
		t.Errorf("the training began with other weights than the seed gives: effective ranks %v and %v",
			b.EffectiveRank, a.EffectiveRank)
	}
}

// The images that are drawn do not depend on the width of the network. Some draws differ from Draw 0, which takes the
// first images.
func TestNTKDraw(t *testing.T) {
	images := func(draw, seed uint64, width float64) []float32 {
		s := NTKSpec{DataSpec: input.DataSpec{Data: filepath.Join(torchNTK, "images"), Fit: "stretch", Seed: seed},
			Arch: "lenet", Width: width, Outputs: 2, Images: 2, Draw: draw}
		m := newKernel(t, s)
		px, err := m.readPixels(t.Context(), 0, m.Source.Dataset.Len())
		if err != nil {
			t.Fatal(err)
		}
		return px
	}
	if !slices.Equal(images(5, 3, .2), images(5, 3, .3)) {
		t.Error("other images for another network")
	}
	first, differ := images(0, 3, .2), false
	for draw := range uint64(8) {
		differ = differ || !slices.Equal(images(draw+1, 3, .2), first)
	}
	if !differ {
		t.Error("every draw has the first images")
	}
}

func TestNTKBadInput(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*NTKSpec)
	}{
		{"--images 0: want at least 1", func(s *NTKSpec) { s.Images = 0 }},
		{"--images 100000000", func(s *NTKSpec) { s.Images = 1e8 }},
		{"needs about", func(s *NTKSpec) { s.Width = 3000 }},
		{"would fit", func(s *NTKSpec) { s.Width = 3000 }},
		{"--width -1", func(s *NTKSpec) { s.Width = -1 }},
		{`--kernel "diag": want full, trace or diagonal`, func(s *NTKSpec) { s.Kernel = "diag" }},
		{"--precision 16", func(s *NTKSpec) { s.Precision = 16 }},
		{"--shift 28", func(s *NTKSpec) { s.Shift = 28 }},
		{"--size scales them", func(s *NTKSpec) { s.Arch, s.Width = "alexnet", 0 }},
		{"need 9536.7 GiB", func(s *NTKSpec) { s.Width = 1e5 }},
		{"must be at least 0", func(s *NTKSpec) { s.Outputs = -1 }},
		{"give both", func(s *NTKSpec) { s.InitWeights = "w" }},
		{"missing", func(s *NTKSpec) { s.Weights, s.Arch, s.Width = torchNTK+"/lenet.pth", "mlp", 0 }},
		{"lenet.pth has 10", func(s *NTKSpec) {
			s.Data, s.Weights, s.Outputs, s.Fit = torchNTK+"/images", torchNTK+"/lenet.pth", 1, "stretch"
			s.Images = 1
		}},
		{"not for --weights", func(s *NTKSpec) { s.Weights, s.Init = torchNTK+"/lenet.pth", "kaiming" }},
		{"give --outputs", func(s *NTKSpec) { s.Data, s.Images = torchNTK+"/images", 1 }},
		{"want at least 4 images, found 1", func(s *NTKSpec) { s.ByLayer, s.Images = true, 1 }},
		{`--fit: expected crop or stretch, found "foo"`, func(s *NTKSpec) { s.Fit = "foo" }},
		{"normalisation .5,.4/.1: expected", func(s *NTKSpec) { s.Normalise = ".5,.4/.1" }},
		{"not found", func(s *NTKSpec) { s.Data = "mnost" }},
	} {
		s := smallKernel()
		c.change(&s)
		if _, err := NewNTK(s); !input.IsError(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// The images of a folder are shuffled, and the record has their order. For a linear network Θ(x, x) = ‖x‖² + 1 grows
// with the brightness, which here grows with the number of the file.
func TestKernelOrder(t *testing.T) {
	folder := t.TempDir()
	for i := range 12 {
		class := filepath.Join(folder, []string{"a", "b"}[i/6])
		if err := os.MkdirAll(class, 0o777); err != nil {
			t.Fatal(err)
		}
		text := "P5 4 4 255\n" + strings.Repeat(string(rune('0'+i)), 16)
		if err := os.WriteFile(filepath.Join(class, fmt.Sprintf("%02d.pgm", i)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := NTKSpec{DataSpec: input.DataSpec{Data: folder, Normalise: "none", Size: 4}, Arch: "linear", Images: 9, Outputs: 1}
	m := newKernel(t, s)
	r, err := m.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gram.npy")
	if err := m.SaveGram(path); err != nil {
		t.Fatal(err)
	}
	gram := readNPY(t, path)
	if len(r.Order) != 9 || slices.IsSorted(r.Order) {
		t.Fatalf("order %v", r.Order)
	}
	for i, image := range r.Order {
		v := float64('0'+image) / 255
		if want := 48*v*v + 1; math.Abs(gram[10*i]-want) > 1e-5*want {
			t.Errorf("row %d, image %d: %v, want %v", i, image, gram[10*i], want)
		}
	}
}

// The number of images that the error says would fit does fit, and slightly more do not.
func TestKernelRoom(t *testing.T) {
	const have = 1e9
	r := train.KernelRoom{Parameters: 61706, Outputs: 10, Width: 1, Copies: 2, Images: 10000,
		Element: train.ValuesElement, Flag: "--images"}
	if err := r.Check(have); !input.IsError(err) || !strings.Contains(err.Error(), "--images 558 would fit") {
		t.Fatalf("%v", err)
	}
	if r.Images = 558; r.Check(have) != nil {
		t.Errorf("558 images do not fit: %.4g bytes", r.Bytes())
	}
	if r.Images = 560; r.Check(have) == nil {
		t.Errorf("560 images fit: %.4g bytes", r.Bytes())
	}
	if r.Check(0) != nil {
		t.Error("refused where the system does not tell")
	}
	full := r.Bytes() - 61706*4*2
	for form, times := range map[kernels.Form]float64{kernels.Diagonal: 10, kernels.Trace: 100} {
		other := r
		other.Form, other.Layers = form, 5
		if got, want := other.Bytes()-61706*4*2, full/times+5*8*560*560; math.Abs(got-want) > 1 {
			t.Errorf("%v: %.4g bytes, want %.4g", form, got, want)
		}
	}
	r.Outputs = 100_000
	want := "an image of 5588 outputs would fit, with fewer classes"
	if err := r.Check(have); !input.IsError(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
	r.Images, r.Parameters, r.Width = 0, 1<<30, 10
	if err := r.Check(have); !input.IsError(err) || !strings.Contains(err.Error(), "--width 2.4 would fit") {
		t.Errorf("%v", err)
	}
}
