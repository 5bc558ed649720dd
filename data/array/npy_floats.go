package array

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// npyAlign is what the header of an NPY file is padded to a multiple of, for
// readers that map the file.
const npyAlign = 64

// WriteNPYFloat32 writes values, as many as the shape has places and the last
// index the fastest, as an NPY file of float32, whole or not at all.
func WriteNPYFloat32(path string, shape []int, values []float32) error {
	places := 1
	for _, s := range shape {
		places *= s
	}
	if places != len(values) {
		return fmt.Errorf("array: %d values for an array of shape %v", len(values), shape)
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, headerOf("<f4", shape)); err != nil {
			return err
		}
		b := bufio.NewWriter(w)
		for block := range slices.Chunk(values, 1<<16) {
			if err := binary.Write(b, binary.LittleEndian, block); err != nil {
				return err
			}
		}
		return b.Flush()
	})
}

// EncodeNPY returns the NPY file of values, as many as the shape has places and the
// last index the fastest. The elements are of type [Uint8], [Float32] or [Float64].
func EncodeNPY(t Type, shape []int, values []float64) []byte {
	descr := map[Type]string{Uint8: "|u1", Float32: "<f4", Float64: "<f8"}[t]
	b := append(make([]byte, 0, 2*npyAlign+t.Size()*len(values)), headerOf(descr, shape)...)
	for _, v := range values {
		switch t {
		case Uint8:
			b = append(b, uint8(v))
		case Float32:
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
		default:
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// headerOf is the beginning of an NPY file, version 1.0.
func headerOf(descr string, shape []int) string {
	sizes := make([]string, len(shape))
	for i, s := range shape {
		sizes[i] = strconv.Itoa(s)
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += "," // or Python would read a number
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	const fixed = len("\x93NUMPY\x01\x00") + 2
	for (fixed+len(text)+1)%npyAlign != 0 {
		text += " "
	}
	text += "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}
