// Package lock keeps two processes from doing the same work in one folder. [Try] takes the lock of a
// file, and [Held] reports whether a process holds it.
package lock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrHeld is returned for a lock that another process holds.
var ErrHeld = errors.New("another process works there")

// Lock is held until it is released, or until its process ends in any way. It depends on no clock and no process
// number.
type Lock struct{ f *os.File }

// Try takes the lock of the file at path, which it creates if necessary. It does not wait: it returns [ErrHeld] if
// another process holds the lock.
func Try(path string) (*Lock, error) {
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
		// Who held it has removed the file since it was opened.
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// isAt says whether the open file is the one at path.
func isAt(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there)
}

// Held reports whether a process, which may be this one, holds the lock of the file at path; false if there is no file.
func Held(path string) bool {
	// Opening a pipe that has no writer would wait for one.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return held(f)
}

// Release removes the file and releases the lock. It may be called once. The file is another's if
// its folder was replaced meanwhile, and stays.
func (l *Lock) Release() error {
	var err error
	if isAt(l.f, l.f.Name()) {
		err = os.Remove(l.f.Name())
	}
	return errors.Join(err, l.f.Close())
}
