package table

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func mustGenerate(t *testing.T, p Polynomial, n int, seed uint64, stream string) *Set {
	t.Helper()
	s, err := p.Generate(n, seed, stream)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// within fails the test unless the mean of values is want to within four
// standard errors.
func within(t *testing.T, what string, values []float64, want float64) {
	t.Helper()
	mean, sd := stat.MeanStdDev(values, nil)
	if e := sd / math.Sqrt(float64(len(values))); !(math.Abs(mean-want) <= 4*e) {
		t.Errorf("%s: mean %.4f ± %.4f, want %g", what, mean, e, want)
	}
}

// mapped returns f(v) for each v of values.
func mapped(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for k, v := range values {
		out[k] = f(v)
	}
	return out
}

func square(v float64) float64 { return v * v }

func TestPolynomials(t *testing.T) {
	var names []string
	for _, p := range Polynomials() {
		names = append(names, p.Name)
		if p.Formula == "" || p.Source == "" || p.Train < 1 || p.Test < 1 || p.Validation < 0 {
			t.Errorf("%+v lacks something", p)
		}
		s := mustGenerate(t, p, 3, 0, "train")
		rows, columns := s.X.Dims()
		if rows != 3 || columns != p.Features || len(s.Features) != columns || len(s.Y) != 3 ||
			s.Name != p.Name || s.Target != "y" || s.Classes != nil || s.Features[columns-1] != fmt.Sprintf("x%d",
			columns) {
			t.Errorf("%s: %d×%d, %q", p.Name, rows, columns, s.Features)
		}
	}
	want := []string{"rademacher", "hermite", "product", "switched", "tutorial", "lowrank"}
	if !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
}

// TestPolynomialTargets computes the targets again from the inputs. The target of Rademacher is computed from the
// inputs without noise, which are the signs of the noisy inputs.
func TestPolynomialTargets(t *testing.T) {
	step := func(v float64) float64 {
		if v > 0 {
			return 1
		}
		return 0
	}
	targets := map[string]func(x []float64) float64{
		"rademacher": func(x []float64) float64 { return math.Copysign(1, x[0]) * math.Copysign(1, x[1]) },
		"hermite": func(x []float64) float64 {
			z := floats.Dot(HermiteDirection(5), x)
			return z*z - 1 + math.Pow(z, 4) - 6*z*z + 3
		},
		"product":  func(x []float64) float64 { return x[0] * x[1] },
		"switched": func(x []float64) float64 { return x[0]*x[1]*step(x[3]) + x[2]*step(-x[3]) },
		"tutorial": func(x []float64) float64 { return x[0] * x[1] },
		"lowrank":  func(x []float64) float64 { return x[0] * x[1] * step(x[5]) },
	}
	for _, p := range Polynomials() {
		s := mustGenerate(t, p, 1000, 5, "train")
		for i, y := range s.Y {
			if want := targets[p.Name](s.X.RawRowView(i)); math.Abs(y-want) > 1e-12*max(1, math.Abs(want)) {
				t.Fatalf("%s: row %d has y = %g, want %g", p.Name, i, y, want)
			}
		}
	}
}

// TestPolynomialMoments compares the mean and variance of the inputs and of the target with those that follow from the
// formulas, and checks that neighbouring inputs are uncorrelated.
func TestPolynomialMoments(t *testing.T) {
	moments := map[string]struct{ x, mean, variance float64 }{
		"rademacher": {1 + .1*.1, 0, 1},
		"hermite":    {1, 0, 26},
		"product":    {.25, 0, 1. / 16},
		"switched":   {.25, 0, (1./16 + 1./4) / 2},
		"tutorial":   {1, 0, 1},
		"lowrank":    {.25, 0, 1. / 32},
	}
	for _, p := range Polynomials() {
		const n = 20000
		s := mustGenerate(t, p, n, 1, "test")
		want := moments[p.Name]
		within(t, p.Name+" y", s.Y, want.mean)
		within(t, p.Name+" y²", mapped(s.Y, square), want.variance)
		x := s.X.RawMatrix().Data
		within(t, p.Name+" x", x, 0)
		within(t, p.Name+" x²", mapped(x, square), want.x)
		var neighbours []float64
		for k := range len(x) - 1 {
			neighbours = append(neighbours, x[k]*x[k+1])
		}
		within(t, p.Name+" xx'", neighbours, 0)
	}
}

// TestHermiteOrthogonal checks that E[He2 He4] = 0, E[He2²] = 2 and E[He4²] = 24 along the direction, and that the
// target y has E[y He2] = 2 and E[y He4] = 24.
func TestHermiteOrthogonal(t *testing.T) {
	s := mustGenerate(t, Hermite(), 50000, 2, "train")
	u := HermiteDirection(2)
	if math.Abs(floats.Norm(u, 2)-1) > 1e-15*10 {
		t.Errorf("the direction has length %g", floats.Norm(u, 2))
	}
	var both, two, four, targetTwo, targetFour []float64
	for i, y := range s.Y {
		z := floats.Dot(u, s.X.RawRowView(i))
		he2, he4 := z*z-1, z*z*z*z-6*z*z+3
		both, two, four = append(both, he2*he4), append(two, he2*he2), append(four, he4*he4)
		targetTwo, targetFour = append(targetTwo, y*he2), append(targetFour, y*he4)
	}
	within(t, "He2 He4", both, 0)
	within(t, "He2²", two, 2)
	within(t, "He4²", four, 24)
	within(t, "y He2", targetTwo, 2)
	within(t, "y He4", targetFour, 24)
}

func TestHermiteDirectionsDiffer(t *testing.T) {
	var dots []float64
	for seed := range uint64(2000) {
		u, v := HermiteDirection(seed), HermiteDirection(seed+1)
		dots = append(dots, floats.Dot(u, v))
	}
	within(t, "uᵀv", dots, 0)
	within(t, "(uᵀv)²", mapped(dots, square), 1./hermiteFeatures)
}

func TestRademacherNoise(t *testing.T) {
	corners := mustGenerate(t, Rademacher(0), 500, 3, "train")
	noisy := mustGenerate(t, Rademacher(.5), 500, 3, "train")
	var noise []float64
	for k, v := range corners.X.RawMatrix().Data {
		if v != 1 && v != -1 {
			t.Fatalf("an input without noise is %g", v)
		}
		noise = append(noise, noisy.X.RawMatrix().Data[k]-v)
	}
	within(t, "noise", noise, 0)
	within(t, "noise²", mapped(noise, square), .25)
	if !slices.Equal(corners.Y, noisy.Y) {
		t.Error("noise changes the targets")
	}
	defer func() {
		if recover() == nil {
			t.Error("noise that is no number: no panic")
		}
	}()
	Rademacher(math.NaN())
}

// TestPolynomialRows checks that row i depends neither on n nor on earlier calls, and that the inputs of different
// seeds and streams are uncorrelated.
func TestPolynomialRows(t *testing.T) {
	for _, p := range Polynomials() {
		few := mustGenerate(t, p, 7, 1, "train")
		many := mustGenerate(t, p, 300, 1, "train")
		if !slices.Equal(few.Y, many.Y[:7]) || !slices.Equal(few.X.RawMatrix().Data,
			many.X.RawMatrix().Data[:7*p.Features]) {
			t.Errorf("%s: rows depend on their number", p.Name)
		}
		for _, other := range []*Set{
			mustGenerate(t, p, 300, 1, "test"),
			mustGenerate(t, p, 300, 1, "validation"),
			mustGenerate(t, p, 300, 2, "train"),
		} {
			var products []float64
			for k, v := range many.X.RawMatrix().Data {
				products = append(products, v*other.X.RawMatrix().Data[k])
			}
			within(t, p.Name+" across streams", products, 0)
		}
	}
}

// TestPolynomialGolden fails when a row changes, between versions of this
// package or between machines. A change on purpose needs a new
// polynomialVersion.
func TestPolynomialGolden(t *testing.T) {
	h := sha256.New()
	for _, p := range Polynomials() {
		for _, stream := range []string{"train", "test"} {
			s := mustGenerate(t, p, 100, 7, stream)
			binary.Write(h, binary.LittleEndian, s.X.RawMatrix().Data)
			binary.Write(h, binary.LittleEndian, s.Y)
		}
	}
	const want = "c37d9e8ec8b579d2ea670bcdeeb9209ad14b093d06e81fec329662a926c2a620"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest of the rows on %s is %s, want %s", runtime.GOARCH, got, want)
	}
}

func TestPolynomialRefuses(t *testing.T) {
	for _, p := range Polynomials() {
		for _, n := range []int{-1, 0, maxPolynomialValues/p.Features + 1, math.MaxInt} {
			if _, err := p.Generate(n, 0, "train"); err == nil {
				t.Errorf("%d rows of %s: no error", n, p.Name)
			}
		}
	}
}
