// Package random draws random numbers that are the same on every machine. [New]
// returns a [Source] for a seed, the name of a stream and an index. Floats are
// rounded after every operation.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Seed seeds src for draw i of the named stream. Streams that differ in seed,
// name or i are independent.
func Seed(src *rand.PCG, seed uint64, name string, i uint64) {
	key := make([]byte, 0, 64)
	key = binary.LittleEndian.AppendUint64(key, seed)
	key = binary.LittleEndian.AppendUint64(key, i)
	key = append(key, name...)
	sum := sha256.Sum256(key)
	src.Seed(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]))
}

// Source draws from a stream. Its own methods, and those of [rand.Rand] that return integers and uniform floats, give
// the same numbers on every machine; NormFloat64 and ExpFloat64, which it also inherits from rand.Rand, do not. It is
// not safe for concurrent use.
type Source struct {
	*rand.Rand
	spare float64 // the second normal number of a pair
	full  bool    // whether there is one
}

// New returns a source of draw i of the named stream.
func New(seed uint64, name string, i uint64) *Source {
	pcg := new(rand.PCG)
	Seed(pcg, seed, name, i)
	return &Source{Rand: rand.New(pcg)}
}

// Normal returns a standard normal number, by Marsaglia's polar method.
func (s *Source) Normal() float64 {
	if s.full {
		s.full = false
		return s.spare
	}
	for {
		u, v := s.Between(-1, 1), s.Between(-1, 1)
		square := float64(u*u) + float64(v*v)
		if square > 0 && square < 1 {
			scale := math.Sqrt(-2 * log(square) / square)
			s.spare, s.full = float64(v*scale), true
			return float64(u * scale)
		}
	}
}

// Between returns a uniform number in [lo, hi).
func (s *Source) Between(lo, hi float64) float64 {
	return lo + float64((hi-lo)*s.Float64())
}

// log returns the natural logarithm of x > 0 to within a few units of the last place, the same on every machine.
// Package math has assembly for some machines, whose last bit differs.
func log(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// log m = 2 artanh t = 2t (1 + t²/3 + t⁴/5 + …), and |t| < .172.
	t := (m - 1) / (m + 1)
	square := float64(t * t)
	series := 0.
	for k := 21; k > 0; k -= 2 {
		series = float64(series*square) + 1/float64(k)
	}
	return float64(float64(e)*math.Ln2) + float64(2*t*series)
}
