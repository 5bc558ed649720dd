package tomlfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a = [1, {b = 2}]\n")
	if text, err := Read(path); err != nil || string(text) != "a = [1, {b = 2}]\n" {
		t.Errorf("%q, %v", text, err)
	}
	for want, text := range map[string]string{
		"more than 20000 tables": "a = [" + strings.Repeat("{},", 100000) + "]",
		"more than 100 deep":     "a = " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		"more than 1024 KiB":     strings.Repeat("# \n", 1<<20),
	} {
		write(text)
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if _, err := Read(dir); err == nil {
		t.Error("a folder is read")
	}
}

// Keys of one table that differ only in case are refused, wherever the table is.
func TestCheckKeys(t *testing.T) {
	for _, twins := range []map[string]any{
		{"a": 1, "A": 2},
		{"x": map[string]any{"rate": 1, "Rate": 2}},
		{"x": []map[string]any{{"a": 1}, {"b": 1, "B": 2}}},
		{"x": []any{1, map[string]any{"b": 1, "B": 2}}},
	} {
		if err := CheckKeys(twins); err == nil || !strings.Contains(err.Error(), "same setting") {
			t.Errorf("%v: %v", twins, err)
		}
	}
	apart := map[string]any{"a": 1, "b": map[string]any{"a": 1}, "c": []map[string]any{{"a": 1}, {"A": 1}}}
	if err := CheckKeys(apart); err != nil {
		t.Error(err)
	}
}

// TestReadEndless checks that a huge sparse file is refused, and that reading a pipe without a writer does not block
// for ever.
func TestReadEndless(t *testing.T) {
	dir := t.TempDir()
	sparse, pipe := filepath.Join(dir, "sparse"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(sparse, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 20<<30); err != nil {
		t.Skip(err)
	}
	if _, err := Read(sparse); err == nil {
		t.Error("20 GB are read")
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := Read(pipe); err == nil {
			t.Error("a pipe without a writer is read")
		}
	}()
	select {
	case <-done:
	case <-time.After(2 * maxSilence):
		t.Error("reading a pipe without a writer hangs")
	}
}
