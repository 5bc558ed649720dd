package moment

import (
	"math"
	"slices"

	"github.com/ansatz-lab/ansatz/graph/backend"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Accumulator sums a moment. For every batch the caller calls Begin, with the number n of examples that count among all in
// a batch, then Add for every pass and node, then End. Take returns the moment times a scale and starts again from zero.
// Bytes returns the memory of the sum over a number of batches.
type Accumulator interface {
	Begin(n, examples int)
	Add(pass int, delta *tensor.Dense) error
	End()
	Take(scale float64) Moment
	Bytes(batches int64) int64
}

// vectors describes the vectors whose moment is summed: in each pass of a batch, so many rows of n elements.
type vectors struct {
	n, rows, passes int
	added           bool // always summed and never held as vectors, because S is small
}

// newAccumulator returns an accumulator for vectors. It holds them as vectors if a batch has at most half as many as each
// has elements.
func newAccumulator[T backend.Float](d *backend.Device, v vectors, k Kind) Accumulator {
	var a Accumulator
	engine := backend.EngineOf[T](d)
	switch {
	case k.Diagonal:
		a = newDiagonalMoment(engine, v.n)
	case !v.added && 2*v.rows*v.passes <= v.n:
		a = &rowMoment{vectors: v, device: d}
	default:
		a = newGramMoment[T](d, v.n)
	}
	if k.Centred {
		return newCentredMoment(engine, v, a)
	}
	return a
}

// gramMoment sums S: in the graph's precision over the passes of a batch, in
// float64 over batches.
type gramMoment[T backend.Float] struct {
	device *backend.Device
	engine backend.Engine[T]
	n      int
	fresh  bool // no pass of the batch was added yet
	batch  []T
	held   bool      // batch holds a finished batch that is not in total yet
	total  []float64 // the sum of earlier batches; nil while there are none
}

func newGramMoment[T backend.Float](d *backend.Device, n int) *gramMoment[T] {
	s := &gramMoment[T]{device: d, engine: backend.EngineOf[T](d), n: n, batch: make([]T, n*n)}
	attach(d, s, s.batch)
	return s
}

// attach gives a sum memory on the device. If the device has no room, the engine reports it when it adds to the sum.
func attach[O any](d *backend.Device, owner *O, sum any) { _ = backend.Attach(d, owner, sum) }

func (s *gramMoment[T]) Begin(n, examples int) {
	if s.held {
		s.fold()
	}
	s.fresh = true
}

// Add adds all rows of delta. The rows of examples that do not count are zero, because their cotangents are.
func (s *gramMoment[T]) Add(_ int, delta *tensor.Dense) error {
	d := delta.Data().([]T)
	beta := T(1)
	if s.fresh {
		beta = 0
	}
	s.engine.Gram(s.n, d, beta, s.batch)
	s.fresh = false
	return nil
}

func (s *gramMoment[T]) End() { s.held = true }

// fold adds the finished batch to the total.
func (s *gramMoment[T]) fold() {
	if s.total == nil {
		s.total = make([]float64, len(s.batch))
	}
	s.device.Download(s.batch)
	for i := range s.n {
		sum := s.total[i*s.n:][:s.n]
		for j, v := range s.batch[i*s.n+i : (i+1)*s.n] {
			sum[i+j] += float64(v)
		}
	}
	s.held = false
}

func (s *gramMoment[T]) Take(scale float64) Moment {
	if s.held && s.total != nil {
		s.fold()
	}
	sym := mat.NewSymDense(s.n, nil)
	switch {
	case s.total != nil:
		scaled(sym, scale, s.total)
		clear(s.total)
	case s.held:
		s.device.Download(s.batch)
		scaled(sym, scale, s.batch)
	}
	s.held = false
	return Moment{n: s.n, sym: sym}
}

// scaled sets sym to a multiple of a square matrix, of which it reads the upper triangle.
func scaled[T backend.Float](sym *mat.SymDense, scale float64, full []T) {
	n := sym.SymmetricDim()
	raw := sym.RawSymmetric()
	for i := range n {
		row := raw.Data[i*raw.Stride+i:]
		for j, v := range full[i*n+i : (i+1)*n] {
			row[j] = scale * float64(v)
		}
	}
}

func (s *gramMoment[T]) Bytes(int64) int64 { return 16 * int64(s.n) * int64(s.n) }

// rowMoment keeps the vectors until S is smaller than all of them.
type rowMoment struct {
	vectors
	device *backend.Device
	data   []float64
	sum    *mat.SymDense
}

func (s *rowMoment) Begin(n, examples int) {}

// Add keeps all rows of delta; those of examples that do not count are zero.
func (s *rowMoment) Add(_ int, delta *tensor.Dense) error {
	s.device.Download(delta.Data())
	at, n := len(s.data), delta.Size()
	s.data = slices.Grow(s.data, n)[:at+n]
	switch x := delta.Data().(type) {
	case []float32:
		for i, v := range x {
			s.data[at+i] = float64(v)
		}
	case []float64:
		copy(s.data[at:], x)
	}
	return nil
}

func (s *rowMoment) End() {
	if len(s.data) > s.n*s.n {
		s.fold()
	}
}

// fold replaces the vectors by S.
func (s *rowMoment) fold() {
	if s.sum == nil {
		s.sum = mat.NewSymDense(s.n, nil)
	}
	if len(s.data) > 0 {
		s.sum.SymRankK(s.sum, 1, mat.NewDense(len(s.data)/s.n, s.n, s.data).T())
	}
	s.data = s.data[:0]
}

func (s *rowMoment) Take(scale float64) Moment {
	if s.sum != nil {
		s.fold()
		sym := s.sum
		s.sum = nil
		sym.ScaleSym(scale, sym)
		return Moment{n: s.n, sym: sym}
	}
	m := Moment{n: s.n}
	if len(s.data) > 0 {
		m.rows = mat.NewDense(len(s.data)/s.n, s.n, s.data)
		m.rows.Scale(math.Sqrt(scale), m.rows)
	}
	s.data = nil
	return m
}

// Bytes counts the vectors of all batches or, where there are more than elements of S, S and the vectors up to the batch after
// which they are added to it.
func (s *rowMoment) Bytes(batches int64) int64 {
	n, batch := int64(s.n), int64(s.n)*int64(s.rows*s.passes)
	if all := batches * batch; all <= n*n {
		return 8 * all
	}
	return 8 * (2*n*n + batch)
}
