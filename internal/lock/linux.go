//go:build linux

package lock

import (
	"errors"
	"os"
	"syscall"
)

// Commands for locks that belong to an open file instead of a process: they are released when the file is closed, can
// be queried without being taken, and work on network file systems.
const (
	ofdGetLock = 36
	ofdSetLock = 37
)

func exclusive(f *os.File) error {
	err := syscall.FcntlFlock(f.Fd(), ofdSetLock, &syscall.Flock_t{Type: syscall.F_WRLCK})
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return ErrHeld
	}
	return unlessUnknown(err)
}

func held(f *os.File) bool {
	l := syscall.Flock_t{Type: syscall.F_WRLCK}
	return syscall.FcntlFlock(f.Fd(), ofdGetLock, &l) == nil && l.Type != syscall.F_UNLCK
}
