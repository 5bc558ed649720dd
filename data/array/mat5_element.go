package array

import (
	"bufio"
	"compress/zlib"
	"fmt"
	"io"
)

// matTagSize is the number of bytes of a tag: a kind and a length.
const matTagSize = 8

// readElement reads the element at a byte of the file, which must be a variable, and returns the byte of the next one.
func (m *mat5) readElement(at int64) (next int64, err error) {
	var tag [matTagSize]byte
	if n, err := m.r.ReadAt(tag[:], at); n < matTagSize {
		return 0, m.fail(at+int64(n), "the 8 bytes of a tag", fmt.Sprintf("%d", n), err)
	}
	kind, size := matKind(m.order.Uint32(tag[:])), int64(m.order.Uint32(tag[4:]))
	if kind != miMatrix && kind != miCompressed {
		return 0, m.fail(at, "a variable (an element of type 14 or 15)", fmt.Sprintf("an element of type %d", kind),
			nil)
	}
	start := at + matTagSize
	if size > m.size-start {
		return 0, m.fail(m.size, fmt.Sprintf("an element of %d bytes from byte %d on", size, start),
			fmt.Sprintf("the end of the file after %d", m.size-start), io.ErrUnexpectedEOF)
	}
	content := io.NewSectionReader(m.r, start, size)
	if kind == miCompressed {
		err = m.readCompressed(start, content)
	} else {
		err = m.readVariable(&matElement{file: m, in: content, start: start, size: size})
	}
	return start + size, err
}

// readCompressed reads a variable from the compressed content of an element.
func (m *mat5) readCompressed(start int64, content io.Reader) error {
	from := &counter{r: content}
	e := &matElement{file: m, start: start, from: from, buffered: bufio.NewReaderSize(from, 1<<16), size: matTagSize}
	z, err := zlib.NewReader(e.buffered)
	if err != nil {
		return e.fail(0, "the header of zlib's format", "other bytes", err)
	}
	e.in = z
	tag, err := e.read(matTagSize, "a tag")
	if err != nil {
		return err
	}
	if kind := matKind(m.order.Uint32(tag)); kind != miMatrix {
		return e.fail(0, "an array (an element of type 14)", fmt.Sprintf("an element of type %d", kind), nil)
	}
	e.size += int64(m.order.Uint32(tag[4:]))
	return m.readVariable(e)
}

// counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// A matElement is the content of an element, read from its start to its end.
type matElement struct {
	file     *mat5
	in       io.Reader
	start    int64         // the byte of the file where it begins
	at, size int64         // the number of bytes read, and of all
	from     *counter      // the compressed content; nil if it is not compressed
	buffered *bufio.Reader // reads from
}

// fail returns an error at a byte of the content. In compressed content the error gives
// the byte of the file that the inflater had reached.
func (e *matElement) fail(at int64, want, got string, err error) error {
	if e.from == nil {
		return e.file.fail(e.start+at, want, got, err)
	}
	offset := e.start + e.from.n - int64(e.buffered.Buffered())
	return e.file.fail(offset, want, fmt.Sprintf("%s, at byte %d of the inflated content that begins at byte %d",
		got, at, e.start), err)
}

// read reads n bytes; what describes them in errors.
func (e *matElement) read(n int64, what string) ([]byte, error) {
	if n > e.size-e.at {
		return nil, e.fail(e.at, fmt.Sprintf("%s of %d bytes", what, n),
			fmt.Sprintf("the end of the element after %d", e.size-e.at), nil)
	}
	b, err := readGrowing(e.in, n)
	e.at += int64(len(b))
	if err != nil {
		return nil, e.fail(e.at, fmt.Sprintf("%s of %d bytes", what, n), fmt.Sprintf("%d", len(b)), err)
	}
	return b, nil
}

// end reads the rest of compressed content, so that its checksum is verified.
func (e *matElement) end() error {
	if e.from == nil {
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(e.in, e.size-e.at+1))
	e.at += n
	switch {
	case err != nil:
		return e.fail(e.at, "the end of the element", "an error", err)
	case e.at != e.size:
		return e.fail(e.at, fmt.Sprintf("an element of %d bytes", e.size), "another length", nil)
	}
	return nil
}

// A matTag begins a part of an element.
type matTag struct {
	at    int64 // the byte of the content where it begins
	kind  matKind
	bytes int64  // the number of bytes of the part
	small []byte // the part itself, if it is in the tag
}

// tag reads the tag of a part; what describes the part in errors.
func (e *matElement) tag(what string) (matTag, error) {
	t := matTag{at: e.at}
	b, err := e.read(matTagSize, "the tag of "+what)
	if err != nil {
		return t, err
	}
	word := e.file.order.Uint32(b)
	t.kind, t.bytes = matKind(word), int64(e.file.order.Uint32(b[4:]))
	// A part of up to four bytes is in the tag, with its length in the upper half of the kind.
	if n := word >> 16; n > 0 {
		if n > 4 {
			return t, e.fail(t.at, "at most 4 bytes in the tag of "+what, fmt.Sprintf("%d", n), nil)
		}
		t.kind, t.bytes, t.small = matKind(word&0xffff), int64(n), b[4:4+n]
	}
	return t, nil
}

// part reads the part after its tag, and its padding to a multiple of 8 bytes.
func (e *matElement) part(t matTag, what string) ([]byte, error) {
	if t.small != nil {
		return t.small, nil
	}
	b, err := e.read(t.bytes, what)
	if err != nil {
		return nil, err
	}
	_, err = e.read(min(-t.bytes&(matTagSize-1), e.size-e.at), "padding")
	return b, err
}
