package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
			return errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o777),
				os.WriteFile(filepath.Join(dir, "sub", c.write), []byte(c.write), 0o666), c.err)
		})
		if !errors.Is(err, c.err) {
			t.Errorf("writing %q: %v, want %v", c.write, err, c.err)
		}
		if files, err := os.ReadDir(filepath.Join(path, "sub")); err != nil || len(files) != 1 ||
			files[0].Name() != c.want {
			t.Errorf("after writing %q there is %v, %v; want %q", c.write, files, err, c.want)
		}
		if names, err := os.ReadDir(parent); err != nil || len(names) != 1 {
			t.Errorf("beside it there is %v, %v", names, err)
		}
	}
}

// TestReplaceFolder checks the replacement in two steps, which is used where two folders cannot be exchanged in one.
func TestReplaceFolder(t *testing.T) {
	parent := t.TempDir()
	from, path := filepath.Join(parent, "from"), filepath.Join(parent, "run")
	for _, dir := range []string{from, path} {
		if err := errors.Join(os.Mkdir(dir, 0o777),
			os.WriteFile(filepath.Join(dir, filepath.Base(dir)), nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if err := replaceFolder(from, path); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(parent); err != nil || len(names) != 1 || names[0].Name() != "run" {
		t.Errorf("%v, %v", names, err)
	}
	if names, err := os.ReadDir(path); err != nil || len(names) != 1 || names[0].Name() != "from" {
		t.Errorf("%v, %v", names, err)
	}
}

func TestSweep(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "run")
	kept := []string{"run", "run-2", TemporaryName("other"), ".run" + Temporary + "of-mine"}
	for _, name := range append(kept, TemporaryName("run"), TemporaryName("run")+"-old") {
		if err := os.MkdirAll(filepath.Join(parent, name, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(Sweep(path), Sweep(filepath.Join(parent, "none", "run"))); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(parent)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(kept)
	if err != nil || !slices.Equal(left, kept) {
		t.Errorf("left %v, want %v; %v", left, kept, err)
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

// TestWriteFolderFollows checks that a link to a folder is kept and the folder at its end is written.
func TestWriteFolderFollows(t *testing.T) {
	dir := t.TempDir()
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(folder, 0o777), os.Symlink("folder", link)); err != nil {
		t.Fatal(err)
	}
	err := WriteFolder(link, func(dir string) error { return os.WriteFile(filepath.Join(dir, "f"), nil, 0o666) })
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "f")); err != nil {
		t.Error(err)
	}
}

// TestCheckFolder checks that CheckFolder recognises paths at which no folder can be written, and leaves nothing
// behind.
func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), nil, 0o666), os.Symlink("circle", at("circle")),
		os.Symlink(filepath.Join("new", "folder"), at("dangling")), os.Mkdir(at("there"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for name, good := range map[string]bool{"there": true, "a/b/c": true, "dangling": true, "file": false,
		"file/in": false, "circle": false, "circle/in": false, "dangling/in": false} {
		if err := CheckFolder(at(name)); (err == nil) != good {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if err := MakeFolder(at("dangling/in")); err == nil || !strings.Contains(err.Error(), "dangling is a link to a folder that") {
		t.Errorf("a folder in a link to nowhere: %v", err)
	}
	if missing := MissingFolders(at("dangling/in")); len(missing) != 1 {
		t.Errorf("missing: %v", missing)
	}
	if err := MakeFolder(at("dangling")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(at("new/folder")); err != nil || !info.IsDir() {
		t.Errorf("the folder that the link leads to: %v", err)
	}
}

// TestMove checks that a folder can be moved, and that making or removing a folder twice is not an error.
func TestMove(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "a", "b"), filepath.Join(dir, "c")
	err := errors.Join(MakeFolder(from), MakeFolder(from), os.WriteFile(filepath.Join(from, "f"), []byte("x"), 0o666),
		os.Symlink("nowhere", filepath.Join(from, "link")), Move(from, to))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "f")); err != nil || string(text) != "x" {
		t.Errorf("%q, %v", text, err)
	}
	if err := errors.Join(Remove(to), Remove(to)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}
