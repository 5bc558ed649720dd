package moment

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// Columns selects the columns From ≤ j < To of rows of at most Width elements. They are divided evenly into Groups, and only the
// blocks of S on its diagonal, one for each group, are summed.
type Columns struct{ From, To, Width, Groups int }

// Kind says what is summed instead of S: only its Diagonal, or, with Centred, the moment of the vectors minus the mean of
// their pass, or both.
type Kind struct{ Diagonal, Centred bool }

// New returns an accumulator for batches with the given number of passes, each with the given number of rows.
func New[T backend.Float](d *backend.Device, s Columns, rows, passes int, o Kind) Accumulator {
	width := s.To - s.From
	whole := vectors{n: width, rows: rows, passes: passes}
	if s.Groups == 1 {
		a := newAccumulator[T](d, whole, o)
		if width == s.Width {
			return a
		}
		return &columnMoment[T]{source: s, device: d, accumulators: []Accumulator{a}}
	}
	c := &columnMoment[T]{source: s, device: d}
	if width == s.Groups { // the blocks are the elements of the diagonal
		o.Diagonal = true
		c.accumulators = []Accumulator{newAccumulator[T](d, whole, o)}
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
	source       Columns
	device       *backend.Device
	accumulators []Accumulator
	columns      []T // a copy of the columns of one accumulator
}

func (s *columnMoment[T]) Begin(n, examples int) {
	for _, a := range s.accumulators {
		a.Begin(n, examples)
	}
}

func (s *columnMoment[T]) Add(pass int, delta *tensor.Dense) error {
	width := delta.Shape()[delta.Dims()-1]
	rows, n := delta.Size()/width, (s.source.To-s.source.From)/len(s.accumulators)
	if n == width {
		return s.accumulators[0].Add(pass, delta)
	}
	if cap(s.columns) < rows*n {
		s.columns = make([]T, rows*n)
	}
	s.device.Download(delta.Data())
	block := tensor.New(tensor.WithShape(rows, n), tensor.WithBacking(s.columns[:rows*n]))
	all := delta.Data().([]T)
	for k, a := range s.accumulators {
		from := s.source.From + k*n
		for i := range rows {
			copy(s.columns[i*n:(i+1)*n], all[i*width+from:])
		}
		if err := a.Add(pass, block); err != nil {
			return err
		}
	}
	return nil
}

func (s *columnMoment[T]) End() {
	for _, a := range s.accumulators {
		a.End()
	}
}

func (s *columnMoment[T]) Take(scale float64) Moment {
	var blocks []Moment
	for _, a := range s.accumulators {
		blocks = append(blocks, a.Take(scale))
	}
	if m := blocks[0]; len(blocks) == 1 && s.source.Groups > 1 {
		blocks = blocks[:0]
		for i := range m.n {
			blocks = append(blocks, m.Part(i, i+1))
		}
	}
	return OfBlocks(blocks)
}

func (s *columnMoment[T]) Bytes(batches int64) (sum int64) {
	for _, a := range s.accumulators {
		sum += a.Bytes(batches)
	}
	return sum
}
