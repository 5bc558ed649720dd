//go:build unix

package rfm

import (
	"context"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/ansatz-lab/ansatz/graph"
	"gonum.org/v1/gonum/mat"
)

// The benchmarks time the parts of a recursive feature machine for n = 4000, d = 784 and 10 outputs, with a full
// metric. They report the rate of the floating point operations that the matrix products take at the least.
// BenchmarkPeak reports the rate of a large matrix product, to compare with.
const benchN, benchD, benchOutputs = 4000, 784, 10

func BenchmarkPeak(b *testing.B) {
	const n = 2048
	m := machineryOf(b, "", graph.Single)
	x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(i%7), float32(i%5)
	}
	rated(b, 2*n*n*n, func() error {
		return m.device.Do(func() error {
			m.device.Float32().Gemm(false, false, n, n, n, x, y, 0, z)
			return nil
		})
	})
}

// rated runs f repeatedly and reports its operations per second, and per second of processor time, which depends less
// on what else the machine does.
func rated(b *testing.B, operations float64, f func() error) {
	b.Helper()
	b.ResetTimer()
	start := cpuSeconds(b)
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	all := operations * float64(b.N) / 1e9
	b.ReportMetric(all/b.Elapsed().Seconds(), "GFLOP/s")
	b.ReportMetric(all/(cpuSeconds(b)-start), "GFLOP/core-s")
}

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// benchModel returns a model with random coefficients in a full metric of full rank, and its centres.
func benchModel(b *testing.B) (machinery, *Model, *mat.Dense) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(r, c int, scale float64) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		for i := range r {
			row := m.RawRowView(i)
			for j := range row {
				row[j] = scale * rng.NormFloat64()
			}
		}
		return m
	}
	x, w := normal(benchN, benchD, .3), normal(benchD, benchD, .04)
	var metric mat.SymDense
	metric.SymOuterK(1, w)
	m := FullMetric(&metric)
	l, err := m.lens(true)
	if err != nil {
		b.Fatal(err)
	}
	on, err := openMachinery("", 0, graph.Single)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(on.closeAll)
	on.room = &room{}
	points, err := on.transform(context.Background(), l, x)
	if err != nil {
		b.Fatal(err)
	}
	return on, &Model{kernel: Laplace{}, metric: m, centres: x, alpha: normal(benchN, benchOutputs, 1), lens: l,
		points: points}, x
}

func BenchmarkKernel(b *testing.B) {
	on, m, _ := benchModel(b)
	rated(b, benchN*benchN*benchD, func() error {
		_, err := on.gram(context.Background(), m.kernel, m.points)
		return err
	})
}

func BenchmarkCholesky(b *testing.B) {
	on, m, _ := benchModel(b)
	p := &problem{machinery: on, kernel: m.kernel, points: m.points, y: m.alpha, ridge: 1e-3}
	k, err := on.gram(context.Background(), m.kernel, m.points)
	if err != nil {
		b.Fatal(err)
	}
	copied := mat.NewSymDense(benchN, nil)
	rated(b, benchN*benchN*benchN/3., func() error {
		copied.CopySym(k)
		if p.factorise(copied) == nil {
			return errNoExamples
		}
		return nil
	})
}

func BenchmarkAGOP(b *testing.B) {
	on, m, x := benchModel(b)
	p, err := m.predictor(on, x)
	if err != nil {
		b.Fatal(err)
	}
	// The distances are computed once. Every output takes a product with the centres and an outer product.
	const operations = 2*benchN*benchN*benchD + benchOutputs*(2*benchN*benchN*benchD+benchN*benchD*benchD)
	rated(b, operations, func() error {
		_, err := p.agop(context.Background(), x, false, false)
		return err
	})
}

func BenchmarkPredict(b *testing.B) {
	on, m, x := benchModel(b)
	rated(b, 2*benchN*benchN*benchD, func() error {
		_, err := m.predictOn(context.Background(), on, x)
		return err
	})
}

func BenchmarkPairs(b *testing.B) {
	on, m, _ := benchModel(b)
	// The operations are the distances of half of the pairs, half of the product of the weights with themselves, half
	// of its product with the centres, and the last product.
	const operations = benchN*benchN*benchD + benchN*benchN*benchN + benchN*benchN*benchD + 2*benchN*benchD*benchD
	rated(b, operations, func() error {
		out, err := m.agopOfPairs(context.Background(), on, false)
		if out == nil && err == nil {
			b.Fatal("too many digits were lost")
		}
		return err
	})
}

// BenchmarkLens times the root of a metric, by an eigendecomposition.
func BenchmarkLens(b *testing.B) {
	_, m, _ := benchModel(b)
	rated(b, 9*benchD*benchD*benchD, func() error {
		_, err := m.metric.lens(true)
		return err
	})
}

// BenchmarkProduct times a pass of EigenPro.
func BenchmarkProduct(b *testing.B) {
	on, m, _ := benchModel(b)
	p, err := on.newProduct(m.kernel, m.points, benchOutputs)
	if err != nil {
		b.Fatal(err)
	}
	out := mat.NewDense(benchN, benchOutputs, nil)
	rated(b, benchN*benchN*benchD, func() error { return p.Times(context.Background(), m.alpha, out) })
}

// BenchmarkFit times a whole fit of three iterations on digits.
func BenchmarkFit(b *testing.B) {
	x, y := digits(b, "train", benchN)
	m := Machine{Ridge: 1e-3, Iterations: 3, Task: Classification, Select: Last}
	for b.Loop() {
		if _, err := m.Fit(context.Background(), x, y); err != nil {
			b.Fatal(err)
		}
	}
}
