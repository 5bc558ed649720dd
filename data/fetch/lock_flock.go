//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package fetch

import (
	"errors"
	"os"
	"syscall"
)

// tryLock reports whether it could lock f. Closing f, or the end of the process,
// unlocks it.
func tryLock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
			// For example Lustre mounted without -o flock.
			return false, errNoLocks
		default:
			return false, err
		}
	}
}
