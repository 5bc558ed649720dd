package backend

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	for _, o := range []Options{{Backend: "cuda"}, {Threads: -1}} {
		if d, err := Open(o); err == nil {
			d.Close()
			t.Errorf("Open(%+v) succeeded", o)
		}
	}
	if !Native() {
		if _, err := Open(Options{Backend: "native"}); !errors.Is(err, ErrNoNative) {
			t.Errorf("native in a build without it: %v", err)
		}
	}
	d, err := Open(Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Threads() != 1 || d.Name() == "" {
		t.Errorf("device %q with %d threads", d.Name(), d.Threads())
	}
	if want := errors.New("mine"); d.Do(func() error { return want }) != want {
		t.Error("Do lost the error of its function")
	}
	if err := d.Do(func() error { panic("ouch") }); err == nil || !strings.Contains(err.Error(), "ouch") {
		t.Errorf("a panic in Do became %v", err)
	}
}

// The number of threads changes results by no more than the order of sums does.
func TestThreadsAgree(t *testing.T) {
	names := []string{"go"}
	if Native() {
		names = append(names, "native")
	}
	for _, name := range names {
		var first []float32
		for _, threads := range []int{1, 2, 3, 7} {
			d, err := Open(Options{Backend: name, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			got := throughAll(t, d)
			d.Close()
			if first == nil {
				first = got
			}
			for i, v := range got {
				if diff := v - first[i]; diff > 1e-4 || diff < -1e-4 {
					t.Fatalf("%s with %d threads: [%d] = %v, with 1: %v", name, threads, i, v, first[i])
				}
			}
		}
	}
}

// throughAll runs some of each operation that is divided among threads, and returns the results.
func throughAll(t *testing.T, d *Device) (out []float32) {
	s := ConvShape{N: 5, H: 9, W: 8, C: 3, Filters: 4, KH: 3, KW: 3, PadH: 1, PadW: 1}.Normal()
	ramp := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i*7919%101)/50 - 1
		}
		return x
	}
	x, w, dy := ramp(5*9*8*3), ramp(4*27), ramp(5*9*8*4)
	spans, err := Pooling{Size: 3, Stride: 2, Pad: 1}.Spans(9)
	if err != nil {
		t.Fatal(err)
	}
	cols, err := Pooling{Size: 2}.Spans(8)
	if err != nil {
		t.Fatal(err)
	}
	win := &Windows{N: 5, H: 9, W: 8, C: 4, Rows: spans, Cols: cols}
	err = d.Do(func() error {
		e := d.Float32()
		y, dx, dw := make([]float32, len(dy)), make([]float32, len(x)), make([]float32, len(w))
		if err := e.Convolve(s, x, w, nil, true, y); err != nil {
			return err
		}
		if err := e.ConvolveData(s, w, dy, dx); err != nil {
			return err
		}
		if err := e.ConvolveWeights(s, x, dy, dw); err != nil {
			return err
		}
		idx, pooled := make([]int32, 5*win.OutSize()), make([]float32, 5*win.OutSize())
		e.ArgMax(win, y, idx)
		e.Gather(win, idx, y, pooled)
		back := make([]float32, len(y))
		e.Scatter(win, idx, pooled, back)
		mean := make([]float32, len(pooled))
		e.Average(win, y, mean)
		sums := make([]float32, 4)
		e.SumRows(y, sums)
		out = append(out, dx...)
		for _, v := range [][]float32{dw, back, mean, sums} {
			out = append(out, v...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Max pooling takes the first of equal elements, of which there are often several after a ReLU, and prefers a NaN to
// any number, as PyTorch does.
func TestArgMaxOfEqualsAndNaN(t *testing.T) {
	nan := float32(math.NaN())
	w := &Windows{N: 1, H: 1, W: 4, C: 1, Rows: []Span{{0, 1, 1}}, Cols: []Span{{0, 4, 4}}}
	names := []string{"go"}
	if Native() {
		names = append(names, "native")
	}
	for _, name := range names {
		d, err := Open(Options{Backend: name})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		for _, c := range []struct {
			x    []float32
			want int32
		}{{[]float32{0, 0, 0, 0}, 0}, {[]float32{1, 3, 3, 2}, 1}, {[]float32{1, nan, 3, 2}, 1}} {
			idx := make([]int32, 1)
			_ = d.Do(func() error { d.Float32().ArgMax(w, c.x, idx); return nil })
			if idx[0] != c.want {
				t.Errorf("%s: argmax of %v is at %d, want %d", name, c.x, idx[0], c.want)
			}
		}
	}
}

// BenchmarkGemm measures the rate of large matrix products, which is about the most that the machine can do: other
// rates are compared with it.
func BenchmarkGemm(b *testing.B) {
	const n = 1024
	d, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	x, y := make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i] = float32(i % 7)
	}
	for b.Loop() {
		_ = d.Do(func() error { d.Float32().Gemm(false, false, n, n, n, x, x, 0, y); return nil })
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
