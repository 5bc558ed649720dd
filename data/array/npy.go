package array

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/sbinet/npyio"
	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// ReadNPY reads the array of the NumPy file of that path, which is its name.
// Booleans come out as Uint8. It returns a [*FormatError] if the file is no such file or damaged, if
// its elements are no real numbers or Python objects, and if they exceed
// [MaxBytes].
func ReadNPY(path string) (*Array, error) { return ReadLargeNPY(path, MaxBytes) }

// ReadLargeNPY is [ReadNPY] with another limit in the place of [MaxBytes], where more
// is expected.
func ReadLargeNPY(path string, limit int64) (*Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	return parseNPY(path, f, info.Size(), limit)
}

// parseNPY is ReadNPY on the content of the file, of size bytes or a negative
// number where that is not known, with limit in the place of MaxBytes.
func parseNPY(path string, r io.Reader, size, limit int64) (*Array, error) {
	n := &npyReader{path: path, r: r, size: size}
	h, err := n.header()
	if err != nil {
		return nil, err
	}
	return n.array(h, limit)
}

// npyReader reads one array. The header is npyio's to parse, once it is known
// to have the form that npyio takes for granted. The elements are read here:
// npyio takes memory on the header's word, one call of Read for each element,
// and the end of the file for zeros.
type npyReader struct {
	path string
	r    io.Reader
	size int64 // bytes that there are, negative where that is not known
	at   int64 // bytes read
}

// fail returns an error for byte offset.
func (n *npyReader) fail(offset int64, want, got string, err error) error {
	return &FormatError{Path: n.path, Offset: offset, Want: want, Got: got, Hint: damaged, Err: err}
}

// read reads the next size bytes, which are what.
func (n *npyReader) read(size int64, what string) ([]byte, error) {
	b, err := readGrowing(n.r, size)
	n.at += int64(len(b))
	if err != nil {
		return b, n.fail(n.at, fmt.Sprintf("%s of %d bytes", what, size), fmt.Sprintf("%d", len(b)), err)
	}
	return b, nil
}

// array reads the elements, at most limit bytes, and checks that nothing
// follows them.
func (n *npyReader) array(h npy.Header, limit int64) (*Array, error) {
	d := h.Descr
	a := &Array{Name: n.path, Shape: d.Shape, Fortran: d.Fortran, Type: npyType(d.Type)}
	if a.Type == 0 {
		return nil, n.refuse("'" + d.Type + "'")
	}
	size, ok := payload(a.Type, a.Shape, limit)
	if !ok || len(a.Shape) > maxRank {
		return nil, n.fail(NoOffset, fmt.Sprintf("an array of at most %d bytes and %d dimensions", limit, maxRank),
			fmt.Sprintf("the shape %.200v of %v", fmt.Sprint(a.Shape), a.Type), nil)
	}
	what := fmt.Sprintf("elements (%v, shape %v)", a.Type, a.Shape)
	if there := n.size - n.at; n.size >= 0 && there < size {
		return nil, n.fail(n.size, fmt.Sprintf("%s of %d bytes", what, size), fmt.Sprintf("%d", there),
			io.ErrUnexpectedEOF)
	}
	var err error
	if a.Bytes, err = n.read(size, what); err != nil {
		return nil, err
	}
	if err := n.end(); err != nil {
		return nil, err
	}
	if strings.HasPrefix(d.Type, ">") {
		swap(a.Bytes, a.Type.Size())
	}
	return a, nil
}

// end checks that nothing follows; a zip entry's checksum is checked only then.
func (n *npyReader) end() error {
	switch k, err := io.ReadFull(n.r, make([]byte, 1)); {
	case k > 0:
		return n.fail(n.at, "the end of the array", "more data", nil)
	case err != io.EOF:
		return n.fail(n.at, "the end of the array", "an error", err)
	}
	return nil
}

// npyType returns the type of elements that NumPy describes so, 0 if they are
// no real numbers.
func npyType(descr string) Type {
	t := npy.TypeFrom(descr)
	if t == nil {
		return 0
	}
	return map[reflect.Kind]Type{
		reflect.Bool: Uint8, reflect.Uint8: Uint8, reflect.Int8: Int8,
		reflect.Uint16: Uint16, reflect.Int16: Int16, reflect.Uint32: Uint32, reflect.Int32: Int32,
		reflect.Uint64: Uint64, reflect.Int64: Int64,
		reflect.Float32: Float32, reflect.Float64: Float64,
	}[t.Kind()]
}

// WriteNPY writes a matrix as an NPY file of float64, whole or not at all.
func WriteNPY(path string, m mat.Matrix) error {
	return atomicfile.WriteFile(path, func(w io.Writer) error { return npyio.Write(w, mat.DenseCopyOf(m)) })
}

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
