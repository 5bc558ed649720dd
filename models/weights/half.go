package weights

import (
	"encoding/binary"
	"math"
)

// widenFloat16 decodes IEEE 754 binary16 elements. Every value is exact, and a
// NaN keeps the bits of its payload.
func widenFloat16(dst []float32, src []byte) error {
	for i := range dst {
		dst[i] = float16(binary.LittleEndian.Uint16(src[2*i:]))
	}
	return nil
}

// widenBfloat16 decodes bfloat16 elements: the upper half of a float32.
func widenBfloat16(dst []float32, src []byte) error {
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
	}
	return nil
}

// float16 returns the value of the binary16 with the given bits.
func float16(bits uint16) float32 {
	const (
		expBias  = 127 - 15
		mantBits = 23 - 10
	)
	sign := uint32(bits&0x8000) << 16
	exp := uint32(bits>>10) & 0x1f
	mant := uint32(bits & 0x3ff)
	switch {
	case exp == 0x1f: // infinity or NaN
		return math.Float32frombits(sign | 0xff<<23 | mant<<mantBits)
	case exp != 0:
		return math.Float32frombits(sign | (exp+expBias)<<23 | mant<<mantBits)
	}
	// Zero or subnormal: mant units of 2⁻²⁴, all of them normal as float32.
	magnitude := math.Float32bits(float32(mant) * (1.0 / (1 << 24)))
	return math.Float32frombits(sign | magnitude)
}
