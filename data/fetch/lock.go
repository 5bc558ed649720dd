package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// lockPoll is the time between attempts to take a held lock.
const lockPoll = time.Second

// errNoLocks says that the system or the file system has no locks.
var errNoLocks = errors.New("no file locks")

// lock keeps other processes from the file at PATH by a kernel lock on PATH.lock. The mere existence of PATH.lock means
// nothing, so a lock is never stale.
type lock struct {
	f    *os.File
	held bool // false on systems without locks
}

// acquire waits until the lock is free.
func (g *getter) acquire(ctx context.Context, f File, path string) (*lock, error) {
	path += ".lock"
	for noted := false; ; {
		l, err := tryLockFile(path)
		if errors.Is(err, errNoLocks) {
			return l, nil
		}
		if err != nil {
			return nil, onDisk(path, err)
		}
		if l != nil {
			return l, nil
		}
		if !noted {
			g.note(f, "waiting for "+holder(path)+", which is working on the same file")
			noted = true
		}
		if err := g.clock.Sleep(ctx, lockPoll); err != nil {
			return nil, interrupted(f, err)
		}
	}
}

// tryLockFile returns nil if another process holds the lock.
func tryLockFile(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	held, err := tryLock(f)
	if errors.Is(err, errNoLocks) {
		return &lock{f: f}, err
	}
	// The former holder may have removed the file after we opened it. Our lock would then exclude nobody.
	if err == nil && held && sameFile(f, path) {
		if err = f.Truncate(0); err == nil {
			_, err = fmt.Fprintln(f, os.Getpid())
		}
		if err == nil {
			return &lock{f: f, held: true}, nil
		}
	}
	return nil, errors.Join(err, f.Close())
}

func sameFile(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}

// holder returns the name of the process that holds the lock, if it is known.
func holder(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "another process"
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, 32))
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}

// release removes the file while it is still locked, and unlocks it.
func (l *lock) release() error {
	return errors.Join(removeIfThere(l.f.Name()), l.f.Close())
}
