package array

import (
	"fmt"
	"strconv"
)

// A matVariable is the header of a variable: name, class and shape.
type matVariable struct {
	name  string
	class matClass
	cmplx bool
	shape []int
	dims  int64 // the byte of the element where the dimensions begin
}

// maxMatName bounds the name of a variable; MATLAB's own bound is 63.
const maxMatName = 1024

// readVariable reads the variable of an element if it was requested.
func (m *mat5) readVariable(e *matElement) error {
	v, err := e.variable()
	if err != nil {
		return err
	}
	_, numeric := v.class.elements()
	switch requested := m.wants(v.name); {
	// MATLAB writes a nameless variable with data about objects.
	case v.name == "", !requested && len(m.names) > 0, !requested && (!numeric || v.cmplx):
		m.skip(v.name)
		return nil
	case !numeric:
		return v.refuse(e, v.class.String())
	case v.cmplx:
		return v.refuse(e, "complex ones")
	}
	a, err := e.array(v)
	if err != nil {
		return err
	}
	m.left -= int64(len(a.Bytes))
	m.arrays[v.name] = a
	return e.end()
}

// refuse returns the error of a requested variable that does not hold real numbers but got.
func (v matVariable) refuse(e *matElement, got string) error {
	return &FormatError{
		Path:   e.file.path,
		Offset: e.start - matTagSize,
		Want:   fmt.Sprintf("a variable %q of real numbers", v.name),
		Got:    got,
	}
}

// variable reads the header of a variable, which precedes its numbers.
func (e *matElement) variable() (v matVariable, err error) {
	t, flags, err := e.small("the flags of an array", 8)
	if err != nil {
		return v, err
	}
	if t.kind != miUint32 || len(flags) != 8 {
		return v, e.fail(t.at, "the flags of an array, 8 bytes of type 6",
			fmt.Sprintf("%d of type %d", len(flags), t.kind), nil)
	}
	word := e.file.order.Uint32(flags)
	v.class, v.cmplx = matClass(word), word&0x800 != 0
	if v.class != matOpaque {
		if err := e.dimensions(&v); err != nil {
			return v, err
		}
	}
	t, name, err := e.small("the name of an array", maxMatName)
	if err != nil {
		return v, err
	}
	if t.kind != miInt8 && t.kind != miUTF8 {
		return v, e.fail(t.at, "the name of an array, of type 1 or 16", fmt.Sprintf("type %d", t.kind), nil)
	}
	v.name = string(name)
	return v, nil
}

// dimensions reads the dimensions of a variable.
func (e *matElement) dimensions(v *matVariable) error {
	t, dims, err := e.small("the dimensions of an array", 4*maxRank)
	if err != nil {
		return err
	}
	if v.dims = t.at; t.kind != miInt32 || len(dims)%4 != 0 || len(dims) < 8 {
		return e.fail(t.at, "two dimensions or more, of 4 bytes of type 5", fmt.Sprintf("%d bytes of type %d",
			len(dims), t.kind), nil)
	}
	for ; len(dims) > 0; dims = dims[4:] {
		d := int32(e.file.order.Uint32(dims))
		if d < 0 {
			return e.fail(t.at, "dimensions that are not negative", strconv.Itoa(int(d)), nil)
		}
		v.shape = append(v.shape, int(d))
	}
	return nil
}

// small reads a part of at most limit bytes.
func (e *matElement) small(what string, limit int64) (matTag, []byte, error) {
	t, err := e.tag(what)
	if err != nil {
		return t, nil, err
	}
	if t.bytes > limit {
		return t, nil, e.fail(t.at, fmt.Sprintf("%s of at most %d bytes", what, limit), fmt.Sprintf("%d", t.bytes), nil)
	}
	b, err := e.part(t, what)
	return t, b, err
}

// array reads the numbers of a variable of a numeric class.
func (e *matElement) array(v matVariable) (*Array, error) {
	a := &Array{Name: v.name, Shape: v.shape, Fortran: true}
	a.Type, _ = v.class.elements()
	what := fmt.Sprintf("the %v numbers of %q, of shape %v", a.Type, v.name, v.shape)
	size, ok := payload(a.Type, v.shape, e.file.left)
	if !ok {
		return nil, e.fail(v.dims, fmt.Sprintf("arrays of at most %d more bytes", e.file.left), what, nil)
	}
	t, err := e.tag(what)
	if err != nil {
		return nil, err
	}
	stored, ok := t.kind.elements()
	if !ok || !convertible(stored, a.Type) {
		return nil, e.fail(t.at, what+", stored in no wider type", fmt.Sprintf("type %d (%v)", t.kind, stored), nil)
	}
	if n := size / int64(a.Type.Size()) * int64(stored.Size()); t.bytes != n {
		return nil, e.fail(t.at, fmt.Sprintf("%s, in %d bytes", what, n), fmt.Sprintf("%d bytes", t.bytes), nil)
	}
	raw, err := e.part(t, what)
	if err != nil {
		return nil, err
	}
	if e.file.isBig() {
		swap(raw, stored.Size())
	}
	var bad int
	if a.Bytes, bad, ok = convert(raw, stored, a.Type); !ok {
		return nil, e.fail(t.at, what, fmt.Sprintf("%d at index %d", stored.integer(raw, bad), bad), nil)
	}
	return a, nil
}
