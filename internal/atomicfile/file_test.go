package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func content(s string, err error) func(io.Writer) error {
	return func(w io.Writer) error {
		_, werr := io.WriteString(w, s)
		return errors.Join(werr, err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	full := errors.New("disk full")
	for _, c := range []struct {
		write string
		err   error
		want  string
	}{{"one", nil, "one"}, {"half", full, "one"}, {"two", nil, "two"}} {
		if err := WriteFile(path, content(c.write, c.err)); !errors.Is(err, c.err) {
			t.Errorf("writing %q: %v, want %v", c.write, err, c.err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != c.want {
			t.Errorf("after writing %q the file holds %q, %v; want %q", c.write, got, err, c.want)
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("the folder holds %v, %v", names, err)
	}
}

// TestWriteFileFollows checks that links are kept and followed, also to files that do not exist yet, that circular
// links are refused, and that a pipe is written to.
func TestWriteFileFollows(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("old"), 0o666), os.Mkdir(at("folder"), 0o777),
		os.Symlink("file", at("link")), os.Symlink("link", at("again")),
		os.Symlink(filepath.Join("folder", "new"), at("dangling")), os.Symlink("circle", at("circle"))); err != nil {
		t.Fatal(err)
	}
	for link, file := range map[string]string{"again": "file", "dangling": filepath.Join("folder", "new")} {
		if err := WriteFile(at(link), content("new", nil)); err != nil {
			t.Errorf("%s: %v", link, err)
		}
		if info, err := os.Lstat(at(link)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s was replaced: %v, %v", link, info, err)
		}
		if got, err := os.ReadFile(at(file)); err != nil || string(got) != "new" {
			t.Errorf("%s holds %q, %v", file, got, err)
		}
	}
	if err := WriteFile(at("circle"), content("", nil)); err == nil {
		t.Error("a circle of links was written to")
	}
	if err := syscall.Mkfifo(at("pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	read := make(chan string)
	go func() {
		got, _ := os.ReadFile(at("pipe"))
		read <- string(got)
	}()
	if err := WriteFile(at("pipe"), content("through", nil)); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "through" {
		t.Errorf("the pipe gave %q", got)
	}
	if info, err := os.Lstat(at("pipe")); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v, %v", info, err)
	}
}

func TestDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if _, err := Digest(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	if err := WriteBytes(path, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	// The example of FIPS 180-2.
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got, err := Digest(path); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestSweepAll(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "a", "b")
	half, folder, there := filepath.Join(inner, TemporaryName("x")), filepath.Join(inner, TemporaryName("y")),
		filepath.Join(inner, "x")
	err := errors.Join(os.MkdirAll(folder, 0o777), os.WriteFile(half, nil, 0o666),
		os.WriteFile(filepath.Join(folder, "z"), nil, 0o666), os.WriteFile(there, nil, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(SweepAll(dir), SweepAll(filepath.Join(dir, "absent"))); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(inner)
	if err != nil || len(left) != 1 || left[0].Name() != "x" {
		t.Errorf("%v, %v", left, err)
	}
}

func TestSweepFiles(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	folder, inner := filepath.Join(a, TemporaryName("unit")), TemporaryName("z")
	err := errors.Join(os.MkdirAll(folder, 0o777), os.MkdirAll(b, 0o777))
	for _, path := range []string{a + "/" + TemporaryName("x"), b + "/" + TemporaryName("y"), a + "/x", b + "/.y",
		b + "/.notes" + Temporary + "mine", folder + "/" + inner} {
		err = errors.Join(err, os.WriteFile(path, nil, 0o666))
	}
	if err := errors.Join(err, SweepFiles(a, filepath.Join(dir, "absent"), b), SweepFiles()); err != nil {
		t.Fatal(err)
	}
	var left []string
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, d.Name())
		}
		return err
	})
	if want := []string{inner, "x", ".notes" + Temporary + "mine", ".y"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left: %v, want %v; %v", left, want, err)
	}
}

func TestWriteFileWithoutFolder(t *testing.T) {
	if err := WriteFile(filepath.Join(t.TempDir(), "no", "f"), content("", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
