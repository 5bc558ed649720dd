package moment

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// OfParts accumulates the moment of the cotangents at some nodes. It adds each cotangent at once or, for a function that
// is a sum of parts, first sums the cotangents over the parts.
type OfParts struct {
	Accumulator
	device   *backend.Device
	dtype    tensor.Dtype
	shapes   []tensor.Shape // of the cotangents
	pass     int            // the current one
	gathers  bool
	gathered [][]*tensor.Dense // the sums over parts, by pass and node
}

// NewOfParts returns an accumulator for columns of the cotangents at nodes of the given shapes, with passes per batch.
func NewOfParts(d *backend.Device, dtype tensor.Dtype, columns Columns, shapes []tensor.Shape, passes int, k Kind) *OfParts {
	count := 0
	for _, s := range shapes {
		count += s.TotalSize() / s[len(s)-1]
	}
	m := &OfParts{device: d, dtype: dtype, shapes: shapes}
	if dtype == tensor.Float64 {
		m.Accumulator = New[float64](d, columns, count, passes, k)
	} else {
		m.Accumulator = New[float32](d, columns, count, passes, k)
	}
	return m
}

// Begin begins a batch. Cotangents are added at once, unless [OfParts.Gather] is called next.
func (m *OfParts) Begin(n, examples int) {
	m.gathers = false // a batch of parts that failed may have left it set
	m.Accumulator.Begin(n, examples)
}

// Pass sets the number of the pass that yields the next cotangents.
func (m *OfParts) Pass(k int) { m.pass = k }

// Gather starts to sum the cotangents over parts, separately for every pass.
func (m *OfParts) Gather(passes int) {
	m.gathers = true
	for len(m.gathered) < passes {
		var sums []*tensor.Dense
		for _, s := range m.shapes {
			sums = append(sums, tensor.New(tensor.Of(m.dtype), tensor.WithShape(s...)))
		}
		m.gathered = append(m.gathered, sums)
	}
	for _, sums := range m.gathered {
		for _, sum := range sums {
			sum.Zero()
		}
	}
}

// Record adds the cotangent at a node in the current pass to the moment or, after [OfParts.Gather], to the sum over parts.
func (m *OfParts) Record(node int, delta *tensor.Dense) error {
	if !m.gathers {
		return m.Add(m.pass, delta)
	}
	sum := m.gathered[m.pass][node]
	if m.dtype == tensor.Float64 {
		addTo[float64](m.device, sum, delta)
	} else {
		addTo[float32](m.device, sum, delta)
	}
	return nil
}

var addition = &backend.Chain{Instrs: []backend.Instr{{Code: backend.Add, B: 1}}}

func addTo[T backend.Float](d *backend.Device, sum, x *tensor.Dense) {
	to := sum.Data().([]T)
	backend.EngineOf[T](d).Elementwise(addition, [][]T{to, x.Data().([]T)}, len(to), to)
}

// AddGathered adds the sums over all parts to the moment.
func (m *OfParts) AddGathered() error {
	m.gathers = false
	for pass, sums := range m.gathered {
		for _, sum := range sums {
			if err := m.Add(pass, sum); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bytes returns the memory of the sums over a number of batches.
func (m *OfParts) Bytes(batches int64) int64 {
	b := m.Accumulator.Bytes(batches)
	for _, sums := range m.gathered {
		for _, sum := range sums {
			b += int64(sum.MemSize())
		}
	}
	return b
}
