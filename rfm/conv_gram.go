package rfm

import (
	"context"

	"github.com/ansatz-lab/ansatz/graph"
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
)

// mapElements is about how many elements a map of a tile has, so that a few maps stay in the cache of a core. The products
// of long patches cost more than the maps, so tiles of long patches are longPatch times as large: patches are then read less
// often.
const (
	mapElements = 1 << 17
	longPatch   = 4
	fewPairs    = 64 // fewer would make the matrix products of a position inefficient
)

// TileSides returns the number of images along the rows and along the columns of a tile of the kernel matrix.
func TileSides(k ConvKernel, g Grid) (rows, columns int) {
	return tileSides(k, patchView{grid: g, lens: &lens{r: g.Features()}})
}

// tileSides returns the number of images along the rows and along the columns of a tile.
func tileSides(k ConvKernel, s patchView) (b, n int) {
	elements, positions := mapElements, max(1, k.positions(s.grid)) // 0 for a grid that will be refused
	if s.r() > 128 {
		elements *= longPatch
	}
	pairs := max(fewPairs, elements/positions)
	if positions > elements/8 { // large images: bound the memory
		pairs = max(1, longPatch*elements/positions)
	}
	n = 16
	for n < 64 && pairs >= 16*n {
		n *= 2
	}
	for b = 16; b > 1 && b*n > pairs; b /= 2 {
	}
	for n > 1 && b*n > pairs {
		n /= 2
	}
	return b, n
}

// tiles is the expression of a tile of a kernel matrix.
type tiles[T backend.Float] struct {
	extractor *patchExtractor[T]
	a, b      *graph.Node // patches of a tile's rows and columns
	value     *graph.Node
	program   *graph.Program
}

func newTiles[T backend.Float](m machinery, k ConvKernel, s patchView, rows, cols int) (*tiles[T], error) {
	g := graph.New(m.device, m.precision)
	t := &tiles[T]{}
	p := s.grid.Positions()
	t.a, t.b = g.Input("a", p, rows*s.r()), g.Input("b", p, cols*s.r())
	t.value = k.Matrix(g, s.grid, Patches{t.a, rows, s.r()}, Patches{t.b, cols, s.r()})
	if err := g.Err(); err != nil {
		return nil, err
	}
	var err error
	if t.program, err = g.Compile(graph.Plan{Outputs: []*graph.Node{t.value}, Repeat: []*graph.Node{t.a}}); err != nil {
		return nil, err
	}
	t.extractor, err = newPatchExtractor[T](m, s, imagesAtOnce)
	return t, err
}

// tiling divides a kernel matrix of m columns into tiles of rows×cols entries.
type tiling struct{ m, rows, cols int }

func tilingOf(k ConvKernel, s patchView, n, m int) tiling {
	rows, cols := tileSides(k, s)
	return tiling{m: m, rows: min(rows, n), cols: min(cols, m)}
}

func (l tiling) columns() int { return (l.m + l.cols - 1) / l.cols }

// kernelMatrix computes K(xᵢ, zⱼ) into out, row by row. If x and z are the same, it computes only the upper half.
func kernelMatrix[T backend.Float](ctx context.Context, t *team, k ConvKernel, x, z *patchStore[T], out []float64,
	report func(done, total int)) error {
	l := tilingOf(k, x.patchView, x.images.Len(), z.images.Len())
	return kernelColumns(ctx, t, k, x, z, l, 0, l.columns(), out, report)
}

// kernelColumns computes the columns of tiles from ≤ c < to of a kernel matrix into out, which has just these columns.
func kernelColumns[T backend.Float](ctx context.Context, t *team, k ConvKernel, x, z *patchStore[T], l tiling,
	from, to int, out []float64, report func(done, total int)) error {
	first, stride := from*l.cols, min(to*l.cols, l.m)-from*l.cols
	return t.Share(ctx, to-from, func(done int) { report(done, to-from) },
		func(member int) (func(context.Context, int) error, error) {
			tile, err := newTiles[T](t.machinery(member), k, x.patchView, l.rows, l.cols)
			return func(ctx context.Context, task int) error {
				column := to - 1 - task // the longest columns of an upper half come first
				lo, hi := column*l.cols, min((column+1)*l.cols, l.m)
				if err := z.place(ctx, tile.extractor, lo, hi, l.cols,
					tile.program.Value(tile.b).Data().([]T)); err != nil {
					return err
				}
				last := x.images.Len()
				if x == z {
					last = hi
				}
				return tile.column(ctx, x, last, l.rows, func(i, count int, values []T) {
					for r := range count {
						to := out[(i+r)*stride+lo-first : (i+r)*stride+hi-first]
						for c := range to {
							to[c] = float64(values[r*l.cols+c])
						}
					}
				})
			}, err
		})
}

// column computes the tiles of the rows up to last.
func (t *tiles[T]) column(ctx context.Context, x *patchStore[T], last, rows int,
	write func(i, count int, values []T)) error {
	run := t.program.Run // later Repeat: only what changes with a
	for i := 0; i < last; i += rows {
		hi := min(i+rows, x.images.Len())
		if err := x.place(ctx, t.extractor, i, hi, rows, t.program.Value(t.a).Data().([]T)); err != nil {
			return err
		}
		if err := run(ctx); err != nil {
			return err
		}
		run = t.program.Repeat
		write(i, min(hi, last)-i, t.program.Value(t.value).Data().([]T))
	}
	return nil
}

// gram computes the kernel matrix of images.
func (t *team) gram(ctx context.Context, k ConvKernel, s patchView, x Images, room *room,
	report func(done, total int)) (*mat.SymDense, error) {
	out := room.square(x.Len())
	if t.Precision == graph.Double {
		return out, gramOf[float64](ctx, t, k, s, x, out, report)
	}
	return out, gramOf[float32](ctx, t, k, s, x, out, report)
}

func gramOf[T backend.Float](ctx context.Context, t *team, k ConvKernel, s patchView, x Images, out *mat.SymDense,
	report func(done, total int)) error {
	patches, err := extractPatches[T](ctx, t, s, x)
	if err != nil {
		return err
	}
	return kernelMatrix(ctx, t, k, patches, patches, out.RawSymmetric().Data, report)
}

// across computes K(xᵢ, zⱼ)·α, chunk by chunk.
func (t *team) across(ctx context.Context, k ConvKernel, s patchView, x, z Images, alpha *mat.Dense,
	report func(done, total int)) (*mat.Dense, error) {
	if t.Precision == graph.Double {
		return acrossOf[float64](ctx, t, k, s, x, z, alpha, report)
	}
	return acrossOf[float32](ctx, t, k, s, x, z, alpha, report)
}

// chunk is how many images are predicted at a time.
const chunk = 512

func acrossOf[T backend.Float](ctx context.Context, t *team, k ConvKernel, s patchView, x, z Images, alpha *mat.Dense,
	report func(done, total int)) (*mat.Dense, error) {
	centres, err := extractPatches[T](ctx, t, s, z)
	if err != nil {
		return nil, err
	}
	_, outputs := alpha.Dims()
	out := mat.NewDense(x.Len(), outputs, nil)
	matrix := mat.NewDense(min(chunk, x.Len()), z.Len(), nil)
	for lo := 0; lo < x.Len(); lo += chunk {
		hi := min(lo+chunk, x.Len())
		points, err := extractPatches[T](ctx, t, s, x.Slice(lo, hi))
		if err != nil {
			return nil, err
		}
		part := matrix.Slice(0, hi-lo, 0, z.Len()).(*mat.Dense)
		err = kernelMatrix(ctx, t, k, points, centres, part.RawMatrix().Data,
			func(done, total int) { report(lo*total+(hi-lo)*done, x.Len()*total) })
		if err != nil {
			return nil, err
		}
		out.Slice(lo, hi, 0, outputs).(*mat.Dense).Mul(part, alpha)
	}
	return out, nil
}

// multiply returns K·α for the matrix that [team.across] computes, chunk by chunk as it does.
func multiply(k, alpha *mat.Dense) *mat.Dense {
	rows, columns := k.Dims()
	_, outputs := alpha.Dims()
	out := mat.NewDense(rows, outputs, nil)
	for lo := 0; lo < rows; lo += chunk {
		hi := min(lo+chunk, rows)
		out.Slice(lo, hi, 0, outputs).(*mat.Dense).Mul(k.Slice(lo, hi, 0, columns), alpha)
	}
	return out
}
