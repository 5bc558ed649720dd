package weights

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOpenNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nothing.pth")
	_, err := Open(path)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "give the path") {
		t.Errorf("error is %v, want fs.ErrNotExist with the path and a hint", err)
	}
	_, err = Open(path + "\x00")
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want one that is not fs.ErrNotExist", err)
	}
}

func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "a folder (give the path of a file in it)") {
		t.Errorf("error is %v", err)
	}
}

// TestOpenByContent checks that Open recognises a container by its content, whatever the name of the file.
func TestOpenByContent(t *testing.T) {
	for _, name := range []string{"dtypes.safetensors", "dtypes.zip.pth", "dtypes.old.pth"} {
		path := filepath.Join(t.TempDir(), "weights.txt")
		if err := os.WriteFile(path, fixture(t, name), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenStrangers(t *testing.T) {
	for content, want := range map[string]string{
		"": "an empty file",
		"version https://git-lfs.github.com/spec/v1\noid sha256:00\n": "git lfs pull",
		"<!DOCTYPE html>":                   "a web page",
		"<html>":                            "a web page",
		"\x1f\x8b\x08\x00":                  "gunzip",
		"\x89HDF\r\n\x1a\n":                 "HDF5",
		"GGUF\x03\x00\x00\x00":              "GGUF",
		"\x93NUMPY\x01\x00":                 "NumPy",
		"hello":                             `"hello"`,
		strings.Repeat("\x00", 600):         "bytes that begin with",
		"\x00\x00\x00\x00\x00\x00\x00\x80{": "bytes that begin with",
	} {
		path := filepath.Join(t.TempDir(), "model.pth")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		wantFormatError(t, err, want, path, "byte 0")
		_, err = ReadPyTorch(strings.NewReader(content), int64(len(content)))
		wantFormatError(t, err, want, "PyTorch: byte 0")
	}
}

// A failingReader fails to read the byte at and those after it.
type failingReader struct {
	data string
	at   int64
}

var errDisk = errors.New("disk on fire")

func (r failingReader) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > r.at {
		return 0, errDisk
	}
	return strings.NewReader(r.data).ReadAt(p, off)
}

// TestReadErrors reads from a disk that fails at a byte, for every byte. The error must be the disk's, and no
// FormatError.
func TestReadErrors(t *testing.T) {
	for _, name := range []string{"network.zip.pth", "network.old.pth", "dtypes.safetensors", "deflated.zip.pth"} {
		data := string(fixture(t, name))
		for at := range int64(len(data)) {
			_, err := read(failingReader{data, at}, int64(len(data)))
			var format *FormatError
			if err == nil || errors.As(err, &format) || !errors.Is(err, errDisk) {
				t.Fatalf("%s with a disk that fails at byte %d: %v (%T)", name, at, err, err)
			}
		}
	}
}

// TestReadShort reads files as if they were 1 GiB longer. This is refused, except in the old format, in which nothing
// after the end is read.
func TestReadShort(t *testing.T) {
	for _, name := range []string{"network.zip.pth", "network.old.pth", "dtypes.safetensors"} {
		data := string(fixture(t, name))
		_, err := read(strings.NewReader(data), int64(len(data))+1<<30)
		if name == "network.old.pth" {
			if err != nil {
				t.Errorf("%s: %v, though nothing after its end is read", name, err)
			}
			continue
		}
		wantFormatError(t, err)
	}
}

// Open refuses a pipe, and does not wait until somebody writes into it.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := Open(path)
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for somebody to write there")
	}
}
