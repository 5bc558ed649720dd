package table

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ansatz-lab/ansatz/data/array"
	"github.com/ansatz-lab/ansatz/internal/memory"
	"github.com/ansatz-lab/ansatz/internal/words"
)

// MaxBytes is the size in bytes of the largest file that this package reads, before and after decompression.
const MaxBytes = 1 << 30

// memoryPerByte is how many bytes of memory reading takes per byte of a file: the byte itself, and its share of the
// numbers while they are appended.
const memoryPerByte = 4

// mostBytes returns the largest readable size: MaxBytes, or less if memory is short. The hint helps with larger files.
func mostBytes() (limit int64, hint string) {
	if room := memory.Available(); room > 0 && room/memoryPerByte < MaxBytes {
		return room / memoryPerByte,
			fmt.Sprintf("there are %s of memory: give the process more, or divide the file", words.Bytes(room))
	}
	return MaxBytes, "divide it into several files"
}

// whole is a reader whose text is in memory already.
type whole struct {
	io.Reader
	text string
}

// gzipMagic is how a file compressed with gzip begins.
const gzipMagic = "\x1f\x8b"

// read reads everything from r, and inflates it if it is compressed with gzip. More than mostBytes is an error.
func read(path string, r io.Reader) (string, error) {
	if w, is := r.(whole); is {
		return w.text, nil
	}
	limit, hint := mostBytes()
	tooLong := func(got string) error {
		return &FormatError{Path: path, Offset: array.NoOffset, Want: fmt.Sprintf("at most %d bytes", limit), Got: got,
			Hint: hint}
	}
	var b strings.Builder
	if f, is := r.(*os.File); is {
		info, err := f.Stat()
		if err != nil {
			return "", fmt.Errorf("table: %w", err)
		}
		if info.Size() > limit {
			return "", tooLong(fmt.Sprint(info.Size()))
		}
		b.Grow(int(info.Size()))
	}
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	if err != nil {
		return "", fmt.Errorf("table: reading %s: %w", path, err)
	}
	if n > limit {
		return "", tooLong("more")
	}
	if !strings.HasPrefix(b.String(), gzipMagic) {
		return b.String(), nil
	}
	content, err := inflateGzip(b.String(), limit)
	switch {
	case err != nil:
		return "", &FormatError{Path: path, Offset: array.NoOffset, Want: "a file that gzip has compressed",
			Got: "a damaged or incomplete one", Err: err}
	case int64(len(content)) > limit:
		return "", tooLong("more after decompression")
	}
	return string(content), nil
}

// readPath opens a file and parses it.
func readPath(path string, parse func(path string, r io.Reader) (*Table, error)) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	defer f.Close()
	return parse(path, f)
}

// readText returns the content of a file.
func readText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("table: %w", err)
	}
	defer f.Close()
	return read(path, f)
}

// byteOrderMark is U+FEFF in UTF-8, with which some programs begin a text.
const byteOrderMark = "\ufeff"

// stem returns the name of a file without folders and extension.
func stem(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), gzipExtension)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// parseNumber reads a finite number as C writes it, in decimal or with 0x and an exponent of two; ok is false if the text
// is no number, or out of the range of float64. A text with an underscore is a name, although Go would parse it.
func parseNumber(text string) (v float64, ok bool) {
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) && !strings.Contains(text, "_")
}

// isTooLarge reports whether a text is a number that is infinite as a float64.
func isTooLarge(text string) bool {
	v, _ := strconv.ParseFloat(text, 64)
	return math.IsInf(v, 0) && !strings.Contains(text, "_")
}

// lines reads the lines of a text, one after the other.
type lines struct {
	path   string
	text   string
	number int // of the current line, the last one read, from 1
	start  int // the byte where the current line begins
	next   int // the byte where the next line begins
}

// newLines returns the lines of a text, without its byte order mark.
func newLines(path, text string) lines {
	l := lines{path: path, text: text}
	if strings.HasPrefix(text, byteOrderMark) {
		l.next = len(byteOrderMark)
	}
	return l
}

// scan returns the next line without its end, \n or \r\n.
func (l *lines) scan() (line string, ok bool) {
	if l.next >= len(l.text) {
		return "", false
	}
	l.number++
	l.start = l.next
	rest := l.text[l.next:]
	line, _, _ = strings.Cut(rest, "\n")
	l.next += min(len(line)+1, len(rest))
	return strings.TrimSuffix(line, "\r"), true
}

// errorAt returns the error of a byte of the current line.
func (l *lines) errorAt(column int, want, got string) *FormatError {
	return &FormatError{Path: l.path, Line: l.number, Offset: int64(l.start + column), Want: want, Got: got}
}

// errorAtEnd returns the error of a text that ends before what was expected.
func (l *lines) errorAtEnd(want, hint string) *FormatError {
	return &FormatError{
		Path:   l.path,
		Line:   l.number,
		Offset: int64(len(l.text)),
		Want:   want,
		Got:    "the end of the file",
		Hint:   hint,
	}
}

// FormatError says that a file or an option does not have the form that it must have.
type FormatError = array.FormatError

// show quotes the beginning of a text from a file, for a message.
func show(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}
