package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"slices"

	"gorgonia.org/tensor"
)

// newDense returns a tensor over values, a slice that holds exactly the elements
// of shape in row-major order. The slice is not copied.
func newDense(shape []int64, values any) *tensor.Dense {
	dims := make([]int, len(shape))
	for i, d := range shape {
		dims[i] = int(d)
	}
	t := tensor.New(tensor.WithShape(dims...), tensor.WithBacking(values))
	runtime.KeepAlive(values) // WithBacking holds it as a bare address for a moment
	return t
}

// int64s converts the shape or the strides of a tensor.
func int64s(dims []int) []int64 {
	out := make([]int64, len(dims))
	for i, d := range dims {
		out[i] = int64(d)
	}
	return out
}

// layout returns the dtype of t and its number of elements, or an error if a
// [StateDict] cannot hold t's type or if t's memory does not have the size of its shape.
func layout(t *tensor.Dense) (d dtype, n int64, err error) {
	d, ok := dtypeOf(t)
	if !ok {
		return 0, 0, fmt.Errorf("its elements are of type %v: convert them to float32, float64 or a sized integer",
			t.Dtype())
	}
	n, ok = product(int64s(t.Shape()))
	if size := int64(t.MemSize()); !ok || size != n*d.wide() {
		return 0, 0, fmt.Errorf("its shape is %v, but it holds %d bytes", t.Shape(), size)
	}
	return d, n, nil
}

// rowMajor returns t itself if its elements lie in row-major order in memory of
// its own, and otherwise a copy for which that is true. It does not use
// Dense.Materialize, which is wrong for a slice of a transposed tensor.
//
// A t that cannot be copied, such as one of strings, is returned unchanged;
// [WriteSafetensors] refuses it.
func rowMajor(t *tensor.Dense) *tensor.Dense {
	shape, strides := int64s(t.Shape()), int64s(t.Strides())
	if !t.IsView() && isRowMajor(shape, strides) {
		return t
	}
	d, ok := dtypeOf(t)
	if !ok || len(shape) != len(strides) {
		return t
	}
	var raw bytes.Buffer
	if err := writeMemory(&raw, t); err != nil {
		return t
	}
	n, _ := product(shape)
	if end, ok := reach(0, shape, strides); n > 0 && (!ok || end > int64(raw.Len())/d.size()) {
		return t
	}
	values, err := d.read(newGather(raw.Bytes(), d.size(), shape, strides), n)
	if err != nil {
		return t
	}
	return newDense(shape, values)
}

// isRowMajor reports whether the elements selected by strides follow each other
// without a gap. Dimensions of one do not matter.
func isRowMajor(shape, strides []int64) bool {
	if n, ok := product(shape); ok && n == 0 {
		return true
	}
	if len(shape) != len(strides) {
		return false
	}
	next := int64(1)
	for i, d := range slices.Backward(shape) {
		if d != 1 && strides[i] != next {
			return false
		}
		next *= d
	}
	return true
}

// writeValues writes the elements of t to w in row-major order, little-endian.
func writeValues(w io.Writer, t *tensor.Dense) error {
	return writeMemory(w, rowMajor(t))
}

// writeMemory writes the elements of t to w as they lie in memory, little-endian.
func writeMemory(w io.Writer, t *tensor.Dense) error {
	switch t.Dtype() {
	case tensor.Float32:
		return encode(w, t.Float32s())
	case tensor.Float64:
		return encode(w, t.Float64s())
	case tensor.Int8:
		return encode(w, t.Int8s())
	case tensor.Int16:
		return encode(w, t.Int16s())
	case tensor.Int32:
		return encode(w, t.Int32s())
	case tensor.Int64:
		return encode(w, t.Int64s())
	case tensor.Uint8:
		return encode(w, t.Uint8s())
	case tensor.Uint16:
		return encode(w, t.Uint16s())
	case tensor.Uint32:
		return encode(w, t.Uint32s())
	case tensor.Uint64:
		return encode(w, t.Uint64s())
	}
	return fmt.Errorf("elements of type %v", t.Dtype())
}

// encode writes values to w, a chunk at a time.
func encode[T any](w io.Writer, values []T) error {
	var buf []byte
	for part := range slices.Chunk(values, chunk/8) {
		var err error
		if buf, err = binary.Append(buf[:0], binary.LittleEndian, part); err != nil {
			return err
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}
