// Package lock prevents two processes from doing the same work in one folder. [Try] takes the lock of a file, [Wait]
// waits for it, and [Held] reports whether a process holds it.
package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrHeld is returned for a lock that another process holds.
var ErrHeld = errors.New("another process works there")

// Lock is held until it is released or its process ends, however it ends. It depends neither on clocks nor on process
// IDs.
type Lock struct{ f *os.File }

// Try takes the lock of the file at path, which it creates if necessary. It does not wait: if another process holds the lock,
// it returns [ErrHeld]. A symbolic link at path is an error, since the file would be created and removed elsewhere.
func Try(path string) (*Lock, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return nil, fmt.Errorf("%s is a link: want a lock's own file; remove the link", path)
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := exclusive(f); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		if isAt(f, path) {
			return &Lock{f}, nil
		}
		// The previous holder has removed the file since it was opened.
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// pause is the time between two attempts of [Wait].
const pause = 20 * time.Millisecond

// Wait takes the lock as [Try] does, but waits while another process holds it. If ctx ends first, it returns the error
// of ctx.
func Wait(ctx context.Context, path string) (*Lock, error) {
	for {
		l, err := Try(path)
		if !errors.Is(err, ErrHeld) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// isAt reports whether the open file is still the one at path.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// Held reports whether any process, including this one, holds the lock of the file at path; false if there is no file.
func Held(path string) bool {
	// Opening a pipe without O_NONBLOCK would wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return held(f)
}

// Release removes the file and releases the lock. Call it once. If the folder was replaced meanwhile, the file at the
// path belongs to someone else, and stays.
func (l *Lock) Release() error {
	var err error
	if isAt(l.f, l.f.Name()) {
		err = os.Remove(l.f.Name())
	}
	return errors.Join(err, l.f.Close())
}
