package rfm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// The first byte of a metric as bytes says what the numbers after it are.
const (
	diagonalBytes = 'd'
	fullBytes     = 'f' // the upper half, row after row
)

// MarshalBinary implements [encoding.BinaryMarshaler], and so serves package gob: d
// numbers of a diagonal metric of d features, d·(d+1)/2 of another, to the bit.
func (m *Metric) MarshalBinary() ([]byte, error) {
	kind, numbers := byte(diagonalBytes), m.diag
	if !m.IsDiagonal() {
		kind, numbers = fullBytes, upperHalf(m.full)
	}
	b := bytes.NewBuffer([]byte{kind})
	err := binary.Write(b, binary.LittleEndian, numbers)
	return b.Bytes(), err
}

func upperHalf(m *mat.SymDense) []float64 {
	raw := m.RawSymmetric()
	all := make([]float64, 0, raw.N*(raw.N+1)/2)
	for i := range raw.N {
		all = append(all, raw.Data[i*raw.Stride+i:i*raw.Stride+raw.N]...)
	}
	return all
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. Bytes that MarshalBinary does
// not write are an error, and leave m as it was; numbers are not looked at.
func (m *Metric) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || len(b)%8 != 1 {
		return errors.New("rfm: a metric that is not whole")
	}
	numbers := make([]float64, len(b)/8)
	if _, err := binary.Decode(b[1:], binary.LittleEndian, numbers); err != nil {
		return err
	}
	switch d := int(math.Sqrt(2 * float64(len(numbers)))); {
	case b[0] == diagonalBytes:
		m.diag, m.full = numbers, nil
	case b[0] == fullBytes && d*(d+1)/2 == len(numbers) && d > 0:
		m.diag, m.full = nil, mat.NewSymDense(d, nil)
		for i, at := 0, 0; i < d; i++ {
			for j := i; j < d; j++ {
				m.full.SetSym(i, j, numbers[at])
				at++
			}
		}
	default:
		return errors.New("rfm: not the bytes of a metric")
	}
	return nil
}
