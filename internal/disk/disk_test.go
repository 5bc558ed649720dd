package disk

import (
	"path/filepath"
	"testing"
)

// What does not exist yet has the room of the folder that it will be in.
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
