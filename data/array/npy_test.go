package array

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func parsePlainNPY(content []byte) (*Array, error) {
	return parseNPY("test.npy", bytes.NewReader(content), int64(len(content)), MaxBytes)
}

// npyFile returns an NPY file of version 1 with the header dict.
func npyFile(dict string, elements ...byte) []byte {
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(dict)))
	return append(append(b, dict...), elements...)
}

// npyDict returns the header that NumPy writes for a dtype, an order and a shape, all in Python's notation.
func npyDict(descr, fortran, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n"
}

func TestReadNPY(t *testing.T) {
	for file, want := range saidOf(t, ".npy") {
		a, err := ReadNPY(testFile(file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want[""].check(t, a)
	}
	if _, err := ReadNPY(testFile("absent.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestNPYOtherTypes(t *testing.T) {
	for file, want := range map[string]string{
		"object.npy":  "'|O', Python objects",
		"text.npy":    "'<U2', text",
		"bytes.npy":   "'|S2', text",
		"half.npy":    "'<f2'",
		"complex.npy": "'<c8', complex numbers",
		"record.npy":  `"[('a', '<i4'), ('b', '<f8', (2,))]", a structure`,
	} {
		_, err := ReadNPY(testFile(file))
		wantFormatError(t, err, NoOffset, "found the dtype "+want)
	}
	_, err := ReadNPY(testFile("version3.npy"))
	wantFormatError(t, err, 6, "version 3")
	long := npyFile(npyDict("[('"+strings.Repeat("a", 5000)+"', '<i4')]", "False", "()"))
	if _, err = parsePlainNPY(long); err == nil || len(err.Error()) > 500 {
		t.Errorf("a dtype of 5000 letters: %v", err)
	}
}

// TestNPYCut checks that a file that is cut at any byte, or has one byte too many, gives an error at that byte.
func TestNPYCut(t *testing.T) {
	for file := range saidOf(t, ".npy") {
		whole := content(t, file)
		for n := range whole {
			_, err := parsePlainNPY(whole[:n])
			wantFormatError(t, err, int64(n), "")
		}
		_, err := parsePlainNPY(append(whole, 0))
		wantFormatError(t, err, int64(len(whole)), "more data")
	}
}

func TestNPYHeader(t *testing.T) {
	good := npyDict("'|u1'", "False", "(2,)")
	if a, err := parsePlainNPY(npyFile(good, 1, 2)); err != nil || !slices.Equal(a.Bytes, []byte{1, 2}) {
		t.Fatal(a, err)
	}
	edit := func(old, with string) []byte { return npyFile(strings.Replace(good, old, with, 1), 1, 2) }
	huge := append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"), good...)
	for what, test := range map[string]struct {
		content []byte
		offset  int64
		text    string
	}{
		"magic":         {append([]byte("\x93NUMPX"), npyFile(good)[6:]...), 0, `"\x93NUMPX"`},
		"version":       {append([]byte("\x93NUMPY\x07"), npyFile(good)[7:]...), 6, "version 7"},
		"no header":     {npyFile(""), 10, "'fortran_order'"},
		"no line's end": {edit("\n", " "), 10, "a line's end"},
		"only a line":   {npyFile("\n"), 10, "'fortran_order'"},
		"no brace":      {edit("}", ""), 10, "'fortran_order'"},
		"brace early":   {edit("{", "}"), 10, "'fortran_order'"},
		"another order": {npyFile("{'shape': (2,), 'fortran_order': False, 'descr': '|u1', }\n", 1, 2), 10,
			"'fortran_order'"},
		"order's value":    {edit("False", "Maybe"), 10, "Maybe"},
		"no type":          {edit("'|u1'", "''"), NoOffset, "found the dtype"},
		"brace in type":    {edit("|u1", "|}u1"), NoOffset, "found the dtype"},
		"negative":         {edit("2,", "-2,"), 10, "(-2,)"},
		"no number":        {edit("2,", "2 2"), 10, "invalid syntax"},
		"beyond an int":    {edit("2,", "99999999999999999999,"), 10, "out of range"},
		"overflow":         {edit("2,", "4294967296, 4294967296, 2"), NoOffset, "at most 4294967296 bytes"},
		"too many":         {edit("2,", strings.Repeat("1, ", 33)), NoOffset, "32 dimensions"},
		"too few elements": {edit("2,", "3,"), 70, "elements (uint8, shape [3]) of 3 bytes, found 2"},
		"long header":      {huge, 8, "at most 65536 bytes, found 2147483647"},
	} {
		t.Run(what, func(t *testing.T) {
			_, err := parsePlainNPY(test.content)
			wantFormatError(t, err, test.offset, test.text)
		})
	}
}

// TestNPYMemory checks that no memory is allocated for a size that only the header claims, whether or not the size of
// the file is known.
func TestNPYMemory(t *testing.T) {
	file := npyFile(npyDict("'<f8'", "True", "(536870912,)"), make([]byte, 100)...)
	for _, size := range []int64{-1, int64(len(file))} {
		got := allocated(func() {
			if _, err := parseNPY("test.npy", bytes.NewReader(file), size, MaxBytes); err == nil {
				t.Error("4 GiB from nothing")
			}
		})
		if got > 4*firstRead {
			t.Errorf("%d bytes of memory for %d of file", got, len(file))
		}
	}
}

// TestNotAFile checks that a pipe is refused, and not waited for.
func TestNotAFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.npy")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	var e *FormatError
	if _, err := ReadNPY(pipe); !errors.As(err, &e) || !strings.Contains(err.Error(), "expected a file") {
		t.Error(err)
	}
}
