package array

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"

	"github.com/sbinet/npyio/npy"
)

// npyHeader matches the header that NumPy writes. NumPy also reads any other Python
// dictionary there, but no known writer produces one.
var npyHeader = regexp.MustCompile(`^\{'descr': (.+), 'fortran_order': (?:True|False), 'shape': \([0-9, ]*\), \} *\n$`)

// plainDescr matches the description of a type without fields.
var plainDescr = regexp.MustCompile(`^'[^'{}]+'$`)

// maxNPYHeader bounds the bytes of the header. NumPy's own bound is 10000.
const maxNPYHeader = 1 << 16

// header reads the header.
func (n *npyReader) header() (npy.Header, error) {
	var h npy.Header
	head, err := n.read(8, "the beginning of a NumPy file")
	if err != nil {
		return h, err
	}
	if !bytes.Equal(head[:6], npy.Magic[:]) {
		return h, n.fail(0, fmt.Sprintf("%q, which begins a NumPy file", npy.Magic), fmt.Sprintf("%q", head[:6]), nil)
	}
	length, err := n.headerLength(head[6])
	if err != nil {
		return h, err
	}
	head = append(head, length...)
	size := int64(binary.LittleEndian.Uint32(append(length, 0, 0)))
	if size > maxNPYHeader {
		return h, n.fail(8, fmt.Sprintf("a header of at most %d bytes", maxNPYHeader), fmt.Sprintf("%d", size), nil)
	}
	start := n.at
	dict, err := n.read(size, "a header")
	if err != nil {
		return h, err
	}
	if err := n.checkHeader(start, dict); err != nil {
		return h, err
	}
	r, err := npy.NewReader(bytes.NewReader(append(head, dict...)))
	if err != nil {
		return h, n.fail(start, "the header of a NumPy file", abridged(dict), err)
	}
	return r.Header, nil
}

// headerLength reads the bytes that hold the header's length, in a version of the format.
func (n *npyReader) headerLength(version byte) ([]byte, error) {
	switch version {
	case 1:
		return n.read(2, "the length of the header")
	case 2:
		return n.read(4, "the length of the header")
	}
	return nil, n.fail(6, "version 1 or 2 of the NumPy format", fmt.Sprintf("version %d", version), nil)
}

// checkHeader checks the text of the header, which begins at byte start of the file.
func (n *npyReader) checkHeader(start int64, dict []byte) error {
	m := npyHeader.FindSubmatch(dict)
	if m == nil {
		return n.fail(start, "{'descr': ..., 'fortran_order': ..., 'shape': (...), } and a line's end",
			abridged(dict), nil)
	}
	if !plainDescr.Match(m[1]) {
		return n.refuse(abridged(m[1]))
	}
	return nil
}

// refuse returns the error of elements that are not real numbers.
func (n *npyReader) refuse(descr string) error {
	return &FormatError{
		Path:   n.path,
		Offset: NoOffset,
		Want:   "an array of integers, booleans, float32 or float64",
		Got:    "the dtype " + descr + meaning(descr),
		Hint:   "save it again from Python with astype",
	}
}

// meaning explains a refused dtype, or returns "".
func meaning(descr string) string {
	switch kind := strings.TrimLeft(descr, `'"<>|=`); {
	case strings.HasPrefix(kind, "["):
		return ", a structure"
	case kind == "":
		return ""
	case kind[0] == 'O':
		return ", Python objects"
	case kind[0] == 'S', kind[0] == 'a', kind[0] == 'U':
		return ", text"
	case kind[0] == 'c':
		return ", complex numbers"
	}
	return ""
}

// abridged quotes at most 100 characters of a text.
func abridged(text []byte) string {
	if len(text) > 100 {
		return fmt.Sprintf("%.100q...", text)
	}
	return fmt.Sprintf("%q", text)
}
