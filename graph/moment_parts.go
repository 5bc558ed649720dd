package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"gorgonia.org/tensor"
)

// summand is the moment at one node of a [Moments]. Cotangents are added to it at once, or after those of all parts
// of a function were added up.
type summand struct {
	accumulator
	g        *Graph
	node     *Node
	pass     int
	gathers  bool
	gathered []*tensor.Dense // for every pass
}

// gather begins to add up the cotangents of the parts, for every pass by itself.
func (s *summand) gather(passes int) {
	s.gathers = true
	for len(s.gathered) < passes {
		s.gathered = append(s.gathered, tensor.New(tensor.Of(s.g.dtype), tensor.WithShape(s.node.Shape()...)))
	}
	for _, sum := range s.gathered {
		sum.Zero()
	}
}

// record takes the cotangent of the next pass.
func (s *summand) record(delta *tensor.Dense) error {
	if !s.gathers {
		return s.add(delta)
	}
	sum := s.gathered[s.pass]
	s.pass++
	if s.g.dtype == tensor.Float64 {
		addTo[float64](s.g.device, sum, delta)
	} else {
		addTo[float32](s.g.device, sum, delta)
	}
	return nil
}

var addition = &backend.Chain{Instrs: []backend.Instr{{Code: backend.Add, B: 1}}}

func addTo[T backend.Float](d *backend.Device, sum, x *tensor.Dense) {
	to := sum.Data().([]T)
	backend.EngineOf[T](d).Elementwise(addition, [][]T{to, x.Data().([]T)}, len(to), to)
}

// addGathered adds the sums over all parts to the moment.
func (s *summand) addGathered() error {
	s.gathers = false
	for _, sum := range s.gathered {
		if err := s.add(sum); err != nil {
			return err
		}
	}
	return nil
}

func (s *summand) bytes() int64 {
	b := s.accumulator.bytes()
	for _, sum := range s.gathered {
		b += int64(sum.MemSize())
	}
	return b
}
