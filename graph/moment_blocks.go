package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// MomentOfBlocks returns the moment of vectors of which only the blocks on the diagonal of S are known, one a group of
// their elements. A single block is the moment itself.
func MomentOfBlocks(blocks []Moment) Moment {
	if len(blocks) == 1 {
		return blocks[0]
	}
	m := Moment{blocks: blocks}
	for _, b := range blocks {
		m.n += b.n
	}
	return m
}

// Blocks returns the blocks on the diagonal of S that are known: one a group of a layer, or S itself.
func (m Moment) Blocks() []Moment {
	if m.blocks == nil {
		return []Moment{m}
	}
	return m.blocks
}

// Part returns the moment of the elements from ≤ i < to of the vectors. They must lie within one block.
func (m Moment) Part(from, to int) Moment {
	switch {
	case m.blocks != nil:
		panic("graph: a part of a moment with several blocks")
	case m.rows != nil:
		r, _ := m.rows.Dims()
		return MomentOfRows(mat.DenseCopyOf(m.rows.Slice(0, r, from, to)))
	case m.sym != nil:
		s := mat.NewSymDense(to-from, nil)
		s.CopySym(m.sym.SliceSym(from, to))
		return MomentOf(s)
	case m.diag != nil:
		return Moment{n: to - from, diag: m.diag[from:to]}
	}
	return Moment{n: to - from}
}

// placeBlocks writes the blocks into S.
func (m Moment) placeBlocks(s *mat.SymDense) {
	at := 0
	for _, b := range m.blocks {
		block := b.Sym()
		for i := range b.n {
			for j := i; j < b.n; j++ {
				s.SetSym(at+i, at+j, block.At(i, j))
			}
		}
		at += b.n
	}
}

func (m Moment) blockDiagonals() (d []float64) {
	for _, b := range m.blocks {
		d = append(d, b.Diagonal()...)
	}
	return d
}

// sandwichBlocks adds the products of the blocks to out.
func (m Moment) sandwichBlocks(out *mat.SymDense, w *mat.Dense) {
	_, d := w.Dims()
	at := 0
	for _, b := range m.blocks {
		out.AddSym(out, b.Sandwich(w.Slice(at, at+b.n, 0, d)))
		at += b.n
	}
}

// sumBlocks adds up moments block by block.
func sumBlocks(ms []Moment, scale float64) Moment {
	sum := make([]Moment, len(ms[0].blocks))
	for k := range sum {
		of := make([]Moment, len(ms))
		for i, m := range ms {
			of[i] = m.blocks[k]
		}
		sum[k] = SumMoments(of, scale)
	}
	return MomentOfBlocks(sum)
}

// Source says of which vectors a moment is the sum: the rows of the cotangents at some nodes, of which the columns
// From ≤ j < To count. They are divided evenly into Groups, and of S only the block of each group is summed up.
type Source struct {
	Nodes            []*Node
	From, To, Groups int
}

// Source returns the source of the moments of a part of a layer: all its uses, with a block a group.
func (l Layer) Source(p Part) Source {
	s := Source{From: p.From, To: p.To, Groups: l.Groups()}
	for _, u := range l.Uses() {
		s.Nodes = append(s.Nodes, u.Pre)
	}
	return s
}

// check returns an error unless the columns are those of the nodes, and the groups divide them.
func (s Source) check() error {
	if len(s.Nodes) == 0 {
		return fmt.Errorf("graph: moments of no nodes")
	}
	for _, n := range s.Nodes {
		if s.From < 0 || s.From >= s.To || s.To > cols(n) || s.Groups < 1 || (s.To-s.From)%s.Groups != 0 {
			return fmt.Errorf("graph: moments of columns %d to %d of %d in %d groups", s.From, s.To, cols(n), s.Groups)
		}
	}
	return nil
}

// newSourceMoment returns the accumulator of a source, the rows of whose nodes are so many together.
func newSourceMoment[T backend.Float](d *backend.Device, s Source, rows, passes int, o Outputs) accumulator {
	width := s.To - s.From
	whole := vectors{n: width, rows: rows, passes: passes}
	if s.Groups == 1 {
		a := newAccumulator[T](d, whole, o)
		if width == cols(s.Nodes[0]) {
			return a
		}
		return &columnMoment[T]{source: s, accumulators: []accumulator{a}}
	}
	c := &columnMoment[T]{source: s}
	if width == s.Groups { // the blocks are the elements of the diagonal
		o.Diagonal = true
		c.accumulators = []accumulator{newAccumulator[T](d, whole, o)}
		return c
	}
	block := vectors{n: width / s.Groups, rows: rows, passes: passes, added: true}
	for range s.Groups {
		c.accumulators = append(c.accumulators, newAccumulator[T](d, block, o))
	}
	return c
}

// columnMoment divides columns of the vectors evenly among accumulators.
type columnMoment[T backend.Float] struct {
	source       Source
	accumulators []accumulator
	columns      []T // of an accumulator
}

func (s *columnMoment[T]) begin(n, examples int) {
	for _, a := range s.accumulators {
		a.begin(n, examples)
	}
}

func (s *columnMoment[T]) add(pass int, delta *tensor.Dense) error {
	width := delta.Shape()[delta.Dims()-1]
	rows, n := delta.Size()/width, (s.source.To-s.source.From)/len(s.accumulators)
	if n == width {
		return s.accumulators[0].add(pass, delta)
	}
	if cap(s.columns) < rows*n {
		s.columns = make([]T, rows*n)
	}
	block := tensor.New(tensor.WithShape(rows, n), tensor.WithBacking(s.columns[:rows*n]))
	all := delta.Data().([]T)
	for k, a := range s.accumulators {
		from := s.source.From + k*n
		for i := range rows {
			copy(s.columns[i*n:(i+1)*n], all[i*width+from:])
		}
		if err := a.add(pass, block); err != nil {
			return err
		}
	}
	return nil
}

func (s *columnMoment[T]) end() {
	for _, a := range s.accumulators {
		a.end()
	}
}

func (s *columnMoment[T]) take(scale float64) Moment {
	var blocks []Moment
	for _, a := range s.accumulators {
		blocks = append(blocks, a.take(scale))
	}
	if m := blocks[0]; len(blocks) == 1 && s.source.Groups > 1 {
		blocks = blocks[:0]
		for i := range m.n {
			blocks = append(blocks, m.Part(i, i+1))
		}
	}
	return MomentOfBlocks(blocks)
}

func (s *columnMoment[T]) bytes() (sum int64) {
	for _, a := range s.accumulators {
		sum += a.bytes()
	}
	return sum
}
