//go:build unix && !solaris && !aix

package lock

import (
	"errors"
	"syscall"
)

// unlessUnknown lets everybody in where a file system has no locks: what is written
// there is written whole, so that work is done twice at worst.
func unlessUnknown(err error) error {
	for _, unknown := range []error{syscall.ENOTSUP, syscall.ENOSYS, syscall.ENOLCK, syscall.EINVAL} {
		if errors.Is(err, unknown) {
			return nil
		}
	}
	return err
}
