package disk

import (
	"path/filepath"
	"testing"
)

// TestFree checks that the free space is also known for a path that does not exist yet.
func TestFree(t *testing.T) {
	here, known := Free(t.TempDir())
	if !known {
		t.Skip("this system does not tell")
	}
	there, known := Free(filepath.Join(t.TempDir(), "not", "yet"))
	if here <= 0 || there <= 0 || !known {
		t.Errorf("%d and %d bytes are free", here, there)
	}
}
