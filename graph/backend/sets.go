package backend

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
)

// Sets are sets of the rows of a matrix of In rows.
type Sets struct {
	In      int
	starts  []int32 // where each set starts in rows, and where the last one ends
	rows    []int32
	digest  uint64
	adjoint *Sets
}

// NewSets returns sets of rows of a matrix of in rows. A row may be in a set more than once. All sets together may hold
// at most 2³¹−1 rows.
func NewSets(in int, sets [][]int) (*Sets, error) {
	named := 0
	for _, set := range sets {
		for _, r := range set {
			if r < 0 || r >= in {
				return nil, fmt.Errorf("backend: a set of rows has row %d of %d", r, in)
			}
		}
		named += len(set)
	}
	if most := math.MaxInt32; max(named, in, len(sets)) > most {
		return nil, fmt.Errorf("backend: %d sets of %d rows hold %d: want at most %d", len(sets), in, named, most)
	}
	s := &Sets{In: in, starts: make([]int32, 1, len(sets)+1), rows: make([]int32, 0, named)}
	for _, set := range sets {
		for _, r := range set {
			s.rows = append(s.rows, int32(r))
		}
		s.starts = append(s.starts, int32(len(s.rows)))
	}
	s.adjoint = s.transposed()
	s.digest, s.adjoint.digest = s.hash(), s.adjoint.hash()
	return s, nil
}

// transposed returns the adjoint: for every row, the set of the sets that it is in.
func (s *Sets) transposed() *Sets {
	a := &Sets{In: s.Len(), starts: make([]int32, s.In+1), rows: make([]int32, len(s.rows)), adjoint: s}
	for _, r := range s.rows {
		a.starts[r+1]++
	}
	for r := range s.In {
		a.starts[r+1] += a.starts[r]
	}
	next := slices.Clone(a.starts)
	for i := range s.Len() {
		for _, r := range s.Of(i) {
			a.rows[next[r]] = int32(i)
			next[r]++
		}
	}
	return a
}

func (s *Sets) hash() uint64 {
	h := fnv.New64a()
	for _, list := range [][]int32{s.starts, s.rows} {
		binary.Write(h, binary.LittleEndian, list) // a hash returns no error
	}
	return h.Sum64()
}

// Len returns the number of sets.
func (s *Sets) Len() int { return len(s.starts) - 1 }

// Adjoint returns for each row the sets that it is in.
func (s *Sets) Adjoint() *Sets { return s.adjoint }

// Of returns the rows of set i. The caller must not change them.
func (s *Sets) Of(i int) []int32 { return s.rows[s.starts[i]:s.starts[i+1]] }

// String returns the numbers of rows and of sets, with a digest that identifies the sets.
func (s *Sets) String() string { return fmt.Sprintf("%d→%d %x", s.In, s.Len(), s.digest) }
