package backend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend/kernel"
)

// eachSingle runs f on engines with every set of kernels that this processor can run, and with several numbers of
// threads.
func eachSingle(t *testing.T, f func(t *testing.T, e *single)) {
	for _, k := range kernel.Available() {
		for _, threads := range []int{1, 2, 3} {
			t.Run(fmt.Sprintf("%s/%d", k.Name, threads), func(t *testing.T) { f(t, newSingle(threads, k)) })
		}
	}
}

func normal(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

func double(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// near compares with a tolerance relative to the largest element.
func near(t *testing.T, what any, got []float32, want []float64) {
	t.Helper()
	top := 1.
	for _, w := range want {
		top = math.Max(top, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= 1e-5*top) {
			t.Fatalf("%+v: [%d] = %v, want %v", what, i, got[i], w)
		}
	}
}

// gemmCase is a matrix product.
type gemmCase struct {
	m, n, k        int
	transA, transB bool
	beta           float32
}

func (c gemmCase) naive(a, b, old []float32) []float64 {
	out := make([]float64, c.m*c.n)
	for i := range c.m {
		for j := range c.n {
			s := float64(c.beta) * float64(old[i*c.n+j])
			if c.beta == 0 {
				s = 0
			}
			for p := range c.k {
				x, y := i*c.k+p, p*c.n+j
				if c.transA {
					x = p*c.m + i
				}
				if c.transB {
					y = j*c.k + p
				}
				s += float64(a[x]) * float64(b[y])
			}
			out[i*c.n+j] = s
		}
	}
	return out
}

func (c gemmCase) run(e Engine[float32], a, b, out []float32) {
	e.Gemm(c.transA, c.transB, c.m, c.n, c.k, a, b, c.beta, out)
}

// gemmSizes are m, n and k of products. They are multiples of blocks, panels and tiles, or just miss them, and some are
// large enough to be divided among threads.
var gemmSizes = [][3]int{
	{1, 1, 1}, {1, 1, 300}, {1, 40, 3}, {40, 1, 3}, {3, 5, 7}, {8, 32, 16}, {9, 33, 17}, {7, 31, 257},
	{17, 16, 256}, {100, 70, 300}, {257, 65, 129}, {33, 1100, 64}, {530, 47, 61}, {128, 129, 130}, {2, 3, 0},
}

func TestGemm(t *testing.T) {
	eachSingle(t, func(t *testing.T, e *single) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range gemmSizes {
			for v := range 12 {
				c := gemmCase{s[0], s[1], s[2], v&1 != 0, v&2 != 0, []float32{0, 1, -.5}[v/4]}
				a, b, out := normal(rng, c.m*c.k), normal(rng, c.k*c.n), normal(rng, c.m*c.n)
				if c.beta == 0 {
					out[len(out)-1] = float32(math.NaN())
				}
				old := slices.Clone(out)
				want := c.naive(a, b, old)
				c.run(e, a, b, out)
				near(t, c, out, want)
				again := slices.Clone(old)
				c.run(e, a, b, again)
				if !slices.Equal(out, again) {
					t.Fatalf("%+v: another run gave other bits", c)
				}
			}
		}
	})
}

// A NaN or an infinity in a row of A is in that row of C, and in no other.
func TestGemmNotANumber(t *testing.T) {
	eachSingle(t, func(t *testing.T, e *single) {
		rng := rand.New(rand.NewPCG(1, 2))
		c := gemmCase{m: 21, n: 35, k: 19}
		a, b, out := normal(rng, c.m*c.k), normal(rng, c.k*c.n), make([]float32, c.m*c.n)
		a[4*c.k+2], a[9*c.k+3] = float32(math.NaN()), float32(math.Inf(1))
		c.run(e, a, b, out)
		for i, v := range out {
			row, x := i/c.n, float64(v)
			if math.IsNaN(x) != (row == 4) || math.IsInf(x, 0) != (row == 9) {
				t.Fatalf("row %d: %v", row, v)
			}
		}
	})
}

func TestGemmAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := normal(rng, 200*200)
	out := make([]float32, 200*200)
	for _, threads := range []int{1, 2} {
		e := newSingle(threads, kernel.Fastest)
		for _, transA := range []bool{false, true} {
			c := gemmCase{m: 200, n: 200, k: 200, transA: transA, transB: true}
			if n := testing.AllocsPerRun(20, func() { c.run(e, a, a, out) }); n != 0 {
				t.Errorf("%d threads, %+v: %v allocations", threads, c, n)
			}
		}
	}
}

// convolutions are geometries that divide into pieces and sections in every way: several images or lines at a time,
// patches and gradients longer than one section, and patches that reach into the padding, overlap, or leave pixels out.
var convolutions = []ConvShape{
	{N: 5, H: 7, W: 6, C: 3, Filters: 5, KH: 3, KW: 3, PadH: 1, PadW: 1},
	{N: 2, H: 20, W: 19, C: 1, Filters: 6, KH: 5, KW: 5, PadH: 2, PadW: 2},
	{N: 33, H: 2, W: 2, C: 40, Filters: 37, KH: 3, KW: 3, PadH: 1, PadW: 1},
	{N: 3, H: 5, W: 5, C: 190, Filters: 9, KH: 3, KW: 3, PadH: 1, PadW: 1},
	{N: 2, H: 4, W: 4, C: 700, Filters: 10, KH: 1, KW: 1},
	{N: 3, H: 30, W: 31, C: 8, Filters: 16, KH: 3, KW: 3, PadH: 1, PadW: 1, StrideH: 2, StrideW: 2},
	{N: 2, H: 9, W: 11, C: 4, Filters: 3, KH: 3, KW: 2, PadH: 2, PadW: 1, StrideH: 1, StrideW: 3,
		DilateH: 2, DilateW: 1},
	{N: 2, H: 12, W: 12, C: 3, Filters: 4, KH: 2, KW: 2, StrideH: 3, StrideW: 3},
	{N: 2, H: 8, W: 9, C: 5, Filters: 4, KH: 1, KW: 1, StrideH: 2, StrideW: 2},
	{N: 1, H: 8, W: 9, C: 2, Filters: 40, KH: 4, KW: 4, PadH: 3, PadW: 3, DilateH: 3, DilateW: 2},
	{N: 2, H: 3, W: 3, C: 2, Filters: 2, KH: 3, KW: 3, PadH: 4, PadW: 4, StrideH: 2, StrideW: 1},
	{N: 2, H: 1, W: 300, C: 2, Filters: 3, KH: 1, KW: 7, PadW: 3},
}

// Convolutions and their gradients agree with the engine for float64, which computes them in another way. A second run
// gives the same bits.
func TestConvolutions(t *testing.T) {
	reference := &pure[float64]{threads: 1, gemm: gonumDgemm}
	eachSingle(t, func(t *testing.T, e *single) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, s := range convolutions {
			s = s.Normal()
			x, w := normal(rng, s.N*s.H*s.W*s.C), normal(rng, s.Filters*s.PatchSize())
			dy, bias := normal(rng, s.Rows()*s.Filters), normal(rng, s.Filters)
			for _, c := range []struct {
				name string
				size int
				run  func(out []float32) error
				want func(out []float64) error
			}{
				{"convolution", len(dy),
					func(y []float32) error { return e.Convolve(s, x, w, bias, true, y) },
					func(y []float64) error {
						return reference.Convolve(s, double(x), double(w), double(bias),
							true, y)
					}},
				{"data gradient", len(x),
					func(dx []float32) error { return e.ConvolveData(s, w, dy, dx) },
					func(dx []float64) error { return reference.ConvolveData(s, double(w), double(dy), dx) }},
				{"weight gradient", len(w),
					func(dw []float32) error { return e.ConvolveWeights(s, x, dy, dw) },
					func(dw []float64) error { return reference.ConvolveWeights(s, double(x), double(dy), dw) }},
			} {
				got, again, want := make([]float32, c.size), normal(rng, c.size), make([]float64, c.size)
				for _, err := range []error{c.run(got), c.run(again), c.want(want)} {
					if err != nil {
						t.Fatal(err)
					}
				}
				near(t, fmt.Sprintf("%s %+v", c.name, s), got, want)
				if !slices.Equal(got, again) {
					t.Fatalf("%s %+v: another run gave other bits", c.name, s)
				}
			}
		}
	})
}

func BenchmarkGemmSizes(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []gemmCase{
		{m: 32, n: 120, k: 400, transB: true},
		{m: 128, n: 512, k: 512, transB: true},
		{m: 512, n: 512, k: 512},
		{m: 512, n: 512, k: 512, transA: true},
		{m: 2048, n: 2048, k: 2048},
		{m: 64, n: 64, k: 1 << 17, transA: true},
	} {
		b.Run(fmt.Sprintf("%d×%d×%d,%v,%v", c.m, c.n, c.k, c.transA, c.transB), func(b *testing.B) {
			d := openPure(2)
			x, y, out := normal(rng, c.m*c.k), normal(rng, c.k*c.n), make([]float32, c.m*c.n)
			for b.Loop() {
				c.run(d.Float32(), x, y, out)
			}
			b.ReportMetric(2*float64(c.m*c.n*c.k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkConvolve(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []ConvShape{
		{N: 32, H: 14, W: 14, C: 6, Filters: 16, KH: 5, KW: 5},
		{N: 128, H: 32, W: 32, C: 3, Filters: 64, KH: 3, KW: 3, PadH: 1, PadW: 1},
		{N: 128, H: 32, W: 32, C: 16, Filters: 16, KH: 3, KW: 3, PadH: 1, PadW: 1},
		{N: 128, H: 32, W: 32, C: 16, Filters: 32, KH: 3, KW: 3, PadH: 1, PadW: 1, StrideH: 2, StrideW: 2},
		{N: 128, H: 16, W: 16, C: 64, Filters: 128, KH: 3, KW: 3, PadH: 1, PadW: 1},
		{N: 128, H: 4, W: 4, C: 512, Filters: 512, KH: 3, KW: 3, PadH: 1, PadW: 1},
		{N: 128, H: 4, W: 4, C: 512, Filters: 2048, KH: 1, KW: 1},
	} {
		s = s.Normal()
		e := openPure(2).Float32()
		x, w, y := normal(rng, s.N*s.H*s.W*s.C), normal(rng, s.Filters*s.PatchSize()), normal(rng, s.Rows()*s.Filters)
		for _, c := range []struct {
			name string
			run  func() error
		}{
			{"forward", func() error { return e.Convolve(s, x, w, nil, false, y) }},
			{"data", func() error { return e.ConvolveData(s, w, y, x) }},
			{"weights", func() error { return e.ConvolveWeights(s, x, y, w) }},
		} {
			b.Run(fmt.Sprintf("%d×%d×%d→%d,%d×%d/%s", s.H, s.W, s.C, s.Filters, s.KH, s.KW, c.name),
				func(b *testing.B) {
					for b.Loop() {
						if err := c.run(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(2*float64(s.Rows()*s.Filters*s.PatchSize())*float64(b.N)/b.Elapsed().Seconds()/1e9,
						"GFLOP/s")
				})
		}
	}
}
