package array

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWriteNPYFloat32 checks that arrays of several shapes can be read again as they were written, and that their
// headers are those of NumPy.
func TestWriteNPYFloat32(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	for _, shape := range [][]int{{3}, {2, 3}, {2, 3, 1, 2}, {0, 4}, {200000}} {
		n := 1
		for _, s := range shape {
			n *= s
		}
		values := make([]float32, n)
		want := make([]float64, n)
		for i := range values {
			values[i] = float32(i) / 3
			want[i] = float64(values[i])
		}
		if err := WriteNPYFloat32(path, shape, values); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if head := text[:len(text)-4*n]; len(head)%npyAlign != 0 || head[len(head)-1] != '\n' {
			t.Errorf("%v: a header of %d bytes, %q", shape, len(head), head)
		}
		a, err := ReadNPY(path)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(a.Shape) != fmt.Sprint(shape) || !slices.Equal(a.Float64s(), want) {
			t.Errorf("%v came back as %v", shape, a.Shape)
		}
	}
	if err := WriteNPYFloat32(path, []int{2, 2}, make([]float32, 3)); err == nil {
		t.Error("3 values of 2×2 are accepted")
	}
	// The header that numpy.save writes.
	want := "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4, 1), }"
	if got := headerOf("<f4", []int{2, 3, 4, 1}); !bytes.HasPrefix([]byte(got), []byte(want)) || len(got) != 128 {
		t.Errorf("%q", got)
	}
}
