package weights

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"gorgonia.org/tensor"
)

// A dtype is the type of a tensor's elements as a file holds them.
type dtype uint8

const (
	f16 dtype = iota
	bf16
	f32
	f64
	i8
	i16
	i32
	i64
	u8
	u16
	u32
	u64
	boolean
)

// dtypes lists, for every dtype, its names and its bytes per element in a file (size)
// and in memory (wide).
var dtypes = [...]struct {
	torch, storage, safetensors string
	size, wide                  int64
}{
	f16:     {"float16", "HalfStorage", "F16", 2, 4},
	bf16:    {"bfloat16", "BFloat16Storage", "BF16", 2, 4},
	f32:     {"float32", "FloatStorage", "F32", 4, 4},
	f64:     {"float64", "DoubleStorage", "F64", 8, 8},
	i8:      {"int8", "CharStorage", "I8", 1, 1},
	i16:     {"int16", "ShortStorage", "I16", 2, 2},
	i32:     {"int32", "IntStorage", "I32", 4, 4},
	i64:     {"int64", "LongStorage", "I64", 8, 8},
	u8:      {"uint8", "ByteStorage", "U8", 1, 1},
	u16:     {"uint16", "", "U16", 2, 2}, // storages of these three are untyped
	u32:     {"uint32", "", "U32", 4, 4},
	u64:     {"uint64", "", "U64", 8, 8},
	boolean: {"bool", "BoolStorage", "BOOL", 1, 1},
}

// opaqueStorages maps the storage classes whose elements have no dtype here to the
// bytes of an element. These are needed to read what follows such a storage in a file.
var opaqueStorages = map[string]int64{
	"ComplexFloatStorage":  8,
	"ComplexDoubleStorage": 16,
	"QInt8Storage":         1,
	"QInt32Storage":        4,
	"QUInt8Storage":        1,
	"QUInt4x2Storage":      1,
	"QUInt2x4Storage":      1,
}

func (d dtype) String() string { return dtypes[d].torch }

// size returns the number of bytes of an element in a file.
func (d dtype) size() int64 { return dtypes[d].size }

// wide returns the number of bytes of an element in memory.
func (d dtype) wide() int64 { return dtypes[d].wide }

// dtypeNamed returns the dtype that PyTorch calls name, such as "float32".
func dtypeNamed(name string) (dtype, bool) {
	for d, names := range dtypes {
		if names.torch == name {
			return dtype(d), true
		}
	}
	return 0, false
}

// dtypeOfStorage returns the dtype of a storage class, such as "FloatStorage".
func dtypeOfStorage(class string) (dtype, bool) {
	for d, names := range dtypes {
		if names.storage == class && class != "" {
			return dtype(d), true
		}
	}
	return 0, false
}

// dtypeOfSafetensors returns the dtype of a name in a header, such as "F32".
func dtypeOfSafetensors(name string) (dtype, bool) {
	for d, names := range dtypes {
		if names.safetensors == name {
			return dtype(d), true
		}
	}
	return 0, false
}

// dtypeOf returns the dtype that holds the elements of t unchanged.
func dtypeOf(t *tensor.Dense) (dtype, bool) {
	switch t.Dtype() {
	case tensor.Float32:
		return f32, true
	case tensor.Float64:
		return f64, true
	case tensor.Int8:
		return i8, true
	case tensor.Int16:
		return i16, true
	case tensor.Int32:
		return i32, true
	case tensor.Int64:
		return i64, true
	case tensor.Uint8:
		return u8, true
	case tensor.Uint16:
		return u16, true
	case tensor.Uint32:
		return u32, true
	case tensor.Uint64:
		return u64, true
	}
	return 0, false
}

// chunk is the number of bytes decoded or encoded at a time: few enough to stay in
// the processor's cache, and the only memory used besides the elements.
const chunk = 256 << 10

// read returns the next n elements of r, which holds them in little-endian order,
// as a slice of the type they have in memory: []float32 for float16 and bfloat16,
// []uint8 for bool, and otherwise the dtype's own.
func (d dtype) read(r io.Reader, n int64) (any, error) {
	switch d {
	case f16:
		return decode(r, d, n, widenFloat16)
	case bf16:
		return decode(r, d, n, widenBfloat16)
	case f32:
		return decode(r, d, n, copyElements[float32])
	case f64:
		return decode(r, d, n, copyElements[float64])
	case i8:
		return decode(r, d, n, copyElements[int8])
	case i16:
		return decode(r, d, n, copyElements[int16])
	case i32:
		return decode(r, d, n, copyElements[int32])
	case i64:
		return decode(r, d, n, copyElements[int64])
	case u8:
		return decode(r, d, n, copyElements[uint8])
	case u16:
		return decode(r, d, n, copyElements[uint16])
	case u32:
		return decode(r, d, n, copyElements[uint32])
	case u64:
		return decode(r, d, n, copyElements[uint64])
	case boolean:
		return decode(r, d, n, normaliseBools)
	}
	return nil, fmt.Errorf("dtype %d cannot be read", d)
}

// decode fills a new slice of n elements from r, a chunk at a time.
func decode[T any](r io.Reader, d dtype, n int64, put func(dst []T, src []byte) error) ([]T, error) {
	values := make([]T, n)
	buf := make([]byte, min(n*d.size(), chunk))
	for rest := values; len(rest) > 0; {
		m := min(len(rest), len(buf)/int(d.size()))
		src := buf[:m*int(d.size())]
		if _, err := io.ReadFull(r, src); err != nil {
			return nil, err
		}
		if err := put(rest[:m], src); err != nil {
			return nil, err
		}
		rest = rest[m:]
	}
	return values, nil
}

func copyElements[T any](dst []T, src []byte) error {
	_, err := binary.Decode(src, binary.LittleEndian, dst)
	return err
}

// normaliseBools decodes bools: every byte other than 0 becomes 1.
func normaliseBools(dst []uint8, src []byte) error {
	for i, b := range src {
		dst[i] = min(b, 1)
	}
	return nil
}

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
