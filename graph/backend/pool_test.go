package backend

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every engine takes the same element of a window: the first of equal numbers, and a NaN rather than a number. The test
// has few and many channels, whole windows and windows cut off at the edge. It checks every engine's Transpose too.
func TestArgMaxAndTransposeAgree(t *testing.T) {
	names := []string{"go"}
	if Native() {
		names = append(names, "native")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []Pooling{{Size: 2}, {Size: 3, Stride: 2, Pad: 1}, {Size: 3, Stride: 2, Ceil: true}, {Size: 7},
		{Size: 2, Stride: 1}} {
		for _, channels := range []int{1, 2, 3, 6, 15, 16, 17, 40} {
			const n, h, w = 3, 7, 8
			rows, err := p.Spans(h)
			if err != nil {
				t.Fatal(err)
			}
			cols, err := p.Spans(w)
			if err != nil {
				t.Fatal(err)
			}
			win := &Windows{N: n, H: h, W: w, C: channels, Rows: rows, Cols: cols}
			x := make([]float32, n*win.InSize())
			for i := range x {
				if x[i] = float32(rng.IntN(4)); rng.IntN(30) == 0 { // many are equal
					x[i] = float32(math.NaN())
				}
			}
			var first []int32
			for _, name := range names {
				idx := argMax(t, name, win, x)
				for i, at := range idx {
					if want := naiveArgMax(win, x, i); at != want {
						t.Fatalf("%s, %+v, %d channels: element %d takes %d, want %d", name, p, channels, i, at, want)
					}
				}
				if first == nil {
					first = idx
				}
				if !slices.Equal(first, idx) {
					t.Errorf("%s differs", name)
				}
			}
		}
	}
}

// argMax returns what an engine's ArgMax takes, and compares the engine's Transpose with its definition.
func argMax(t *testing.T, name string, w *Windows, x []float32) []int32 {
	t.Helper()
	d, err := Open(Options{Backend: name, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	idx, turned := make([]int32, w.N*w.OutSize()), make([]float32, len(x))
	area := w.H * w.W
	err = d.Do(func() error {
		d.Float32().ArgMax(w, x, idx)
		d.Float32().Transpose(w.N, area, w.C, x, turned)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range turned {
		n, c, at := i/(area*w.C), i/area%w.C, i%area
		if want := x[(n*area+at)*w.C+c]; v != want && v == v {
			t.Fatalf("%s: transposed [%d] is %v, want %v", name, i, v, want)
		}
	}
	return idx
}

// naiveArgMax returns the index of the element that output i takes, by the definition.
func naiveArgMax(w *Windows, x []float32, i int) int32 {
	n, at := i/w.OutSize(), i%w.OutSize()
	row, col, c := w.Rows[at/(len(w.Cols)*w.C)], w.Cols[at/w.C%len(w.Cols)], at%w.C
	image := x[n*w.InSize():]
	best := (row.Lo*w.W+col.Lo)*w.C + c
	for h := row.Lo; h < row.Hi; h++ {
		for k := col.Lo; k < col.Hi; k++ {
			j := (h*w.W+k)*w.C + c
			if image[j] > image[best] || image[j] != image[j] {
				best = j
			}
		}
	}
	return int32(best)
}
