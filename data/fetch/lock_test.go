package fetch

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ansatz-lab/ansatz/internal/lock"
)

// TestTogether checks that if several calls ask for a file at the same time, one fetches it, and the others wait and
// use it.
func TestTogether(t *testing.T) {
	archive, err := os.ReadFile("testdata/deflated.zip")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, file(archive))
	dir := t.TempDir()
	f := File{Path: "a/set.zip", URLs: []string{s.URL}, SHA256: sha(archive), Into: "set"}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			o, clock := quick()
			clock.onSleep = runtime.Gosched
			r, err := Get(t.Context(), dir, []File{f}, o)
			if err != nil || len(r[0].Files) != 3 {
				t.Errorf("%v, %v", r, err)
			}
		})
	}
	all.Wait()
	if s.count() != 1 {
		t.Errorf("fetched %d times", s.count())
	}
	want := []string{"a/", "a/set.zip", "set/", "set/set/", "set/set/empty/", "set/set/größe.txt", "set/set/train/",
		"set/set/train/a b.bin", "set/set/train/leer.txt"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q", got)
	}
}

func TestWaitForLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f.lock")
	l, err := lock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if !lock.Held(path) {
		t.Skip("the file system has no locks")
	}
	s := serve(t, file([]byte("content")))
	f := File{Path: "f", URLs: []string{s.URL}}
	ctx, cancel := context.WithCancel(t.Context())
	o, clock := quick()
	clock.onSleep = cancel
	if _, err := Get(ctx, dir, []File{f}, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted while waiting: %v", err)
	}
	var notes []string
	o.Note = func(_, text string) { notes = append(notes, text) }
	waits := 0
	clock.onSleep = func() {
		if waits++; waits == 3 {
			if err := l.Release(); err != nil {
				t.Error(err)
			}
		}
	}
	mustGet(t, dir, f, o, []byte("content"))
	if waits != 3 || len(notes) != 1 || !strings.Contains(notes[0], path) {
		t.Errorf("%d waits, notes %q", waits, notes)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"f"}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestStaleLock checks that the lock file of a killed process does not make others wait.
func TestStaleLock(t *testing.T) {
	s := serve(t, file([]byte("content")))
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f.lock"), []byte("1\n"))
	o, clock := quick()
	mustGet(t, dir, File{Path: "f", URLs: []string{s.URL}}, o, []byte("content"))
	if len(clock.slept) != 0 {
		t.Errorf("waits %v", clock.slept)
	}
}

func TestReleaseAfterFailure(t *testing.T) {
	s := serve(t, http.NotFound)
	dir := t.TempDir()
	o, _ := quick()
	_, _, err := get(t, dir, File{Path: "f", URLs: []string{s.URL}}, o)
	mustFail(t, err, "404")
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %q", got)
	}
}
