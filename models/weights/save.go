package weights

import (
	"fmt"
	"io"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// Save writes d and the metadata as a safetensors file, whole or not at all: if
// it returns an error, or if the machine stops midway, a file that was at path is
// still there, unchanged. See [WriteSafetensors].
func Save(path string, d *StateDict, metadata map[string]string) error {
	err := atomicfile.WriteFile(path, func(w io.Writer) error { return writeSafetensors(w, d, metadata) })
	if err != nil {
		return fmt.Errorf("weights: %w", err)
	}
	return nil
}
