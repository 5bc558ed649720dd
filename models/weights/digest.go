package weights

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	"gorgonia.org/tensor"
)

// SHA256 returns a digest of the tensors' names, element types, shapes and
// elements, 64 hexadecimal digits. It identifies the weights whatever container
// they came in: it depends neither on their order nor on the metadata.
//
// SHA256 hashes, for each tensor in the order of the names' bytes: the name,
// the name of the element type, the dimensions, and the elements in row-major
// order, little-endian. Every text is preceded by its length and the dimensions
// by their number; lengths and dimensions are 8 bytes each, little-endian.
func (d *StateDict) SHA256() string {
	h := sha256.New()
	names := d.Names()
	slices.Sort(names)
	for _, name := range names {
		hashTensor(h, name, d.tensors[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashTensor(h hash.Hash, name string, t *tensor.Dense) {
	var head bytes.Buffer
	hashText := func(s string) {
		putUint64(&head, len(s))
		head.WriteString(s)
	}
	hashText(name)
	hashText(t.Dtype().String())
	putUint64(&head, t.Dims())
	for _, n := range t.Shape() {
		putUint64(&head, n)
	}
	h.Write(head.Bytes())
	// A hash never fails. Elements of a type that a StateDict cannot hold are not
	// hashed, only the name of their type.
	_ = writeValues(h, t)
}

func putUint64(b *bytes.Buffer, n int) {
	b.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// NaNs returns the names of the floating-point tensors that hold a NaN or an
// infinity, in order.
func (d *StateDict) NaNs() []string {
	var names []string
	for name, t := range d.All() {
		if !isFinite(t) {
			names = append(names, name)
		}
	}
	return names
}

func isFinite(t *tensor.Dense) bool {
	switch t.Dtype() {
	case tensor.Float32:
		return allFinite(t.Float32s())
	case tensor.Float64:
		return allFinite(t.Float64s())
	}
	return true
}

// allFinite reports whether every value less itself is zero, which no NaN and no
// infinity is.
func allFinite[T float32 | float64](values []T) bool {
	for _, v := range values {
		if v-v != 0 {
			return false
		}
	}
	return true
}
