package gpu_test

import (
	"fmt"
	"testing"

	"github.com/ansatz-lab/ansatz/graph/backend"
)

// operation is an operation of an engine. in and out are the numbers of elements of its operands and results.
type operation[T backend.Float] struct {
	name    string
	in, out []int
	run     func(e backend.Engine[T], in, out [][]T)
}

// operations lists every method of an engine, with sizes that are no multiples of any tile, and with sums that are
// divided.
func operations[T backend.Float](t *testing.T) []operation[T] {
	conv := func(groups, stride, pad, dilate int) backend.ConvShape {
		return backend.ConvShape{N: 2, H: 11, W: 9, C: 6, Filters: 12, KH: 3, KW: 2, StrideH: stride, StrideW: stride,
			PadH: pad, PadW: pad, DilateH: dilate, DilateW: 1, Groups: groups}
	}
	var all []operation[T]
	add := func(name string, in, out []int, run func(e backend.Engine[T], in, out [][]T)) {
		all = append(all, operation[T]{name, in, out, run})
	}
	for _, m := range [][3]int{{70, 65, 17}, {3, 5, 5000}, {1, 200, 33}} {
		for _, trans := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
			add(fmt.Sprint("gemm ", m, trans), []int{m[0] * m[2], m[1] * m[2]}, []int{m[0] * m[1]},
				func(e backend.Engine[T], in, out [][]T) {
					e.Gemm(trans[0], trans[1], m[0], m[1], m[2], in[0], in[1], 0, out[0])
					e.Gemm(trans[0], trans[1], m[0], m[1], m[2], in[0], in[1], .5, out[0])
				})
			add(fmt.Sprint("batch ", m, trans), []int{3 * m[0] * m[2], 3 * m[1] * m[2]}, []int{3 * m[0] * m[1]},
				func(e backend.Engine[T], in, out [][]T) {
					e.GemmBatch(trans[0], trans[1], 3, m[0], m[1], m[2], in[0], in[1], out[0])
				})
		}
	}
	for _, s := range []backend.ConvShape{conv(1, 1, 1, 1), conv(2, 2, 1, 2), conv(6, 1, 0, 1), conv(1, 3, 1, 1)} {
		x, w, y := s.N*s.H*s.W*s.C, s.Filters*s.PatchSize(), s.Rows()*s.Filters
		add(fmt.Sprint("convolve ", s), []int{x, w, s.Filters}, []int{y, y}, func(e backend.Engine[T], in, out [][]T) {
			_ = e.Convolve(s, in[0], in[1], in[2], true, out[0])
			_ = e.Convolve(s, in[0], in[1], nil, false, out[1])
		})
		add(fmt.Sprint("adjoints ", s), []int{x, w, y}, []int{x, w}, func(e backend.Engine[T], in, out [][]T) {
			_ = e.ConvolveData(s, in[1], in[2], out[0])
			_ = e.ConvolveWeights(s, in[0], in[2], out[1])
		})
		if s.Groups == 1 {
			p := s.Rows() * s.PatchSize()
			add(fmt.Sprint("patches ", s), []int{x, p}, []int{p, x}, func(e backend.Engine[T], in, out [][]T) {
				e.Patches(s, in[0], out[0])
				e.Fold(s, in[1], out[1])
			})
		}
	}
	many := 66000 // GPUs have 65535 work groups along the last axis
	add("many products", []int{many * 2, many * 2}, []int{many * 4}, func(e backend.Engine[T], in, out [][]T) {
		e.GemmBatch(false, false, many, 2, 2, 1, in[0], in[1], out[0])
	})
	all = append(all, reductions[T](t)...)
	all = append(all, rearrangements[T](t)...)
	return append(all, steps[T]()...)
}

func reductions[T backend.Float](t *testing.T) []operation[T] {
	var all []operation[T]
	for _, s := range [][2]int{{5, 3}, {1000, 1}, {3000, 7}, {37, 300}, {1, 130}} {
		rows, cols := s[0], s[1]
		n := rows * cols
		all = append(all,
			operation[T]{fmt.Sprint("columns ", s), []int{n, n, cols}, []int{cols, cols, cols, 1},
				func(e backend.Engine[T], in, out [][]T) {
					e.SumRows(in[0], out[0])
					e.DotRows(in[0], in[1], out[1])
					e.VarRows(in[0], in[2], out[2])
					e.Dot(in[0], in[1], out[3])
				}},
			operation[T]{fmt.Sprint("rows ", s), []int{n, n}, []int{rows, rows, rows, n, rows, n},
				func(e backend.Engine[T], in, out [][]T) {
					e.SumCols(in[0], out[0])
					e.DotCols(in[0], in[1], out[1])
					e.LogSumExp(cols, in[0], out[2])
					e.Softmax(cols, in[0], out[3])
					e.RowScales(1e-3, in[0], out[4])
					e.NormaliseRows(cols, 1e-3, in[0], out[5])
				}},
		)
	}
	for _, s := range []backend.Differences{{Power: 1}, {Power: 0}, {Odd: true}, {Power: 1.5}, {Power: .5, Odd: true}} {
		s.Rows, s.Others, s.Cols = 19, 33, 21
		u, v := s.Rows*s.Cols, s.Others*s.Cols
		all = append(all, operation[T]{fmt.Sprint("differences ", s), []int{u, v, u, v, s.Rows * s.Others},
			[]int{s.Rows * s.Others, s.Rows * s.Others, u, u}, func(e backend.Engine[T], in, out [][]T) {
				e.SumDifferences(s, in[0], in[1], nil, nil, out[0])
				e.SumDifferences(s, in[0], in[1], in[2], in[3], out[1])
				e.WeighDifferences(s, false, in[4], in[0], in[1], in[3], out[2])
				e.WeighDifferences(s, true, in[4], in[0], in[1], nil, out[3])
			}})
	}
	sets, err := backend.NewSets(9, [][]int{{0, 3, 3}, {}, {8, 1, 2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	return append(all,
		operation[T]{"sets", []int{9 * 5, 3 * 5}, []int{3 * 5, 9 * 5}, func(e backend.Engine[T], in, out [][]T) {
			e.SumSets(sets, in[0], out[0])
			e.SumSets(sets.Adjoint(), in[1], out[1])
		}},
		operation[T]{"middle", []int{3 * 40 * 7}, []int{3 * 7}, func(e backend.Engine[T], in, out [][]T) {
			e.SumMiddle(3, 40, 7, in[0], out[0])
		}},
		operation[T]{"row products", []int{5 * 2 * 3, 6, 5 * 3 * 4}, []int{5 * 8, 5 * 8}, func(e backend.Engine[T], in, out [][]T) {
			e.RowMatMul(2, 3, 4, in[0], nil, in[2], out[0])
			e.RowMatMul(2, 3, 4, in[0], in[1], in[2], out[1])
		}},
		operation[T]{"gram", []int{300 * 70}, []int{70 * 70}, func(e backend.Engine[T], in, out [][]T) {
			full := make([]T, 70*70)
			e.Gram(70, in[0], 0, full)
			for i := range 70 { // the elements below the diagonal are undefined
				clear(full[i*70 : i*70+i])
			}
			e.Elementwise(&backend.Chain{Instrs: []backend.Instr{{Code: backend.Scale, K: 1}}}, [][]T{full}, 70, out[0])
		}},
	)
}

func rearrangements[T backend.Float](t *testing.T) []operation[T] {
	view := func(n int, axes ...[]int) *backend.View {
		v, err := backend.NewView(axes, n)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	some, twice := view(24, []int{0, 8, 16}, []int{5, 1, 2}), view(24, []int{3, 0, 3, 7}, []int{0, 1, 1})
	spans := func(p backend.Pooling, n int) []backend.Span {
		s, err := p.Spans(n)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	p := backend.Pooling{Size: 3, Stride: 2, Pad: 1}
	w := &backend.Windows{N: 2, H: 7, W: 8, C: 3, Rows: spans(p, 7), Cols: spans(p, 8)}
	in, out := w.N*w.InSize(), w.N*w.OutSize()
	return []operation[T]{
		{"transpose", []int{3 * 20 * 35}, []int{3 * 20 * 35}, func(e backend.Engine[T], in, out [][]T) {
			e.Transpose(3, 20, 35, in[0], out[0])
		}},
		{"views", []int{24, 9, 12}, []int{9, 24, 12, 24}, func(e backend.Engine[T], in, out [][]T) {
			e.TakeView(some, in[0], out[0])
			e.PutView(some, in[1], 7, out[1])
			e.TakeView(twice, in[0], out[2])
			e.PutView(twice, in[2], 0, out[3])
		}},
		{"concat", []int{6, 2, 4}, []int{12}, func(e backend.Engine[T], in, out [][]T) { e.Concat(2, in, out[0]) }},
		{"pooling", []int{in, out}, []int{out, in, out, in}, func(e backend.Engine[T], x, y [][]T) {
			idx := make([]int32, out)
			e.ArgMax(w, x[0], idx)
			e.Gather(w, idx, x[0], y[0])
			e.Scatter(w, idx, x[1], y[1])
			e.Average(w, x[0], y[2])
			e.Spread(w, x[1], y[3])
		}},
	}
}

func steps[T backend.Float]() []operation[T] {
	set := func(e backend.Engine[T], to, from []T) {
		e.Elementwise(&backend.Chain{Instrs: []backend.Instr{{Code: backend.Mul, A: 0, B: 0}}}, [][]T{from}, 1, to)
	}
	return []operation[T]{
		{"momentum", []int{333, 333, 333}, []int{333, 333}, func(e backend.Engine[T], in, out [][]T) {
			set(e, out[0], in[0])
			set(e, out[1], in[1])
			e.DescendMomentum(backend.Momentum{Rate: .1, Momentum: .9, Decay: .01}, out[0], in[2], out[1])
		}},
		{"adam", []int{333, 333, 333, 333}, []int{333, 333, 333}, func(e backend.Engine[T], in, out [][]T) {
			for i := range out {
				set(e, out[i], in[i])
			}
			e.DescendAdam(backend.Adam{Rate: .1, Beta1: .9, Beta2: .99, Scale: 2, Eps: .01, Decay: .01}, out[0], in[3], out[1],
				out[2])
		}},
		{"adadelta", []int{333, 333, 333, 333}, []int{333, 333, 333}, func(e backend.Engine[T], in, out [][]T) {
			for i := range out {
				set(e, out[i], in[i])
			}
			e.DescendAdadelta(backend.Adadelta{Rate: .1, Rho: .9, Eps: .01, Decay: .01}, out[0], in[3], out[1], out[2])
		}},
	}
}
