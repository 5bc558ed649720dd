package atomicfile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange gives two folders each other's names, at once. Where the file system
// cannot do that it is an [errors.ErrUnsupported].
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}
