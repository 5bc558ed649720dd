//go:build hdf5

package array

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func openHDF5(t testing.TB, path string) *HDF5 {
	t.Helper()
	h, err := OpenHDF5(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func openSlab(t testing.TB, file, name string) *Slab {
	t.Helper()
	s, err := openHDF5(t, testFile(file)).Array(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// readAll returns the array of a slab, read in blocks of the given number of rows.
func readAll(t testing.TB, s *Slab, block int) *Array {
	t.Helper()
	a := &Array{Name: s.Name, Type: s.Type, Shape: s.Shape}
	a.Bytes = make([]byte, a.Len()*a.Type.Size())
	for lo := 0; lo < s.Shape[0]; lo += block {
		hi := min(lo+block, s.Shape[0])
		if err := s.ReadRows(lo, hi, a.Bytes[lo*s.RowBytes():hi*s.RowBytes()]); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func TestHDF5(t *testing.T) {
	if !HDF5Available() {
		t.Error("HDF5 is not available")
	}
	for file, arrays := range saidOf(t, ".h5") {
		h := openHDF5(t, testFile(file))
		for name, want := range arrays {
			s, err := h.Array(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range []int{1, 2, 3, 100} {
				want.check(t, readAll(t, s, block))
			}
		}
	}
}

func TestHDF5NoSuch(t *testing.T) {
	for file, want := range map[string]string{"c.npy": "begins an HDF5 file", "svhn.mat": "begins an HDF5 file"} {
		_, err := OpenHDF5(testFile(file))
		wantFormatError(t, err, 0, want)
	}
	if _, err := OpenHDF5(testFile("absent.h5")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	for name, want := range map[string]string{
		"absent": "none that the HDF5 library opens", "group": "none that", "number": "1 to 32 dimensions, found 0",
		"empty": "found 0", "text": "another: class 3 of 2 bytes", "complex": "another: class 6",
		"bool": "another: class 8",
	} {
		_, err := openHDF5(t, testFile("types.h5")).Array(name)
		wantFormatError(t, err, NoOffset, want)
	}
}

func TestHDF5Closed(t *testing.T) {
	h := openHDF5(t, testFile("chunked.h5"))
	s, err := h.Array("y")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.Close(), h.Close()); err != nil {
		t.Error(err)
	}
	if err := s.ReadRows(0, 1, make([]byte, 1)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("rows of a closed file: %v", err)
	}
	if _, err := h.Array("x"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("an array of a closed file: %v", err)
	}
}

func TestReadRowsMisuse(t *testing.T) {
	s := openSlab(t, "chunked.h5", "y")
	for _, rows := range [][3]int{{-1, 1, 2}, {2, 1, 0}, {0, 6, 6}, {0, 2, 1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("rows %d to %d into %d bytes", rows[0], rows[1], rows[2])
				}
			}()
			s.ReadRows(rows[0], rows[1], make([]byte, rows[2]))
		}()
	}
	if err := s.ReadRows(5, 5, nil); err != nil {
		t.Error(err)
	}
}

// TestHDF5Concurrent checks that goroutines that read two files at the same time, and open a third, get the right rows.
func TestHDF5Concurrent(t *testing.T) {
	want := readAll(t, openSlab(t, "deflated.h5", "x"), 5)
	slabs := []*Slab{openSlab(t, "deflated.h5", "x"), openSlab(t, "chunked.h5", "x")}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			s := slabs[g%2]
			row := make([]byte, s.RowBytes())
			for k := range 10 {
				i := (g + k) % 5
				if err := s.ReadRows(i, i+1, row); err != nil ||
					!bytes.Equal(row, want.Bytes[i*len(row):(i+1)*len(row)]) {
					t.Errorf("row %d: % x, %v", i, row, err)
				}
				if h, err := OpenHDF5(testFile("types.h5")); err != nil || h.Close() != nil {
					t.Errorf("opening another: %v", err)
				}
			}
		})
	}
	all.Wait()
}

// TestHDF5Damaged checks that a wrong byte in the deflated pixels gives a FormatError. It does not damage the
// structures of HDF5 itself, since the library may then die of a segmentation violation.
func TestHDF5Damaged(t *testing.T) {
	whole := content(t, "deflated.h5")
	chunk := bytes.LastIndex(whole, []byte("\x78\x5e")) // the header of a zlib stream of that level
	if chunk < 0 {
		t.Fatal("no chunk")
	}
	for i := chunk; i < chunk+20; i++ {
		whole[i] ^= 0xff
		path := filepath.Join(t.TempDir(), "damaged.h5")
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
		whole[i] ^= 0xff
		s, err := openHDF5(t, path).Array("x")
		if err != nil {
			t.Fatal(err)
		}
		err = s.ReadRows(0, 5, make([]byte, 5*s.RowBytes()))
		wantFormatError(t, err, NoOffset, `the rows 0 to 5 of "x"`)
	}
}

// TestHDF5Crash checks that a file on which the library dies of a segmentation violation gives an error that names the
// file, at the first read and at later ones, and that other files can still be read. crash.h5 is chunked.h5 with four
// wrong bytes.
func TestHDF5Crash(t *testing.T) {
	s, err := openHDF5(t, testFile("crash.h5")).Array("x")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err = s.ReadRows(0, 5, make([]byte, 5*s.RowBytes()))
		wantFormatError(t, err, NoOffset, `crash.h5: expected the rows 0 to 5 of "x", found a file on which the HDF5`)
	}
	if text := err.Error(); !strings.Contains(text, "SIGSEGV") || strings.Contains(text, "\n") {
		t.Error(text)
	}
	readAll(t, openSlab(t, "chunked.h5", "x"), 5)
}

// TestHDF5Silent checks that the library writes nothing to stderr.
func TestHDF5Silent(t *testing.T) {
	c := exec.Command(os.Args[0], "-test.run", "^(TestHDF5Damaged|TestHDF5NoSuch)$")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Run(); err != nil {
		t.Error(err)
	}
	if stderr.Len() > 0 {
		t.Errorf("the library says %.300q", stderr.String())
	}
}
