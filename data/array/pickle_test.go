package array

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pickledArray is the description of an array that testdata/make_pickles.py wrote to pickles.json.
type pickledArray struct {
	Type, Bytes string // the bytes in hexadecimal digits
	Shape       []int
	Fortran     bool
}

// A pickled is the description of the value under a key. One of its fields after Key is set. Texts are in hexadecimal
// digits.
type pickled struct {
	Key     string
	Array   *pickledArray
	Ints    []int
	Strings []string
	Int     *int
	Float   *float64
	Text    *string
}

// pickles returns the pickles in testdata.
func pickles(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.pickle")
	if err != nil || len(paths) < 14 {
		t.Fatalf("%d pickles in testdata, %v", len(paths), err)
	}
	return paths
}

// TestReadPickle checks that pickles of Python 3 in every protocol, and pickles as Python 2 writes them, are read as
// Python 3 loads them.
func TestReadPickle(t *testing.T) {
	content, err := os.ReadFile("testdata/pickles.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string][]pickled
	if err := json.Unmarshal(content, &expected); err != nil {
		t.Fatal(err)
	}
	for _, path := range pickles(t) {
		name, _, ok := strings.Cut(filepath.Base(path), "_")
		if !ok {
			continue // list.pickle and refused.pickle, which other tests read
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			d, err := ReadPickle(path)
			if err != nil {
				t.Fatal(err)
			}
			var keys []string
			for _, want := range expected[name] {
				keys = append(keys, want.Key)
				got, err := lookUp(d, want)
				if err != nil {
					t.Error(err)
				} else if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%q (-want +got):\n%s", want.Key, diff)
				}
			}
			if diff := cmp.Diff(keys, d.Keys()); diff != "" || len(keys) == 0 {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
		})
	}
}

// lookUp returns the value under the key of want, read as the same type as want.
func lookUp(d *Dict, want pickled) (got pickled, err error) {
	got.Key = want.Key
	switch {
	case want.Array != nil:
		a, err := d.Array(want.Key)
		if err != nil {
			return got, err
		}
		got.Key = a.Name
		got.Array = &pickledArray{a.Type.String(), hex.EncodeToString(a.Bytes), a.Shape, a.Fortran}
	case want.Ints != nil:
		got.Ints, err = d.Ints(want.Key)
	case want.Strings != nil:
		texts, failed := d.Strings(want.Key)
		for _, s := range texts {
			got.Strings = append(got.Strings, hex.EncodeToString([]byte(s)))
		}
		err = failed
	case want.Int != nil:
		n, failed := d.Int(want.Key)
		got.Int, err = &n, failed
	case want.Float != nil:
		x, failed := d.Float(want.Key)
		got.Float, err = &x, failed
	default:
		s, failed := d.Text(want.Key)
		s = hex.EncodeToString([]byte(s))
		got.Text, err = &s, failed
	}
	return got, err
}

// TestNumPyNumbers checks that numbers and arrays of NumPy can be read as integers, floats and lists of integers.
func TestNumPyNumbers(t *testing.T) {
	for _, path := range pickles(t) {
		if !strings.Contains(path, "python3_") {
			continue
		}
		d, err := ReadPickle(path)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := d.Int("big number"); n != 70000 || err != nil {
			t.Errorf("%s: the number is %d, %v", path, n, err)
		}
		if x, err := d.Float("number"); x != float64(float32(0.1)) || err != nil {
			t.Errorf("%s: the number is %g, %v", path, x, err)
		}
		if x, err := d.Float("n"); x != 10000 || err != nil {
			t.Errorf("%s: the number is %g, %v", path, x, err)
		}
		if all, err := d.Ints("all bytes"); len(all) != 256 || all[255] != 255 || err != nil {
			t.Errorf("%s: %d bytes, %v", path, len(all), err)
		}
	}
}

// wantPickleError fails the test unless err is a FormatError about path whose message contains all parts.
func wantPickleError(t *testing.T, err error, path string, parts ...string) *FormatError {
	t.Helper()
	var format *FormatError
	if !errors.As(err, &format) {
		t.Fatalf("error is %v (%T), want a *FormatError that says %q", err, err, parts)
	}
	if format.Path != path {
		t.Errorf("the error is about %q, want %q", format.Path, path)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error is %q, want it to say %q", err, part)
		}
	}
	return format
}

// TestPickleMisfits checks that asking for a missing key, or for another type than the value's, gives an error that
// says so.
func TestPickleMisfits(t *testing.T) {
	const path = "testdata/refused.pickle"
	d, err := ReadPickle(path)
	if err != nil {
		t.Fatal(err)
	}
	array := func(key string) error { _, err := d.Array(key); return err }
	ints := func(key string) error { _, err := d.Ints(key); return err }
	texts := func(key string) error { _, err := d.Strings(key); return err }
	tests := []struct {
		get   func(key string) error
		key   string
		parts []string
	}{
		{array, "data", []string{`an array under "data"`, `the keys "object", "half"`, `and others`}},
		{array, "object", []string{`an array of integers, booleans, float32 or float64 under "object"`,
			`dtype "|O8"`, "astype"}},
		{array, "half", []string{`shape [2] and dtype "<f2"`}},
		{array, "complex", []string{`dtype "<c16"`}},
		{array, "record", []string{"a dtype that is not a plain number"}},
		{array, "text array", []string{`dtype "<U2"`}},
		{array, "matrix", []string{"an object of class numpy.matrix"}},
		{array, "instance", []string{"an object of class __main__.Net"}},
		{array, "dict", []string{"found a dict"}},
		{array, "floats", []string{"found a list"}},
		{ints, "data", []string{`a list of integers under "data"`, "the keys"}},
		{ints, "dict", []string{"found a dict"}},
		{ints, "floats", []string{"the float 0.5 at index 0"}},
		{ints, "mixed", []string{"bytes at index 0"}},
		{ints, "half", []string{`dtype "<f2"`}},
		{ints, "too large", []string{`a list of integers under "too large"`, "9.223372036854776e+18 at index 0"}},
		{texts, "mixed", []string{`a list of texts under "mixed"`, "the integer 1 at index 1"}},
		{texts, "half", []string{"found an array of shape [2]"}},
		{func(key string) error { _, err := d.Int(key); return err }, "large",
			[]string{"an integer", "a long integer"}},
		{func(key string) error { _, err := d.Float(key); return err }, "dict", []string{"a number"}},
		{func(key string) error { _, err := d.Text(key); return err }, "floats", []string{"a text"}},
	}
	for _, test := range tests {
		format := wantPickleError(t, test.get(test.key), path, test.parts...)
		if format.Offset != NoOffset {
			t.Errorf("%v is about byte %d", format, format.Offset)
		}
	}
}

func TestReadPickleErrors(t *testing.T) {
	_, err := ReadPickle("testdata/list.pickle")
	wantPickleError(t, err, "testdata/list.pickle", "a pickled dict", "found a list", "pickle.dump")
	_, err = ReadPickle("testdata/missing.pickle")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v", err)
	}
	var format *FormatError
	if _, err = ReadPickle("testdata"); err == nil || errors.As(err, &format) {
		t.Errorf("a folder gives %v", err)
	}
	for content, part := range map[string]string{
		"":              "the end of the data",
		"\x1f\x8b\x08":  "the file is not a pickle: unpack it",
		"K\x01a.":       "one that cannot be run",
		"\x80\x04N\xff": "at byte 3",
	} {
		_, err := readPickle("x", strings.NewReader(content), int64(len(content)))
		wantPickleError(t, err, "x", part)
	}
}

// TestPickleCut checks that a pickle that is cut at any byte gives a FormatError with an offset up to that byte.
func TestPickleCut(t *testing.T) {
	for _, path := range pickles(t) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range content {
			_, err := readPickle(path, bytes.NewReader(content[:n]), int64(n))
			var format *FormatError
			if !errors.As(err, &format) || format.Offset < 0 || format.Offset > int64(n) {
				t.Fatalf("%s cut at byte %d: %v", path, n, err)
			}
		}
	}
}
