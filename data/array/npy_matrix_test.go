package array

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/memory"
	"gonum.org/v1/gonum/mat"
)

// TestReadNPYMatrix checks that a matrix is read correctly in C and Fortran order and in both byte orders, and that an
// array that is not a matrix is refused.
func TestReadNPYMatrix(t *testing.T) {
	want := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	for _, test := range []struct {
		descr, fortran string
		elements       []byte
	}{
		{"'|u1'", "False", []byte{1, 2, 3, 4, 5, 6}},
		{"'|u1'", "True", []byte{1, 4, 2, 5, 3, 6}},
		{"'<i2'", "False", []byte{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0}},
		{"'>i2'", "True", []byte{0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6}},
	} {
		content := npyFile(npyDict(test.descr, test.fortran, "(2, 3)"), test.elements...)
		path := filepath.Join(t.TempDir(), "m.npy")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if m, err := ReadNPYMatrix(path); err != nil || !mat.Equal(m, want) {
			t.Errorf("%s, Fortran %s: %v, %v", test.descr, test.fortran, m, err)
		}
	}
	_, err := ReadNPYMatrix(testFile("c.npy"))
	wantFormatError(t, err, NoOffset, "expected a matrix, found an array of shape")
}

// TestReadNPYMatrixMemory checks that reading a matrix of several blocks allocates little more than the matrix itself,
// that writing it allocates little, and that a file that ends early is refused.
func TestReadNPYMatrixMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npy")
	want := mat.NewDense(700, 1000, nil)
	for i := range want.RawMatrix().Data {
		want.RawMatrix().Data[i] = float64(i)
	}
	var err error
	if wrote := allocated(func() { err = WriteNPY(path, want) }); err != nil || wrote > 2<<20 {
		t.Errorf("writing took %d bytes, %v", wrote, err)
	}
	var m *mat.Dense
	const bytes = 8 * 700 * 1000
	if got := allocated(func() { m, err = ReadNPYMatrix(path) }); err != nil || got > bytes+2<<20 {
		t.Fatalf("%d bytes took %d, %v", bytes, got, err)
	}
	if !mat.Equal(m, want) {
		t.Error("another matrix")
	}
	if err := os.Truncate(path, bytes); err != nil {
		t.Fatal(err)
	}
	_, err = ReadNPYMatrix(path)
	wantFormatError(t, err, bytes, "expected elements (float64, shape [700 1000])")
}

// sparseNPY writes a sparse file of float64 zeros in the given shape, which takes almost no space on the disk, and
// returns its path.
func sparseNPY(t *testing.T, shape ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse.npy")
	head := headerOf("<f8", shape)
	size := int64(8)
	for _, d := range shape {
		size *= int64(d)
	}
	if err := os.WriteFile(path, []byte(head), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(head))+size); err != nil {
		t.Skip(err)
	}
	return path
}

// TestReadNPYBeyondMemory checks that an array that does not fit into memory is refused before memory is allocated,
// even though the file contains all of it.
func TestReadNPYBeyondMemory(t *testing.T) {
	if memory.Available() == 0 {
		t.Skip("the system does not say how much memory there is")
	}
	path := sparseNPY(t, 1<<20, 1<<20) // 8 TiB
	took := allocated(func() {
		_, err := ReadNPY(path)
		wantFormatError(t, err, NoOffset, "for which there is memory")
		_, err = ReadNPYMatrix(path)
		wantFormatError(t, err, NoOffset, "for which there is memory")
	})
	if took > 1<<20 {
		t.Errorf("it took %d bytes", took)
	}
}

// TestReadNPYLarge checks that files of more than 4 GiB are accepted, and that only arrays beyond the limit or beyond
// the end of the file are refused.
func TestReadNPYLarge(t *testing.T) {
	n := &npyReader{path: "large", r: nil, size: 1 << 62}
	a := &Array{Type: Uint8, Shape: []int{1 << 20, 1 << 20}}
	if size, err := n.checkSize(a, a.Type, 1<<41); err != nil || size != 1<<40 {
		t.Errorf("%d, %v", size, err)
	}
	_, err := n.checkSize(a, Float64, 1<<41)
	wantFormatError(t, err, NoOffset, "at most 2199023255552 bytes")
	a.Shape = []int{1 << 40, 1 << 40} // beyond int64
	_, err = n.checkSize(a, a.Type, 1<<62)
	wantFormatError(t, err, NoOffset, "shape")
	n.size = 1 << 30
	a.Shape = []int{1 << 20, 1 << 12}
	if _, err = n.checkSize(a, a.Type, 1<<62); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestNPYBlocks checks that matrices that were written can be read again, and that of symmetric ones all elements are
// written. Matrices of different sizes, no matrices, and arrays of another shape or order are refused.
func TestNPYBlocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.npy")
	want := []*mat.SymDense{mat.NewSymDense(2, []float64{1, 2, 2, 3}), mat.NewSymDense(2, []float64{4, 5, 5, 6})}
	if err := WriteNPYBlocks(path, want); err != nil {
		t.Fatal(err)
	}
	a, err := ReadNPY(path)
	if err != nil || !slices.Equal(a.Shape, []int{2, 2, 2}) || !slices.Equal(a.Float64s(), []float64{1, 2, 2, 3, 4, 5, 5, 6}) {
		t.Errorf("%v, %v", a, err)
	}
	got, err := ReadNPYBlocks(path)
	if err != nil || len(got) != 2 || !mat.Equal(got[0], want[0]) || !mat.Equal(got[1], want[1]) {
		t.Errorf("%v, %v", got, err)
	}
	if err := WriteNPYBlocks(path, []mat.Matrix{want[0], mat.NewDense(1, 2, nil)}); err == nil {
		t.Error("matrices of two sizes are written")
	}
	if err := WriteNPYBlocks[mat.Matrix](path, nil); err == nil {
		t.Error("no matrices are written")
	}
	if err := WriteNPY(path, want[0]); err != nil {
		t.Fatal(err)
	}
	_, err = ReadNPYBlocks(path)
	wantFormatError(t, err, NoOffset, "found an array of shape [2 2]")
	content := npyFile(npyDict("'|u1'", "True", "(1, 1, 2)"), 1, 2)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadNPYBlocks(path); err == nil {
		t.Error("matrices in Fortran's order are read")
	}
}
