package array

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// said is the description of an array that testdata/make_arrays.py wrote to arrays.json.
type said struct {
	Type     string
	Shape    []int
	Fortran  bool
	SHA256   string
	Elements []string // only of small arrays
}

// allSaid returns the descriptions of all arrays, by file and by name.
func allSaid(t testing.TB) map[string]map[string]said {
	t.Helper()
	var all map[string]map[string]said
	if err := json.Unmarshal(content(t, "arrays.json"), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// saidOf returns the descriptions of the arrays in the files whose names end with suffix.
func saidOf(t testing.TB, suffix string) map[string]map[string]said {
	t.Helper()
	some := map[string]map[string]said{}
	for file, arrays := range allSaid(t) {
		if strings.HasSuffix(file, suffix) {
			some[file] = arrays
		}
	}
	if len(some) == 0 {
		t.Fatalf("no %s files", suffix)
	}
	return some
}

func testFile(name string) string { return filepath.Join("testdata", name) }

func content(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(testFile(name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// check fails the test unless the array is as described.
func (s said) check(t *testing.T, a *Array) {
	t.Helper()
	if a == nil {
		t.Fatal("no array")
	}
	if a.Type.String() != s.Type || !slices.Equal(a.Shape, s.Shape) || a.Fortran != s.Fortran {
		t.Fatalf("%s: %v %v, fortran %v; want %+v", a.Name, a.Type, a.Shape, a.Fortran, s)
	}
	if sum := sha256.Sum256(a.Bytes); hex.EncodeToString(sum[:]) != s.SHA256 {
		t.Errorf("%s: other elements % x", a.Name, a.Bytes)
	}
	if s.Elements == nil {
		return
	}
	got := a.Float64s()
	if len(got) != len(s.Elements) {
		t.Fatalf("%s: %d elements, want %d", a.Name, len(got), len(s.Elements))
	}
	for i, text := range s.Elements {
		if want, err := strconv.ParseFloat(text, 64); err != nil || got[i] != want {
			t.Errorf("%s: element %d is %v, want %s", a.Name, i, got[i], text)
		}
	}
}

// wantFormatError fails the test unless err is a FormatError with that offset and text in its message.
func wantFormatError(t *testing.T, err error, offset int64, text string) {
	t.Helper()
	f := (*FormatError)(nil)
	if !errors.As(err, &f) {
		t.Fatalf("error of type %T: %v", err, err)
	}
	if f.Offset != offset || !strings.Contains(f.Error(), text) {
		t.Errorf("want %q at byte %d, got: %v", text, offset, f)
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
