package array

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReadMAT5 reads the named variables of a MATLAB file of level 5 (MATLAB 5 to 7), compressed or not, or all numeric
// variables if no name is given. The elements are in MATLAB's order, Fortran. An array that the file stores in a narrower
// type is converted to its own type. If two variables have the same name, the last one counts.
//
// It returns a [*FormatError] if the file is not of level 5 or is damaged, a named variable is missing or does not hold
// real numbers, or the arrays exceed [MaxBytes].
func ReadMAT5(path string, names ...string) (map[string]*Array, error) {
	f, size, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMAT5(path, f, size, MaxBytes, names)
}

// parseMAT5 is ReadMAT5 for the content of a file of size bytes, with limit in place of MaxBytes.
func parseMAT5(path string, r io.ReaderAt, size, limit int64, names []string) (map[string]*Array, error) {
	m := &mat5{path: path, r: r, size: size, left: limit, names: names, arrays: map[string]*Array{}}
	if err := m.readHeader(); err != nil {
		return nil, err
	}
	for at := int64(matHeaderSize); at < size; {
		next, err := m.readElement(at)
		if err != nil {
			return nil, err
		}
		at = next
	}
	for _, name := range names {
		if m.arrays[name] == nil {
			return nil, m.missing(name)
		}
	}
	return m.arrays, nil
}

// mat5 is a file being read.
type mat5 struct {
	path   string
	r      io.ReaderAt
	size   int64
	order  binary.ByteOrder
	left   int64 // bytes that arrays may still take
	names  []string
	arrays map[string]*Array
	others []string // the first variables that were not read
}

// wants reports whether a variable was requested by name.
func (m *mat5) wants(name string) bool { return slices.Contains(m.names, name) }

// skip records the name of a variable that is not read.
func (m *mat5) skip(name string) {
	if len(m.others) < 10 {
		m.others = append(m.others, fmt.Sprintf("%q", name))
	}
}

// missing returns the error of a variable that the file does not have; it lists those that it has.
func (m *mat5) missing(name string) error {
	all := slices.Clone(m.others)
	for other := range m.arrays {
		all = append(all, fmt.Sprintf("%q", other))
	}
	slices.Sort(all)
	return &FormatError{
		Path:   m.path,
		Offset: m.size,
		Want:   fmt.Sprintf("a variable %q", name),
		Got:    fmt.Sprintf("the end of the file after the variables [%s]", strings.Join(all, ", ")),
		Hint:   "the file is cut short or a different one",
	}
}

// isBig reports whether the file is big-endian.
func (m *mat5) isBig() bool { return m.order == binary.BigEndian }

// fail returns an error at a byte offset of the file.
func (m *mat5) fail(offset int64, want, got string, err error) error {
	return &FormatError{Path: m.path, Offset: offset, Want: want, Got: got, Hint: damaged, Err: err}
}

const (
	matHeaderSize  = 128
	matVersionAt   = 124
	matOrderAt     = 126
	matLevel5      = 0x0100
	matLevel73     = 0x0200
	matHintVersion = `in MATLAB, save it again with save(..., "-v7")`
)

// readHeader checks the header and sets the byte order.
func (m *mat5) readHeader() error {
	head := make([]byte, min(m.size, matHeaderSize))
	if n, err := m.r.ReadAt(head, 0); n < matHeaderSize {
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return m.fail(int64(n), "the 128 bytes that begin a MATLAB file", fmt.Sprintf("%d", n), err)
	}
	switch mark := string(head[matOrderAt:]); {
	case string(head[:len(hdf5Signature)]) == hdf5Signature:
		return m.wrongLevel(0, "an HDF5 file, which MATLAB writes from version 7.3 on")
	case mark == "IM":
		m.order = binary.LittleEndian
	case mark == "MI":
		m.order = binary.BigEndian
	case slices.Contains(head[:4], 0):
		return m.wrongLevel(0, "zeros in the text that begins it, as in no MATLAB file or one of level 4")
	default:
		return m.fail(matOrderAt, `"IM" or "MI", the order of the bytes of a MATLAB file`, fmt.Sprintf("%q", mark), nil)
	}
	switch version := m.order.Uint16(head[matVersionAt:]); version {
	case matLevel5:
		return nil
	case matLevel73:
		return m.wrongLevel(matVersionAt, "one of version 7.3, which is an HDF5 file")
	default:
		return m.wrongLevel(matVersionAt, fmt.Sprintf("version %#x", version))
	}
}

func (m *mat5) wrongLevel(offset int64, got string) error {
	return &FormatError{Path: m.path, Offset: offset, Want: "a MATLAB file of level 5", Got: got, Hint: matHintVersion}
}

// A matClass is the class of a MATLAB array.
type matClass uint8

// matOpaque is the class of opaque objects, which have no dimensions.
const matOpaque matClass = 17

// elements returns the type of the elements of a numeric class; false for other classes.
func (c matClass) elements() (Type, bool) {
	t, ok := map[matClass]Type{
		6: Float64, 7: Float32,
		8: Int8, 9: Uint8, 10: Int16, 11: Uint16, 12: Int32, 13: Uint32, 14: Int64, 15: Uint64,
	}[c]
	return t, ok
}

// String returns the name of a class that is not numeric.
func (c matClass) String() string {
	name, ok := map[matClass]string{
		1: "a cell array", 2: "a struct", 3: "an object", 4: "text", 5: "a sparse matrix",
		16: "a function", matOpaque: "an opaque object",
	}[c]
	if !ok {
		return fmt.Sprintf("an array of class %d", uint8(c))
	}
	return name
}

// A matKind is the type of an element of the file, or of the numbers in it.
type matKind uint32

// The kinds of elements, and of the parts of an array, that the reader checks.
const (
	miInt8       matKind = 1
	miInt32      matKind = 5
	miUint32     matKind = 6
	miMatrix     matKind = 14
	miCompressed matKind = 15
	miUTF8       matKind = 16
)

// elements returns the type of the numbers of a kind; false if it has none.
func (k matKind) elements() (Type, bool) {
	t, ok := map[matKind]Type{
		miInt8: Int8, 2: Uint8, 3: Int16, 4: Uint16, miInt32: Int32, miUint32: Uint32,
		7: Float32, 9: Float64, 12: Int64, 13: Uint64,
	}[k]
	return t, ok
}
