package lock

import (
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

// A process that is killed gives its locks back.
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
	for !Held(path) {
		time.Sleep(time.Millisecond)
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

// Of many that want the same lock one has it at a time, while its file comes and goes.
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
