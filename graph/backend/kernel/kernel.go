// Package kernel holds the innermost loops of the float32 engine in Go, in
// assembly where there is any for the processor. It is a package of its own
// because one that uses cgo, as package backend does with the build tag
// native, cannot have assembly.
package kernel

// Float is the type of the elements that loops in Go are for.
type Float interface{ float32 | float64 }

// Set holds the micro-kernels and the other loops for the processors with some instructions, such as AVX-512.
type Set struct {
	Name  string
	Micro []Micro // with the same number of rows, the widest first
	Loops *Loops[float32]
}

// MaxRows is the largest number of rows of a tile.
const MaxRows = 8

// Fastest is the set for this processor.
var Fastest = Available()[0]

// Available lists the sets that this processor runs, the fastest first. The
// last is in Go.
func Available() []*Set {
	return append(assembled(), &Set{
		Name: "portable", Micro: []Micro{{4, 4, portable4x4}}, Loops: InGo[float32](),
	})
}

// Rows is the number of rows of a tile.
func (s *Set) Rows() int { return s.Micro[0].Rows }

// Cols is the largest number of columns of a tile.
func (s *Set) Cols() int { return s.Micro[0].Cols }

// Fitting returns the narrowest micro-kernel for n ≤ Cols columns.
func (s *Set) Fitting(n int) *Micro {
	best := &s.Micro[0]
	for i := range s.Micro {
		if s.Micro[i].Cols >= n {
			best = &s.Micro[i]
		}
	}
	return best
}

// Padded is n with the columns that fill up the last tile.
func (s *Set) Padded(n int) int {
	whole := n / s.Cols() * s.Cols()
	if whole == n {
		return n
	}
	return whole + s.Fitting(n-whole).Cols
}
