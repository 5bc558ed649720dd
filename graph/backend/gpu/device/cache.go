//go:build native && cgo && !windows

package device

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/atomicfile"
)

// cachePath returns where the code of a compilation with these inputs is kept, "" where there is no folder for it.
func cachePath(inputs ...string) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(inputs, "\x00")))
	return filepath.Join(folder, "ansatz", "kernels", hex.EncodeToString(sum[:]))
}

// cached returns the code at a path, nil if there is none. What cannot be read is compiled again.
func cached(path string) []byte {
	code, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return code
}

// keep writes code to a path. A folder that cannot be written costs time, and nothing else.
func keep(path string, code []byte) {
	if path == "" || os.MkdirAll(filepath.Dir(path), 0o755) != nil {
		return
	}
	_ = atomicfile.WriteBytes(path, code)
}
