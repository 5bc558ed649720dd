package whole

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFolder(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(parent, "run")
	full := errors.New("disk full")
	for _, c := range []struct {
		write string
		err   error
		want  string
	}{{"one", nil, "one"}, {"half", full, "one"}, {"two", nil, "two"}} {
		err := WriteFolder(path, func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o777), os.WriteFile(filepath.Join(dir, "sub", c.write), []byte(c.write), 0o666), c.err)
		})
		if !errors.Is(err, c.err) {
			t.Errorf("writing %q: %v, want %v", c.write, err, c.err)
		}
		if files, err := os.ReadDir(filepath.Join(path, "sub")); err != nil || len(files) != 1 || files[0].Name() != c.want {
			t.Errorf("after writing %q there is %v, %v; want %q", c.write, files, err, c.want)
		}
		if names, err := os.ReadDir(parent); err != nil || len(names) != 1 {
			t.Errorf("beside it there is %v, %v", names, err)
		}
	}
}

// A file at the path is not replaced.
func TestWriteFolderOverFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(path, func(string) error { return nil }); err == nil {
		t.Error("a file was replaced by a folder")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}
