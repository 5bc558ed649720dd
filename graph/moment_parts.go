package graph

import (
	"github.com/ansatz-lab/ansatz/graph/backend"
	"github.com/ansatz-lab/ansatz/graph/moment"
	"gorgonia.org/tensor"
)

// summand is the moment of one source of a [Moments]. Cotangents are added to it at once, or after those of all parts
// of a function were added up.
type summand struct {
	moment.Accumulator
	g        *Graph
	nodes    []*Node // the cotangents
	pass     int     // the current one
	gathers  bool
	gathered [][]*tensor.Dense // for every pass, of every node
}

// newSummand returns the summand of a source with the given cotangents.
func newSummand(f *Function, s Source, cots []*Node, o Outputs) *summand {
	count, passes := 0, o.Passes(f.Output.Shape()[1])
	for _, n := range cots {
		count += rows(n)
	}
	sum := &summand{g: f.Graph, nodes: cots}
	if f.dtype == tensor.Float64 {
		sum.Accumulator = moment.New[float64](f.device, s.columns(), count, passes, o.kind())
	} else {
		sum.Accumulator = moment.New[float32](f.device, s.columns(), count, passes, o.kind())
	}
	return sum
}

// gather begins to add up the cotangents of the parts, for every pass by itself.
func (s *summand) gather(passes int) {
	s.gathers = true
	for len(s.gathered) < passes {
		var sums []*tensor.Dense
		for _, n := range s.nodes {
			sums = append(sums, tensor.New(tensor.Of(s.g.dtype), tensor.WithShape(n.Shape()...)))
		}
		s.gathered = append(s.gathered, sums)
	}
	for _, sums := range s.gathered {
		for _, sum := range sums {
			sum.Zero()
		}
	}
}

// record takes the cotangent of a node in the current pass.
func (s *summand) record(node int, delta *tensor.Dense) error {
	if !s.gathers {
		return s.Add(s.pass, delta)
	}
	sum := s.gathered[s.pass][node]
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
	for pass, sums := range s.gathered {
		for _, sum := range sums {
			if err := s.Add(pass, sum); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *summand) bytes() int64 {
	b := s.Accumulator.Bytes()
	for _, sums := range s.gathered {
		for _, sum := range sums {
			b += int64(sum.MemSize())
		}
	}
	return b
}
