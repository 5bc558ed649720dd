package array

import (
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestWriteNPYOnFullDisk checks that the error says only once that the disk is full.
func TestWriteNPYOnFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	err := WriteNPY(full, mat.NewDense(100, 100, nil))
	if err == nil || strings.Count(err.Error(), "no space left") != 1 {
		t.Errorf("%v", err)
	}
}
