package array

import (
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/sbinet/npyio/npy"
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
		return nil, n.fail(noOffset, fmt.Sprintf("an array of at most %d bytes and %d dimensions", limit, maxRank),
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
