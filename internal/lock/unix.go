//go:build unix && !solaris && !aix

package lock

import (
	"errors"
	"syscall"
)

// unlessUnknown lets every process enter if a file system has no locks. Since files there are written atomically, at
// worst work is done twice.
func unlessUnknown(err error) error {
	for _, unknown := range []error{syscall.ENOTSUP, syscall.ENOSYS, syscall.ENOLCK, syscall.EINVAL} {
		if errors.Is(err, unknown) {
			return nil
		}
	}
	return err
}
