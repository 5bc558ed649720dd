package lock

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	if Held(path) {
		t.Error("a lock that there is not is held")
	}
	first, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Try(path); !errors.Is(err, ErrHeld) || !Held(path) {
		t.Errorf("taken twice: %v; held: %v", err, Held(path))
	}
	if err := first.Release(); err != nil || Held(path) {
		t.Errorf("released: %v; held: %v", err, Held(path))
	}
	second, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

// TestLockOfKilled checks that a process that is killed releases its locks.
func TestLockOfKilled(t *testing.T) {
	if path := os.Getenv("LOCK_OF"); path != "" {
		if _, err := Try(path); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
	}
	path := filepath.Join(t.TempDir(), "a.lock")
	c := exec.Command(os.Args[0], "-test.run", "^TestLockOfKilled$")
	c.Env = append(os.Environ(), "LOCK_OF="+path)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); !Held(path); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the process takes no lock")
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	if l, err := Try(path); err != nil {
		t.Error(err)
	} else if err := l.Release(); err != nil {
		t.Error(err)
	}
}

func TestLockNowhere(t *testing.T) {
	if _, err := Try(filepath.Join(t.TempDir(), "none", "a.lock")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestLockOfMany checks that only one of many goroutines has a lock at a time, while its file is made and removed again
// and again.
func TestLockOfMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	var in, had atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for had.Load() < 200 {
				l, err := Try(path)
				if errors.Is(err, ErrHeld) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := in.Add(1); n != 1 {
					t.Errorf("%d have it", n)
				}
				had.Add(1)
				in.Add(-1)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
}

// TestLockRefusesLinks checks that a link is refused as a lock, and that the file at its end is not made.
func TestLockRefusesLinks(t *testing.T) {
	dir := t.TempDir()
	end, link := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "a.lock")
	if err := os.Symlink(end, link); err != nil {
		t.Skip(err)
	}
	if _, err := Try(link); err == nil {
		t.Error("a link is taken for a lock")
	}
	if _, err := os.Lstat(end); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file at the link's end was made: %v", err)
	}
}

func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := Try(path)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Wait(ended, path); !errors.Is(err, context.Canceled) {
		t.Errorf("a held lock: %v", err)
	}
	var released atomic.Bool
	time.AfterFunc(3*pause, func() {
		released.Store(true)
		if err := first.Release(); err != nil {
			t.Error(err)
		}
	})
	second, err := Wait(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !released.Load() {
		t.Error("a lock that is held was given away")
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

// TestLockRemoved checks that isAt notices when the file of a lock was removed, or replaced by another.
func TestLockRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !isAt(f, path) {
		t.Error("it is the same file")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if isAt(f, path) {
		t.Error("no file is the same as one")
	}
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if isAt(f, path) {
		t.Error("another file is the same")
	}
}
