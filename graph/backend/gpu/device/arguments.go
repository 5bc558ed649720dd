package device

import (
	"encoding/binary"
	"math"
)

// Arguments are the arguments of a kernel, in their order.
type Arguments struct {
	sizes []uint32
	bytes []byte
}

// Reset removes all arguments.
func (a *Arguments) Reset() { a.sizes, a.bytes = a.sizes[:0], a.bytes[:0] }

// Buffer adds a buffer.
func (a *Arguments) Buffer(b *Buffer) { a.word(8, uint64(b.Handle())) }

// Long adds a whole number, a long.
func (a *Arguments) Long(v int) { a.word(8, uint64(v)) }

// Float and Double add a number of 32 and of 64 bits.
func (a *Arguments) Float(v float32) { a.word(4, uint64(math.Float32bits(v))) }

// Double adds a number of 64 bits.
func (a *Arguments) Double(v float64) { a.word(8, math.Float64bits(v)) }

// Ints adds a struct of ints.
func (a *Arguments) Ints(v []int32) {
	a.sizes = append(a.sizes, uint32(4*len(v)))
	for _, x := range v {
		a.bytes = binary.NativeEndian.AppendUint32(a.bytes, uint32(x))
	}
	for len(a.bytes)%8 != 0 {
		a.bytes = append(a.bytes, 0)
	}
}

func (a *Arguments) word(size uint32, v uint64) {
	a.sizes = append(a.sizes, size)
	a.bytes = binary.LittleEndian.AppendUint64(a.bytes, v)
}
