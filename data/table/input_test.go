package table

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestFileTooLong checks that a file that is too long is refused because of its size, before memory is allocated for
// its content.
func TestFileTooLong(t *testing.T) {
	for name, head := range map[string]string{
		"line.csv": "a,b\n", "line.arff": "@relation x\n@attribute a numeric\n@data\n", "x.parquet": "PAR1",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(head), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 5<<30); err != nil {
			t.Skip(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Open(path)
		runtime.ReadMemStats(&after)
		f := wantFormatError(t, err)
		if f.Got != "5368709120" || !strings.Contains(f.Hint, "divide") {
			t.Error(f)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s took %d bytes", name, took)
		}
	}
}
