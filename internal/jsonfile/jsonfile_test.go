package jsonfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

type note struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Any   any    `json:"any"`
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.json")
	var n note
	if err := Read(path, Small, &n); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	for _, c := range []struct{ text, want string }{
		{`{"name": "a[[", "count": 2}` + "\n", ""},
		{"", "found nothing"}, {"null x", "found more"}, {`{} {}`, "found more"}, {`{"name": 3}`, "number"},
		{`{"count": 1.5}`, "1.5"}, {`{"count": 99999999999999999999}`, "99999"}, {`{"name": "a`, "unexpected EOF"},
		{`{"any": ` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}", "nested more than 1000"},
		{strings.Repeat(" ", 1<<20) + "{}", "at most 1 MiB"}, {"\x00\x01", "invalid character"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		err := Read(path, 1<<20, &note{})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), path)) {
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		}
	}
	if err := os.WriteFile(path, []byte(`{"name": "a", "colour": "red"}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Read(path, Small, &n); err != nil || n.Name != "a" {
		t.Errorf("%+v, %v", n, err)
	}
	if err := ReadStrict(path, Small, &n); err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("an unknown field: %v", err)
	}
}

// TestReadNoFile checks that a huge sparse file, a pipe without a writer, a folder and a device are refused, and that
// none of them blocks.
func TestReadNoFile(t *testing.T) {
	dir := t.TempDir()
	sparse, pipe := filepath.Join(dir, "sparse"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(sparse, nil, 0o666), os.Truncate(sparse, 20<<30)); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{sparse: "at most 16 MiB", pipe: "pipe", dir: "folder",
		"/dev/zero": "device"} {
		if err := Read(path, Small, new(note)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
