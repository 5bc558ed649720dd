package backend

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Sets are sets of the rows of a matrix of In rows.
type Sets struct {
	In      int
	starts  []int32 // of each set in rows, and the end of the last
	rows    []int32
	digest  uint64
	adjoint *Sets
}

// NewSets makes sets of rows of a matrix of in rows. A row may be in a set more
// than once.
func NewSets(in int, sets [][]int) (*Sets, error) {
	s, back := &Sets{In: in}, make([][]int, in)
	for i, set := range sets {
		for _, r := range set {
			if r < 0 || r >= in {
				return nil, fmt.Errorf("backend: a set of rows has row %d of %d", r, in)
			}
			back[r] = append(back[r], i)
		}
	}
	s.fill(sets)
	s.adjoint = &Sets{In: len(sets), adjoint: s}
	s.adjoint.fill(back)
	return s, nil
}

func (s *Sets) fill(sets [][]int) {
	h := fnv.New64a()
	s.starts = append(s.starts, 0)
	for _, set := range sets {
		for _, r := range set {
			s.rows = append(s.rows, int32(r))
		}
		s.starts = append(s.starts, int32(len(s.rows)))
	}
	for _, list := range [][]int32{s.starts, s.rows} {
		binary.Write(h, binary.LittleEndian, list) // to a hash, which takes all
	}
	s.digest = h.Sum64()
}

// Len is the number of sets.
func (s *Sets) Len() int { return len(s.starts) - 1 }

// Adjoint returns for each row the sets that it is in.
func (s *Sets) Adjoint() *Sets { return s.adjoint }

// Of returns the rows of a set, not to be changed.
func (s *Sets) Of(i int) []int32 { return s.rows[s.starts[i]:s.starts[i+1]] }

func (s *Sets) String() string { return fmt.Sprintf("%d→%d %x", s.In, s.Len(), s.digest) }
