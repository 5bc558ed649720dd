// Package disk finds the free space of file systems.
package disk

import (
	"os"
	"path/filepath"
)

// Free returns how many bytes this user may write to the file system of a folder, or of its nearest existing parent.
// It is unknown on systems and file systems that do not report it.
func Free(folder string) (bytes int64, known bool) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return 0, false
	}
	for {
		if _, err := os.Stat(folder); err == nil || folder == filepath.Dir(folder) {
			return free(folder)
		}
		folder = filepath.Dir(folder)
	}
}
