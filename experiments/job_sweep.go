package experiments

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ansatz-lab/ansatz/internal/whole"
)

// sweepMerged removes what writers of merged files that were killed left behind in a
// folder, and in those of a report. Who calls it holds the lock of merging.
func sweepMerged(out string) error {
	var all error
	for _, dir := range []string{out, filepath.Join(out, "figures"), filepath.Join(out, "tables")} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !e.IsDir() && strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), whole.Temporary) {
				all = errors.Join(all, os.Remove(filepath.Join(dir, e.Name())))
			}
		}
	}
	return all
}
