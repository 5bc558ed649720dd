package weights

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/memory"
)

// TestOpenBeyondMemory checks that a file is refused, before memory is allocated, if its tensors do not fit in memory.
func TestOpenBeyondMemory(t *testing.T) {
	if memory.Available() == 0 {
		t.Skip("the system does not say how much memory there is")
	}
	const elements = 1 << 40
	header := fmt.Sprintf(`{"w":{"dtype":"F32","shape":[%d],"data_offsets":[0,%d]}}`, elements, 4*elements)
	path := filepath.Join(t.TempDir(), "large.safetensors")
	content := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(content))+4*elements); err != nil {
		t.Skip(err)
	}
	_, err := Open(path)
	var f *FormatError
	if !errors.As(err, &f) || f.Path != path || !strings.Contains(f.Want, "for which there is memory") {
		t.Error(err)
	}
}
