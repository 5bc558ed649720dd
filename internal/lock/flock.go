//go:build unix && !linux && !solaris && !aix

package lock

import (
	"errors"
	"os"
	"syscall"
)

func exclusive(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func held(f *os.File) bool { return errors.Is(flock(f, syscall.LOCK_SH), ErrHeld) }

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return unlessUnknown(err)
}
