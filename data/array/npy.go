package array

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
	"github.com/ansatz-lab/ansatz/internal/memory"
	"github.com/sbinet/npyio"
	"github.com/sbinet/npyio/npy"
	"gonum.org/v1/gonum/mat"
)

// ReadNPY reads the array of a NumPy file; the name of the array is the path. Booleans become Uint8. It returns a
// [*FormatError] if the file is not an NPY file or is damaged, if its elements are not real numbers (for example
// Python objects), or if they exceed the available memory.
func ReadNPY(path string) (a *Array, err error) {
	err = openNPY(path, func(n *npyReader) error {
		a, err = n.readArray(availableMemory())
		return err
	})
	return a, err
}

// ReadNPYMatrix reads the matrix of a NumPy file, in either order and of any type that [ReadNPY] reads. It takes
// little more memory than the matrix itself, in float64. It returns the errors of ReadNPY, and a [*FormatError] if
// the array does not have two dimensions or is empty.
func ReadNPYMatrix(path string) (m *mat.Dense, err error) {
	err = openNPY(path, func(n *npyReader) error {
		m, _, err = n.readMatrix(availableMemory(), 2)
		return err
	})
	return m, err
}

// ReadNPYBlocks reads the matrices of a NumPy file with the axes (matrix, row, column), as [ReadNPYMatrix] reads one. They
// share memory. It returns the errors of ReadNPYMatrix, and a [*FormatError] for another number of axes or Fortran order.
func ReadNPYBlocks(path string) (blocks []*mat.Dense, err error) {
	err = openNPY(path, func(n *npyReader) error {
		all, shape, err := n.readMatrix(availableMemory(), 3)
		if err != nil {
			return err
		}
		for b := range shape[0] {
			blocks = append(blocks, all.Slice(b*shape[1], (b+1)*shape[1], 0, shape[2]).(*mat.Dense))
		}
		return nil
	})
	return blocks, err
}

// availableMemory returns the largest number of bytes of an array: the available memory, if the system reports it.
func availableMemory() int64 { return cmp.Or(memory.Available(), math.MaxInt64) }

// openNPY calls read with a reader of a file.
func openNPY(path string, read func(*npyReader) error) error {
	f, size, err := openFile(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(&npyReader{path: path, r: f, size: size})
}

// parseNPY is ReadNPY for the content of a file of size bytes (negative if unknown), with
// limit in place of the available memory.
func parseNPY(path string, r io.Reader, size, limit int64) (*Array, error) {
	return (&npyReader{path: path, r: r, size: size}).readArray(limit)
}

// npyReader reads one array. Package npyio parses the header, after we have checked that it has the form that npyio
// assumes. We read the elements, because npyio allocates what the header states, calls Read for each element, and takes
// the end of the file for zeros.
type npyReader struct {
	path string
	r    io.Reader
	size int64 // the number of bytes in all, negative if unknown
	at   int64 // the number of bytes read
}

// fail returns an error at a byte offset.
func (n *npyReader) fail(offset int64, want, got string, err error) error {
	return &FormatError{Path: n.path, Offset: offset, Want: want, Got: got, Hint: damaged, Err: err}
}

// read reads the next size bytes; what describes them in errors.
func (n *npyReader) read(size int64, what string) ([]byte, error) {
	b, err := readGrowing(n.r, size)
	n.at += int64(len(b))
	if err != nil {
		return b, n.fail(n.at, fmt.Sprintf("%s of %d bytes", what, size), fmt.Sprintf("%d", len(b)), err)
	}
	return b, nil
}

// readArray reads the header and the elements, of at most limit bytes, and checks that nothing follows them.
func (n *npyReader) readArray(limit int64) (*Array, error) {
	a, big, err := n.describe()
	if err != nil {
		return nil, err
	}
	size, err := n.checkSize(a, a.Type, limit)
	if err != nil {
		return nil, err
	}
	if n.size < 0 {
		a.Bytes, err = n.read(size, elementsOf(a))
	} else {
		a.Bytes = make([]byte, size) // checkSize has seen that the file has them
		err = n.readElements(a, a.Bytes)
	}
	if err != nil {
		return nil, err
	}
	if err := n.end(); err != nil {
		return nil, err
	}
	if big {
		swap(a.Bytes, a.Type.Size())
	}
	return a, nil
}

// readMatrix reads an array with that number of axes as a matrix of float64, of at most limit bytes, block by block. Of
// three axes the first two become rows. It also returns the shape in the file. The size of the file must be known.
func (n *npyReader) readMatrix(limit int64, axes int) (*mat.Dense, []int, error) {
	a, big, err := n.describe()
	if err != nil {
		return nil, nil, err
	}
	if len(a.Shape) != axes || slices.Contains(a.Shape, 0) || axes == 3 && a.Fortran {
		want := []string{2: "a matrix", 3: "matrices, the last index the fastest"}[axes]
		return nil, nil, &FormatError{Path: n.path, Offset: NoOffset, Want: want, Got: fmt.Sprintf("an array of shape %v", a.Shape)}
	}
	if _, err := n.checkSize(a, Float64, limit); err != nil {
		return nil, nil, err
	}
	columns := a.Shape[axes-1]
	rows := a.Len() / columns
	m := mat.NewDense(rows, columns, nil)
	values := m.RawMatrix().Data
	const most = 1 << 17
	block := make([]byte, min(most, len(values))*a.Type.Size())
	for lo := 0; lo < len(values); lo += most {
		b := block[:min(most, len(values)-lo)*a.Type.Size()]
		if err := n.readElements(a, b); err != nil {
			return nil, nil, err
		}
		if big {
			swap(b, a.Type.Size())
		}
		for i := range len(b) / a.Type.Size() {
			at := lo + i
			if a.Fortran {
				at = at%rows*columns + at/rows
			}
			values[at] = a.Type.float(b, i)
		}
	}
	return m, a.Shape, n.end()
}

// describe reads the header. It returns the array without its elements, and whether they are big-endian.
func (n *npyReader) describe() (a *Array, big bool, err error) {
	h, err := n.header()
	if err != nil {
		return nil, false, err
	}
	d := h.Descr
	a = &Array{Name: n.path, Shape: d.Shape, Fortran: d.Fortran, Type: npyType(d.Type)}
	if a.Type == 0 {
		return nil, false, n.refuse("'" + d.Type + "'")
	}
	return a, strings.HasPrefix(d.Type, ">"), nil
}

// checkSize returns the number of bytes of the elements in the file. It returns an error if the elements, as
// type t, exceed limit, or if the file has fewer bytes.
func (n *npyReader) checkSize(a *Array, t Type, limit int64) (int64, error) {
	if _, ok := payload(t, a.Shape, limit); !ok || len(a.Shape) > maxRank {
		return 0, &FormatError{
			Path: n.path, Offset: NoOffset,
			Want: fmt.Sprintf("an array of at most %d bytes, for which there is memory, and of at most %d dimensions",
				limit, maxRank),
			Got:  fmt.Sprintf("the shape %.200v of %v", fmt.Sprint(a.Shape), t),
			Hint: "read a part of it, or use a machine or a limit with more memory",
		}
	}
	size, ok := payload(a.Type, a.Shape, math.MaxInt64)
	if there := n.size - n.at; n.size >= 0 && (!ok || there < size) {
		return 0, n.fail(n.size, fmt.Sprintf("%s of %d bytes", elementsOf(a), size), fmt.Sprintf("%d", there),
			io.ErrUnexpectedEOF)
	}
	return size, nil
}

// elementsOf describes the elements of an array, to follow "expected".
func elementsOf(a *Array) string { return fmt.Sprintf("elements (%v, shape %v)", a.Type, a.Shape) }

// readElements fills dst with the next elements of a.
func (n *npyReader) readElements(a *Array, dst []byte) error {
	k, err := io.ReadFull(n.r, dst)
	n.at += int64(k)
	if err != nil {
		return n.fail(n.at, fmt.Sprintf("%s, %d more bytes", elementsOf(a), len(dst)-k), "none", err)
	}
	return nil
}

// end checks that nothing follows. It also makes a zip entry verify its checksum.
func (n *npyReader) end() error {
	switch k, err := io.ReadFull(n.r, make([]byte, 1)); {
	case k > 0:
		return n.fail(n.at, "the end of the array", "more data", nil)
	case err != io.EOF:
		return n.fail(n.at, "the end of the array", "an error", err)
	}
	return nil
}

// npyType returns the type for NumPy's description; 0 if it is not one of real numbers.
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

// WriteNPY writes a matrix as an NPY file of float64. The write is atomic.
func WriteNPY(path string, m mat.Matrix) error {
	d, dense := m.(*mat.Dense)
	if !dense {
		d = mat.DenseCopyOf(m)
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w) // because npyio writes each number separately
		if err := npyio.Write(b, d); err != nil {
			return err // Flush would return the same error
		}
		return b.Flush()
	})
}

// WriteNPYBlocks writes matrices of the same size as an NPY file of float64 with the axes (matrix, row, column). The write
// is atomic. It returns an error if there is no matrix, or if their sizes differ.
func WriteNPYBlocks[M mat.Matrix](path string, blocks []M) error {
	if len(blocks) == 0 {
		return fmt.Errorf("array: no matrices to write to %s", path)
	}
	rows, columns := blocks[0].Dims()
	for _, b := range blocks {
		if r, c := b.Dims(); r != rows || c != columns {
			return fmt.Errorf("array: matrices of %d×%d and %d×%d for one file", rows, columns, r, c)
		}
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, headerOf("<f8", []int{len(blocks), rows, columns})); err != nil {
			return err
		}
		b, row := bufio.NewWriter(w), make([]float64, columns)
		for _, m := range blocks {
			for i := range rows {
				for j := range row {
					row[j] = m.At(i, j)
				}
				if err := binary.Write(b, binary.LittleEndian, row); err != nil {
					return err
				}
			}
		}
		return b.Flush()
	})
}

// npyAlign is the alignment in bytes of the data of an NPY file, for readers that map it into memory.
const npyAlign = 64

// WriteNPYFloat32 writes values, the last index the fastest, as an NPY file of float32.
// The write is atomic. It returns an error if the number of values does not fit shape.
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

// EncodeNPY returns values as the content of an NPY file with elements of type [Uint8],
// [Float32] or [Float64]. There must be as many as fit shape, the last index the fastest.
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

// headerOf returns the header of an NPY file of version 1.0.
func headerOf(descr string, shape []int) string {
	sizes := make([]string, len(shape))
	for i, s := range shape {
		sizes[i] = strconv.Itoa(s)
	}
	tuple := strings.Join(sizes, ", ")
	if len(shape) == 1 {
		tuple += "," // without it Python would read a number
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	const fixed = len("\x93NUMPY\x01\x00") + 2
	for (fixed+len(text)+1)%npyAlign != 0 {
		text += " "
	}
	text += "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}
