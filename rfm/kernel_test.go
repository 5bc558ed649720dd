package rfm

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/backend/gpu/gputest"
	"github.com/ansatz-lab/ansatz/rfm/tensors"
	"gonum.org/v1/gonum/mat"
)

// kernelCase is a kernel, and the formula of its value for two points.
type kernelCase struct {
	kernel Kernel
	value  func(x, z []float64) float64
}

// kernelCases lists every kernel, with bandwidths for which derivatives are not small.
func kernelCases() []kernelCase {
	cases := []kernelCase{
		{Laplace{2}, func(x, z []float64) float64 { return math.Exp(-separation(x, z) / 2) }},
		{Gaussian{1.5},
			func(x, z []float64) float64 { d := separation(x, z); return math.Exp(-d * d / (2 * 1.5 * 1.5)) }},
		{Exponential{2, .6}, func(x, z []float64) float64 { return math.Exp(-math.Pow(separation(x, z)/2, .6)) }},
		{Exponential{2, 1.4}, func(x, z []float64) float64 { return math.Exp(-math.Pow(separation(x, z)/2, 1.4)) }},
		{HomogeneousExponential{1.5, 1.2}, func(x, z []float64) float64 {
			nx, nz := length(x), length(z)
			if nx*nz == 0 {
				return 0
			}
			return nx * nz * math.Exp(-math.Pow(separation(times(1/nx, x), times(1/nz, z))/1.5, 1.2))
		}},
	}
	cases = append(append(cases, productCases()...), lpqCases()...)
	for degree := 1; degree <= 3; degree++ {
		cases = append(cases, kernelCase{Polynomial{degree},
			func(x, z []float64) float64 { return math.Pow(1+inner(x, z), float64(degree)) }})
	}
	for depth := 1; depth <= 5; depth++ {
		cases = append(cases,
			kernelCase{NTK{depth}, func(x, z []float64) float64 {
				_,
					theta := networkKernels(depth, x, z)
				return theta
			}},
			kernelCase{NNGP{depth}, func(x, z []float64) float64 {
				sigma,
					_ := networkKernels(depth, x, z)
				return sigma
			}})
	}
	return cases
}

// networkKernels is the recursion of Arora et al. 2019 for covariances. It computes E[φ(a)φ(b)] and E[φ′(a)φ′(b)] for φ
// = √2·ReLU from the angle between a and b.
func networkKernels(depth int, x, z []float64) (sigma, theta float64) {
	xx, zz, xz := inner(x, x), inner(z, z), inner(x, z)
	if xx*zz == 0 {
		return 0, 0
	}
	theta = xz
	for range depth {
		angle := math.Acos(math.Max(-1, math.Min(1, xz/math.Sqrt(xx*zz))))
		xz = math.Sqrt(xx*zz) * (math.Sin(angle) + (math.Pi-angle)*math.Cos(angle)) / math.Pi
		theta = theta*(math.Pi-angle)/math.Pi + xz
	}
	return xz, theta
}

func inner(x, z []float64) float64 {
	s := 0.
	for i := range x {
		s += x[i] * z[i]
	}
	return s
}

func length(x []float64) float64 { return math.Sqrt(inner(x, x)) }

func times(a float64, x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = a * x[i]
	}
	return y
}

func separation(x, z []float64) float64 {
	s := 0.
	for i := range x {
		s += (x[i] - z[i]) * (x[i] - z[i])
	}
	return math.Sqrt(s)
}

// TestKernels checks the laws of every kernel, on every backend and in both precisions.
func TestKernels(t *testing.T) {
	for _, c := range kernelCases() {
		for _, name := range gputest.Backends(t) {
			for _, p := range []graph.Precision{graph.Single, graph.Double} {
				t.Run(fmt.Sprintf("%v/%s/%d bits", c.kernel, name, 32+32*int(p)), func(t *testing.T) {
					m := on(t, name, p)
					lawKernelValue(t, m, c)
					lawPositive(t, m, c)
					lawCoincident(t, m, c)
				})
			}
		}
		t.Run(fmt.Sprintf("%v/gradient", c.kernel),
			func(t *testing.T) { lawKernelGradient(t, on(t, "go", graph.Double), c) })
	}
}

// values returns a kernel matrix, computed tile by tile.
func values(t *testing.T, m machinery, k Kernel, x *mat.Dense) *mat.SymDense {
	t.Helper()
	got, err := m.gram(context.Background(), k, x)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// lawKernelValue compares the value with the formula, also where points are parallel, opposite, equal or zero.
func lawKernelValue(t *testing.T, m machinery, c kernelCase) {
	x := normal(random(1), 9, 4)
	x.SetRow(1, times(2, x.RawRowView(0)))
	x.SetRow(2, times(-1, x.RawRowView(0)))
	x.SetRow(3, x.RawRowView(0))
	x.SetRow(4, make([]float64, 4))
	got, tolerance := values(t, m, c.kernel, x), 1e-12
	if m.precision == graph.Single {
		tolerance = 2e-5 // arccos near ±1 turns a rounding error into its root
		if _, deep := c.kernel.(NTK); deep {
			tolerance = 2e-4
		}
	}
	for i := range 9 {
		for j := range 9 {
			want := c.value(x.RawRowView(i), x.RawRowView(j))
			if !(math.Abs(got.At(i, j)-want) <= tolerance*(1+math.Abs(want))) {
				t.Errorf("K(x%d, x%d) = %v, want %v", i, j, got.At(i, j), want)
			}
		}
	}
}

// lawPositive checks that the kernel matrix of random points is positive semi-definite up to rounding.
func lawPositive(t *testing.T, m machinery, c kernelCase) {
	x := normal(random(2), 60, 3)
	for i := range 10 { // some points occur twice
		x.SetRow(50+i, x.RawRowView(i))
	}
	k := values(t, m, c.kernel, x)
	eigenvalues, _, err := backend.EigenSym(k, false)
	if err != nil {
		t.Fatal(err)
	}
	tolerance := 1e-11
	if m.precision == graph.Single {
		tolerance = 3e-6
	}
	if least := eigenvalues[0]; least < -tolerance*eigenvalues[59] {
		t.Errorf("least eigenvalue %v beside a largest of %v", least, eigenvalues[59])
	}
}

// lawCoincident checks the gradient at a centre. It is 0 for kernels of differences, that of the formula for others,
// and never NaN.
func lawCoincident(t *testing.T, m machinery, c kernelCase) {
	z := normal(random(3), 1, 4)
	p, err := m.newPredictor(c.kernel, &lens{d: 4, r: 4}, z, mat.NewDense(1, 1, []float64{1}), 1)
	if err != nil {
		t.Fatal(err)
	}
	got := gradient(t, p, z.RawRowView(0))
	if slices.ContainsFunc(got, notFinite) {
		t.Fatalf("gradient at a centre is %v", got)
	}
	if k, polynomial := c.kernel.(Polynomial); polynomial { // smooth, and not radial
		square := inner(z.RawRowView(0), z.RawRowView(0))
		want := times(float64(k.Degree)*math.Pow(1+square, float64(k.Degree-1)), z.RawRowView(0))
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-5*(1+math.Abs(want[i])) {
				t.Errorf("gradient at a centre is %v, want %v", got, want)
				break
			}
		}
		return
	}
	if mat.Norm(mat.NewVecDense(4, got), 2) > 0 && !homogeneous(c.kernel) {
		t.Errorf("gradient at a centre is %v, want 0", got)
	} else if homogeneous(c.kernel) {
		// K(x, z) grows with ‖x‖: along x the derivative is K/‖x‖.
		want := times(c.value(z.RawRowView(0), z.RawRowView(0))/inner(z.RawRowView(0), z.RawRowView(0)),
			z.RawRowView(0))
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-4 {
				t.Errorf("gradient at a centre is %v, want %v", got, want)
				break
			}
		}
	}
}

func homogeneous(k Kernel) bool {
	switch k.(type) {
	case NTK, NNGP, HomogeneousExponential:
		return true
	}
	return false
}

// gradient returns the gradient of the first output at a point.
func gradient(t *testing.T, p *predictor, x []float64) []float64 {
	t.Helper()
	seed := p.Input(fmt.Sprint("seed ", len(p.Inputs())), p.Output.Shape()...)
	cots := p.Pullback([]*graph.Node{p.Output}, []*graph.Node{seed}, []*graph.Node{p.x})
	one := mat.NewDense(p.Output.Shape()[0], p.Output.Shape()[1], nil)
	one.Set(0, 0, 1)
	tensors.PutRows(p.Data(seed), one, 0)
	p.load(mat.NewDense(1, len(x), x), 0)
	program, err := p.Compile(graph.Plan{Outputs: cots})
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	out := mat.NewDense(1, len(x), nil)
	tensors.TakeRows(out, 0, 1, program.Value(cots[0]))
	return out.RawRowView(0)
}

// lawKernelGradient checks that the gradient of a predictor with a metric agrees with central differences.
func lawKernelGradient(t *testing.T, m machinery, c kernelCase) {
	rng := random(4)
	const d, n, h = 4, 6, 1e-5
	metric := FullMetric(covariance(rng, d))
	z, alpha := normal(rng, n, d), normal(rng, n, 2)
	l, err := metric.lensFor(c.kernel, z)
	if err != nil {
		t.Fatal(err)
	}
	v, err := m.transform(context.Background(), l, z)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.newPredictor(c.kernel, l, v, alpha, 1)
	if err != nil {
		t.Fatal(err)
	}
	root := symmetricRoot(t, metric)
	f := func(x []float64) float64 {
		s := 0.
		for j := range n {
			s += alpha.At(j, 0) * c.value(apply(root, x), apply(root, z.RawRowView(j)))
		}
		return s
	}
	x := normal(rng, 1, d).RawRowView(0)
	got := gradient(t, p, x)
	for i := range d {
		up, down := append([]float64(nil), x...), append([]float64(nil), x...)
		up[i] += h
		down[i] -= h
		if want := (f(up) - f(down)) / (2 * h); !(math.Abs(got[i]-want) <= 1e-6*(1+math.Abs(want))) {
			t.Errorf("∂f/∂x%d = %v, by differences %v", i, got[i], want)
		}
	}
}

// symmetricRoot returns M^½, by an eigendecomposition.
func symmetricRoot(t *testing.T, m *Metric) *mat.Dense {
	t.Helper()
	var e mat.EigenSym
	if !e.Factorize(m.Dense(), true) {
		t.Fatal("no eigendecomposition")
	}
	var q, root mat.Dense
	e.VectorsTo(&q)
	roots := e.Values(nil)
	for i := range roots {
		roots[i] = math.Sqrt(math.Max(0, roots[i]))
	}
	root.Mul(&q, mat.NewDiagDense(len(roots), roots))
	root.Mul(&root, q.T())
	return &root
}

func apply(a *mat.Dense, x []float64) []float64 {
	var y mat.VecDense
	y.MulVec(a, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}

func TestParseKernel(t *testing.T) {
	for _, c := range kernelCases() {
		got, err := ParseKernel(c.kernel.String(), Bandwidth(c.kernel))
		if err != nil || got != c.kernel {
			t.Errorf("%q parses as %v, %v; want %v", c.kernel, got, err, c.kernel)
		}
	}
	for _, bad := range []string{"", "laplac", "laplace:2", "ntk:0", "ntk:1.5", "ntk:-3", "ntk:99", "ntk:x",
		"exponential:0", "exponential:3", "gaussian:", "ntk:1e300"} {
		if k, err := ParseKernel(bad, 1); err == nil {
			t.Errorf("%q is taken for %v", bad, k)
		}
	}
	if _, err := ParseKernel("polynomial:1.5", 1); err == nil || !strings.Contains(err.Error(), `"polynomial:1.5": want a whole`) {
		t.Errorf("a fraction for a degree: %v", err)
	}
	for _, l := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := ParseKernel("laplace", l); err == nil {
			t.Errorf("a bandwidth of %v is accepted", l)
		}
	}
}

// Scores that are not numbers are no better than any, and all numbers are better than they.
func TestBetterThanNaN(t *testing.T) {
	number, none := Scores{MSE: 1, Accuracy: math.NaN()}, Scores{MSE: math.NaN(), Accuracy: math.NaN()}
	if !number.Better(none) || none.Better(number) || none.Better(none) {
		t.Error("a NaN counts as a score")
	}
}
