package weights

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files returns the content of every file in a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func TestSave(t *testing.T) {
	d, err := readBytes(fixture(t, "dtypes.zip.pth"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	for range 2 { // the second time replaces the file of the first
		metadata := map[string]string{"source": "test"}
		if err := Save(path, d, metadata); err != nil {
			t.Fatal(err)
		}
		got, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(views(d), views(got)); diff != "" {
			t.Error(diff)
		}
		if !maps.Equal(got.Metadata(), metadata) {
			t.Errorf("metadata is %v", got.Metadata())
		}
	}
	if n := len(files(t, dir)); n != 1 {
		t.Errorf("%d files in the folder", n)
	}
}

// TestSaveFails saves a tensor whose name is refused. The old file must stay, and no other file may be beside it.
func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.safetensors")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	var d StateDict
	d.Set("\xff", vector[float32](1))
	if err := Save(path, &d, nil); err == nil {
		t.Error("saved a name that is not UTF-8")
	}
	if got := files(t, dir); !maps.Equal(got, map[string]string{"w.safetensors": "old"}) {
		t.Errorf("files are %q", got)
	}
}

func TestSaveNowhere(t *testing.T) {
	dir := t.TempDir()
	var d StateDict
	if err := Save(filepath.Join(dir, "nowhere", "w.safetensors"), &d, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
	// A folder stands at the path, so the last step of saving, which renames the file, fails.
	path := filepath.Join(dir, "w.safetensors")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, &d, nil); err == nil {
		t.Error("saved over a folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v left in the folder", entries, err)
	}
}
