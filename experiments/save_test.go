package experiments

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/whole"
)

// leaveTemporary leaves in each folder what a writer that was killed leaves. The function
// that it returns checks that all of it is gone.
func leaveTemporary(t *testing.T, dirs ...string) (swept func()) {
	t.Helper()
	var left []string
	for _, dir := range dirs {
		left = append(left, filepath.Join(dir, ".record.json"+whole.Temporary+"KILLED"))
		writeFile(t, "half", left[len(left)-1])
	}
	return func() {
		t.Helper()
		for _, path := range left {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("%s was not removed: %v", path, err)
			}
		}
	}
}
