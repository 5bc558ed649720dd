package graph

import (
	"fmt"

	"github.com/ansatz-lab/ansatz/graph/moment"
)

// Source selects the vectors δ whose second moment Σδδᵀ is summed: columns From ≤ j < To of the cotangents at Nodes,
// one vector per row. Groups divides the columns evenly; only the diagonal block of each group is summed.
type Source struct {
	Nodes            []*Node
	From, To, Groups int
}

// Source returns the source of the moments of a part of a layer: all its uses, with one block for each group.
func (l Layer) Source(p Part) Source {
	s := Source{From: p.From, To: p.To, Groups: l.Groups()}
	for _, u := range l.Uses() {
		s.Nodes = append(s.Nodes, u.Pre)
	}
	return s
}

// check returns an error unless the nodes have the columns, and the groups divide them.
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

// columns returns the columns of the source, among those of the widest of its nodes.
func (s Source) columns() moment.Columns {
	c := moment.Columns{From: s.From, To: s.To, Groups: s.Groups}
	for _, n := range s.Nodes {
		c.Width = max(c.Width, cols(n))
	}
	return c
}
